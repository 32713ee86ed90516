-- Who told the newest close of some symbols, of those from $since on.
select symbol, arg_max(source, date) as source
from bars
where date >= $since::date
group by symbol
order by symbol
