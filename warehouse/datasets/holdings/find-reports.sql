-- Every 13F report of some managers, as it was known; of each filing the newest reading.
select
  filing_id, accession, manager_cik, manager_name, quarter, period_of_report, form, filed_date, report_type, amendment_number,
  amendment_type, confidential_denied_or_expired, confidential_omitted, cover_managers, included_managers, entry_total, value_total,
  "table", rows_read, rows_refused, placeholders, put_rows, call_rows, value_sum, entry_difference, value_difference, unit,
  unit_source, unit_by_rule, implied_price_median, flags, known_from, known_basis, source, raw_sha256
from holdings_reports
order by manager_cik, known_from, filing_id
