-- The first and the last session with stored intraday bars.
select symbol, min(session_date) as first, max(session_date) as last
from intraday_bars
where ($session = 'all' or session = $session)
group by symbol
order by symbol
