-- Every schedule of some issuers, oldest first: what amendments are chained in. Items, signatures and evidence are left if they are.
select * exclude (items, signatures, evidence)
from ownership_schedules
order by known_from, filing_id
