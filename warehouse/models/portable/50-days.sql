-- Inputs: sessions, bars. Grain: listing and session, of the 400 days to the listing's own last session, as screener/days.sql: age counts
-- from the oldest of them, place from the newest.
with newest as (
  select max(date) as last_day from bars
), ends as (
  select code, max(date) as last_date from sessions group by code
)
select
  s.code as code, s.date as date, s.basis as basis, s.currency as currency, s.close as close, s.volume as volume,
  s.adjusted_close as adjusted_close, s.split_open as split_open, s.split_high as split_high, s.split_low as split_low,
  s.split_close as split_close, s.split_volume as split_volume,
  e.last_date as last_date,
  e.last_date - interval 1 year as year_start,
  row_number() over (partition by s.code order by s.date) as age,
  count(*) over (partition by s.code) as days,
  row_number() over (partition by s.code order by s.date desc) as place,
  max(s.adjusted_close) over (partition by s.code order by s.date rows between 1 preceding and 1 preceding) as previous_adjusted,
  max(s.split_close) over (partition by s.code order by s.date rows between 1 preceding and 1 preceding) as previous_close
from sessions as s
join ends as e on e.code = s.code
cross join newest as n
where s.date > e.last_date - interval 400 day and e.last_date >= n.last_day - interval 1400 day
