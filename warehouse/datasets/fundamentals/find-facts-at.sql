-- As find-facts.sql, each with the instant from which the filing that makes it was public: its acceptance where the lake knows it, else
-- 22:00 Eastern of the filed day, which is what the fact itself carries. Of filings public at $at (null: all of the release), of
-- periods that end on or after $since (null: all).
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
select taxonomy, concept, unit, period_start, period_end, value, fy, form, filed_date, accession, place, known_from, source, raw_sha256
from visible
where taxonomy || ':' || concept in (select unnest($concepts))
  and ($since is null or period_end >= $since::date)
  and ($at is null or known_from <= $at::timestamptz)
order by taxonomy, concept, unit, period_end, period_start, accession, place
