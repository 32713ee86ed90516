-- The rows of some filings of one manager and quarter, in the order of the tables.
select
  filing_id, line, accession, issuer_name, issuer_key, class_title, cusip, cusip_filed, figi, value, value_usd, shares, shares_type,
  put_call, discretion, other_managers_filed, other_managers, voting_sole, voting_shared, voting_none, placeholder, flags, source,
  raw_sha256
from holdings
where quarter = $quarter and manager_cik = $manager and filing_id in (select unnest($filings))
order by filing_id, line
