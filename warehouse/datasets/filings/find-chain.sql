-- Filings of the same parties that belong to one filing, oldest first. A registration and its prospectuses have one file number. A
-- Schedule 13D or 13G and its amendments have the same parties. Other forms have the same base form and period.
with parties as (
  select accession, form, filed_date, accepted_at, period_of_report, file_number, cik,
    case
      when regexp_matches(form, '^(?:S|F|SF)-\d|^424B|^POS |^SB-|^RW$') then 'registration'
      else regexp_replace(regexp_replace(form, '/A$', ''), '^SC ', 'SCHEDULE ')
    end as family
  from filings
), wanted as (
  select family, list(distinct cik) as ciks, max(period_of_report) as period, list(distinct file_number) filter (file_number is not null) as file_numbers
  from parties where accession = $accession group by family
)
select p.accession, any_value(p.form) as form, min(p.filed_date) as filed_date, min(p.accepted_at) as accepted_at
from parties as p join wanted as w on p.family = w.family
where list_contains(w.ciks, p.cik)
  and case
    when w.family = 'registration' then list_contains(w.file_numbers, p.file_number)
    when w.family like 'SCHEDULE 13%' then true
    else p.period_of_report = w.period
  end
group by p.accession, w.family, w.ciks
having w.family = 'registration' or count(distinct p.cik) = len(w.ciks)
order by filed_date, accepted_at nulls first, p.accession
limit $limit
