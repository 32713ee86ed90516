-- Registration statements and prospectuses of some days, without their texts; those of one issuer together, newest first.
select
  accession, cik, company, form, filed_date, file_number, terms, initial, security, shares, currency, price, price_low, price_high,
  gross, trust, selling_holders_only, underwriters, lock_up_days, proposed_symbol, exchange, listing,
  known_from, known_basis, source, raw_sha256
from offerings
where filed_date between $from::date and $to::date
order by cik, known_from desc, accession desc
