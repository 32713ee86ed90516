-- Reports that calendars list on, or in a window that touches, the days from $from to $to.
select *
from earnings_dates
where coalesce(window_end, date) >= $from::date and date <= $to::date
order by symbol, source_name, report
