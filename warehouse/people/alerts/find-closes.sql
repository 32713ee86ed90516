-- Daily closes of some symbols from $since on, with their corrections, in any order.
select symbol, date, close, false as corrected
from bars
where date >= $since::date
union all
select symbol, date, close, true as corrected
from bar_corrections
where date >= $since::date
