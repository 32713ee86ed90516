-- How many 13F filings there are of each quarter, newest first.
select quarter, count(distinct filing_id) as filings
from holdings_reports_history
where quarter <> 'unknown'
group by quarter
order by quarter desc
