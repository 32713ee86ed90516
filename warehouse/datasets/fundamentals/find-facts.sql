-- A company's facts of some concepts, every filing's statement of each, as the release holds them.
select taxonomy, concept, unit, period_start, period_end, value, fy, form, filed_date, accession, place, source, raw_sha256
from company_facts
where taxonomy || ':' || concept in (select unnest($concepts))
order by taxonomy, concept, unit, period_end, period_start, accession, place
