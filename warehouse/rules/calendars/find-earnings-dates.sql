-- Reports that calendars list on the days from $from to $to, or in a window that overlaps them.
select *
from earnings_dates
where coalesce(window_end, date) >= $from::date and date <= $to::date
order by symbol, source_name, report
