-- Schedules that list days between two days completely, newest first.
select *
from economic_schedules
where covers_to >= $from::date and covers_from <= $to::date
order by known_from desc, schedule, scope, covers_from, covers_to
