-- The stored intraday series: sessions by source and interval, with the end of each series and the time of its last update.
select symbol, session_date, interval, source_name, count(*) as bars, max(start_at) as last_at, max(known_from) as received_at
from intraday_bars
where session_date between $from::date and $to::date and ($session = 'all' or session = $session)
group by symbol, session_date, interval, source_name
order by session_date, symbol, interval, source_name
