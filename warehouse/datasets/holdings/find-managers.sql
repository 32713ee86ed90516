-- Managers with a 13F, by CIK: all of their filings. The newest quarter's reports are read separately.
select
  manager_cik,
  arg_max(manager_name, (known_from, filing_id)) filter (manager_name is not null) as manager_name,
  count(*) as filings,
  count(*) filter (form like '%/A') as amendments,
  min(period_of_report) as first_period,
  max(quarter) filter (quarter <> 'unknown') as last_quarter,
  max(period_of_report) as last_period,
  max(filed_date) as last_filed_date
from holdings_reports
group by manager_cik
having manager_cik > $after
  and ($words is null or contains(upper(coalesce(any_value(manager_name), '')), upper($words)) or manager_cik = $words)
order by manager_cik
limit $limit
