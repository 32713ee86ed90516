-- Issuers on whom a schedule became known in a window, in any version: the statement that ranks versions then reads these alone.
select distinct issuer_key
from ownership_schedules_history
where schedule = $schedule
  and known_from > $since::timestamptz
  and known_from <= $until::timestamptz
order by issuer_key
