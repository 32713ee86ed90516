-- Inputs: adjusted. Grain: listing and session, of the 400 days to the listing's own last session. age counts from the oldest of
-- them, place from the newest; the previous session is the one before in this window.
-- A listing without a bar in 1,400 days has none: the year before its last session is not whole in what was read.
with last as (
  select id, max(date) as last_date from adjusted group by id having max(date) >= $date::date - 1400
)
select
  b.*,
  l.last_date,
  l.last_date - interval 1 year as year_start,
  row_number() over oldest as age,
  count(*) over (partition by b.id) as days,
  count(*) over (partition by b.id) - row_number() over oldest + 1 as place,
  lag(b.adjusted_close) over oldest as previous_adjusted,
  lag(b.split_close) over oldest as previous_close
from adjusted as b
join last as l on l.id = b.id
where b.date > l.last_date - 400
window oldest as (partition by b.id order by b.date)
