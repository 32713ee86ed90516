-- Listing events as sources state them, newest first, cancelled ones included and marked.
select *
from listing_events
where date between $from::date and $to::date
  and ($kind is null or kind = $kind)
order by date desc, kind, source_name
