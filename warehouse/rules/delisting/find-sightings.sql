-- The newest day on which any directory of a venue (a MIC, or the code of its exchange) was read.
select max(date) as date
from directory_sightings
where venue in (select unnest($venues))
