-- Filings in which a company released results, newest first: those whose index lists item 2.02 (before 2004-08-23: 12), and those
-- whose documents state it. A filing that both describe is one row: the index has its acceptance, the document its period and words.
with listed as (
  select
    *,
    form in ('8-K', '8-K/A') and (list_contains(items, '2.02') or list_contains(items, '12')) as has_results_item
  from filings
), told as (
  select *
  from earnings_evidence
  where kind = 'results_released'
  qualify row_number() over (partition by accession order by line) = 1
)
select
  coalesce(t.accession, l.accession) as accession,
  coalesce(l.form, t.form) as form,
  coalesce(l.filed_date, t.filed_date) as filed_date,
  coalesce(l.items, t.items) as items,
  coalesce(l.known_from, t.known_from) as known_from,
  coalesce(l.known_basis, t.known_basis) as known_basis,
  t.period_end,
  t.document,
  t.quote,
  t.source_start,
  t.source_end,
  coalesce(t.flags, []) as flags,
  coalesce(t.source, l.source) as source,
  coalesce(t.raw_sha256, l.raw_sha256) as raw_sha256
from listed as l
full join told as t on t.accession = l.accession
where t.accession is not null or l.has_results_item
order by known_from desc, accession desc
limit $limit
