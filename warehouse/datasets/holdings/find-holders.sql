-- Every row of one quarter on some CUSIPs or, for rows without a CUSIP, on some issuers' names (named: holdings.ts). The report of a row
-- identifies its filer and its document.
select
  manager_cik, filing_id, line, issuer_name, issuer_key, class_title, cusip, value, value_usd, shares, shares_type, put_call,
  discretion, placeholder, flags
from holdings
where quarter = $quarter
  and not placeholder
  and manager_cik is not null
  and (:named)
order by manager_cik, filing_id, line
