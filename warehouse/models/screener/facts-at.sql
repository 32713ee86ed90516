-- As facts.sql, of the filings that were public at $at: from their acceptance where the lake knows it, else from what the fact carries.
with accepted as (
  select accession, min(known_from) as accepted_from from filings where known_basis = 'accepted' group by accession
)
select f.cik, taxonomy, concept, unit, period_start, period_end, value, fy, form, filed_date, f.accession, place
from company_facts as f
left join accepted as a on a.accession = f.accession
where taxonomy || ':' || concept in (select unnest($concepts))
  and period_end >= $oldest::date
  and coalesce(a.accepted_from, f.known_from) <= $at::timestamptz
order by f.cik, taxonomy, concept, unit, period_end, period_start, f.accession, place
