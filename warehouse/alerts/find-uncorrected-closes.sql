-- Daily closes of some symbols from $since on, in any order, where none of them was corrected.
select symbol, date, close
from bars
where date >= $since::date
