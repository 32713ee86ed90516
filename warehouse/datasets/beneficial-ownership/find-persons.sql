-- The reporting persons of some issuers' schedules, in the order of the cover pages.
select *
from ownership_persons
order by filing_id, line
