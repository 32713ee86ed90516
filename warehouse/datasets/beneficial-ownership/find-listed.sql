-- Filings of these forms that the indexes list in a window, each once for all of its parties, and whether they are read. Over
-- every version of a row: an index line and a header of the same filing are one accession. Those of the week before are returned too, as
-- not inside: an index line gives the evening of the filed day, so without the header that has the acceptance they would be inside.
with listed as (
  select accession, list_sort(list(distinct cik)) as ciks, min(known_from) as known_from
  from filings_history
  where form in (select unnest($forms)) and not withdrawn
  group by accession
), held as (
  select distinct accession
  from ownership_schedules_history
  where accession is not null
)
select listed.accession, listed.ciks, listed.known_from > $since::timestamptz as inside, held.accession is not null as read
from listed
left join held on held.accession = listed.accession
where listed.known_from > $since::timestamptz - interval 7 days and listed.known_from <= $until::timestamptz
order by listed.accession
