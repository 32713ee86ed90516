-- Issuers of whom a transaction with the code became known in a window.
select distinct issuer_cik
from insider_transactions
where known_from > $since::timestamptz
  and known_from <= $until::timestamptz
  and code = $code
  and not derivative
order by issuer_cik
