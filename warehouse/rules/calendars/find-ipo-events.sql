-- Deals that calendars list with a day from $from to $to.
select *
from ipo_events
where greatest(event_date, coalesce(filed_date, event_date), coalesce(amended_date, event_date)) >= $from::date
  and least(event_date, coalesce(filed_date, event_date), coalesce(amended_date, event_date)) <= $to::date
order by source_name, deal, section
