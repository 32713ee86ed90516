-- Inputs: holdings_reports. Grain: 13F report of one quarter: what it takes to tell which of a manager's filings hold.
select filing_id, manager_cik, form, amendment_type, "table", rows_read, placeholders, value_sum, unit, known_from, report_type
from holdings_reports
where quarter = $quarter
order by manager_cik, known_from, filing_id
