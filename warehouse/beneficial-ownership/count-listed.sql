-- Filings of these forms that the indexes list in a window, each once for all of its parties, and how many of them are read. Over
-- every version of a row: an index line and a header of the same filing are one accession.
with listed as (
  select accession, min(known_from) as known_from
  from filings_history
  where form in (select unnest($forms)) and not withdrawn
  group by accession
), held as (
  select distinct accession
  from ownership_schedules_history
  where accession is not null
)
select count(*) as listed, count(held.accession) as read
from listed
left join held on held.accession = listed.accession
where listed.known_from > $since::timestamptz and listed.known_from <= $until::timestamptz
