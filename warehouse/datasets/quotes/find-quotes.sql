-- The newest quote of each source for some listings, of sessions from $since on.
select symbol, source_name, quoted_at, time_basis, session_date, session, price, regular_price, bid, ask, bid_size, ask_size, book_at,
  open, high, low, previous_close, volume, currency, minor_unit, halted, delay_seconds, source, known_from, raw_sha256, release_from
from quotes_history
where session_date >= $since::date and not withdrawn
qualify row_number() over (
  partition by symbol, source_name order by session_date desc, release_from desc, known_from desc, raw_sha256
) = 1
order by symbol, source_name
