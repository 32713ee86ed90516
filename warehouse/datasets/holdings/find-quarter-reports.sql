-- The 13F reports of one quarter, as they were known: what places them, and who filed them. The filings are named first and their newest
-- readings ranked then, since ranking all quarters' reports takes ten times as long. A filing counts in the quarter that its newest
-- reading names.
with named as (
  select distinct filing_id from holdings_reports_history where quarter = $quarter
), newest as (
  select
    filing_id, accession, manager_cik, manager_name, quarter, form, report_type, amendment_type, "table", rows_read, placeholders,
    value_sum, unit, unit_source, known_from, source, raw_sha256, withdrawn
  from holdings_reports_history
  where filing_id in (select filing_id from named)
  qualify row_number() over (partition by filing_id order by release_from desc, known_from desc, raw_sha256) = 1
)
select * exclude (withdrawn)
from newest
where quarter = $quarter and not withdrawn and manager_cik is not null
order by manager_cik, known_from, filing_id
