-- Symbols with an action or listing event that became known in a window and is not long ago.
select symbol
from corporate_actions
where known_from > $since::timestamptz and known_from <= $until::timestamptz and ex_date >= $recent::date
union
select symbol
from listing_events
where known_from > $since::timestamptz and known_from <= $until::timestamptz and date >= $recent::date
order by symbol
