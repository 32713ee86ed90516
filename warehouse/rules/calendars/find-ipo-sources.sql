-- Which calendars of offerings are loaded, with one document of each as evidence.
select source_name, arg_min(source, (deal, section)) as source, arg_min(raw_sha256, (deal, section)) as raw_sha256
from ipo_events
group by source_name
order by source_name
