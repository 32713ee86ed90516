-- Filings of these forms that the indexes list in a window, each once for all of its parties, and how many of them are read.
with listed as (
  select accession, min(known_from) as known_from
  from filings
  where form in (select unnest($forms))
  group by accession
)
select
  count(*) as listed,
  count(*) filter (accession in (select accession from ownership_schedules where accession is not null)) as read
from listed
where known_from > $since::timestamptz and known_from <= $until::timestamptz
