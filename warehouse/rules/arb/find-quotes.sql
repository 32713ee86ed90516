-- The newest quote of each source and session for some lines, as known at $as_of.
select
  symbol,
  source_name,
  quoted_at,
  time_basis,
  book_at,
  session_date,
  session,
  price,
  regular_price,
  bid,
  ask,
  currency,
  halted,
  delay_seconds,
  source,
  known_from,
  raw_sha256
from quotes
where session_date between $since::date and $until::date
order by symbol, source_name, session_date
