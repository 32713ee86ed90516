-- The newest close of some symbols and its source, of those from $since on.
select symbol, max(date) as date, arg_max(source, date) as source
from bars
where date >= $since::date
group by symbol
order by symbol
