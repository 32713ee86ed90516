-- Daily closes of some symbols from $since on, in any order, for symbols without corrections.
select symbol, date, close
from bars
where date >= $since::date
