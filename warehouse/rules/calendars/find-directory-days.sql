-- The days on which each source had a directory of a venue (a MIC, or an exchange code), if the days were stored separately.
select distinct source_name, venue, date
from directory_sightings_history
where not withdrawn
order by source_name, venue, date
