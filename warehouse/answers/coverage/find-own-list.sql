-- The filer's list of filings (its submissions file), if it was read: only this list names main documents without a role.
select count(distinct accession) as filings, min(filed_date) as first_day
from filings_history
where role is null and primary_document is not null
