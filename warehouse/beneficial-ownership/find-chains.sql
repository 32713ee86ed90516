-- Every schedule of some issuers, oldest first: what amendments are chained in.
select *
from ownership_schedules
order by known_from, filing_id
