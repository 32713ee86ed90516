-- Inputs: filings, earnings_evidence, listings. Grain: filing that released results, of the last two years: an 8-K whose index lists
-- item 2.02, or a filing whose documents say it.
with told as (
  select cik, accession, filed_date, known_from from earnings_evidence where kind = 'results_released'
  union
  select cik, accession, filed_date, known_from
  from filings
  where form in ('8-K', '8-K/A') and (list_contains(items, '2.02') or list_contains(items, '12'))
)
select cik, accession, max(filed_date) as filed_date, max(known_from) as known_from
from told
where cik in (select cik from listings where cik is not null) and filed_date between $date::date - interval 2 year and $date::date
group by cik, accession
order by cik, known_from, accession
