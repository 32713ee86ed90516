-- Symbols whose adjusted closes were restated by something that became known in a window.
select distinct symbol
from adjustment_factors
where known_from > $since::timestamptz and known_from <= $until::timestamptz and ex_date >= $recent::date
order by symbol
