-- Registration statements and prospectuses that became known in a window.
select accession, cik
from offerings
where known_from > $since::timestamptz and known_from <= $until::timestamptz
order by accession
