-- Of some managers (a text with commas) those with one report in a quarter, as it was known, whose table has rows: such a report is in
-- effect as a whole. Ranked as in find-quarter-reports.sql, with a fifth of its columns.
with named as (
  select distinct filing_id from holdings_reports_history where quarter = $quarter
), newest as (
  select filing_id, manager_cik, quarter, "table", withdrawn
  from holdings_reports_history
  where filing_id in (select filing_id from named)
  qualify row_number() over (partition by filing_id order by release_from desc, known_from desc, raw_sha256) = 1
)
select manager_cik, min(filing_id) as filing_id
from newest
where quarter = $quarter and not withdrawn and manager_cik in (select unnest(string_split($managers, ',')))
group by manager_cik
having count(*) = 1 and bool_and("table" in ('xml', 'text'))
