-- Which calendars are loaded, with one document of each as evidence.
select source_name, arg_min(source, (symbol, report)) as source, arg_min(raw_sha256, (symbol, report)) as raw_sha256
from earnings_dates
group by source_name
order by source_name
