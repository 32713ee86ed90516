-- Events between two days, as their schedules had them.
select *
from economic_events
where date between $from::date and $to::date
  and ($country is null or country = $country)
order by date, schedule, event_id
