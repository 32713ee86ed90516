-- Bars below a day of some sessions, as traded, oldest first.
select symbol, session_date, interval, source_name, start_at, session, open, high, low, close, volume, currency, partial, source, known_from, raw_sha256
from intraday_bars
where session_date between $from::date and $to::date and ($session = 'all' or session = $session)
order by start_at, symbol, interval, source_name
