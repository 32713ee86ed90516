-- The first and the last session of which bars below a day are held.
select symbol, min(session_date) as first, max(session_date) as last
from intraday_bars
where ($session = 'all' or session = $session)
group by symbol
order by symbol
