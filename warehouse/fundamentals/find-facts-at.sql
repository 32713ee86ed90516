-- As find-facts.sql, of the filings that were public at $at: from their acceptance where the lake knows it, else from 22:00 Eastern
-- of the filed day, which is what the fact itself carries.
with accepted as (
  select accession, min(known_from) as accepted_from
  from filings
  where known_basis = 'accepted'
  group by accession
), visible as (
  select f.* replace (coalesce(a.accepted_from, f.known_from) as known_from)
  from company_facts as f
  left join accepted as a on a.accession = f.accession
)
select
  taxonomy,
  concept,
  unit,
  period_start,
  period_end,
  value,
  fy,
  form,
  filed_date,
  accession,
  place,
  source,
  raw_sha256
from visible
where taxonomy || ':' || concept in (select unnest($concepts)) and known_from <= $at::timestamptz
order by taxonomy, concept, unit, period_end, period_start, accession, place
