-- Inputs: adjusted. Grain: listing. Total returns in percent on the adjusted close, from the newest session at or before the day
-- that lies so far back; null where no session lies within the two weeks before that day.
with last as (
  select id, max(date) as d, arg_max(adjusted_close, date) as c from adjusted group by id having max(date) >= $date::date - 1400
), days_back as (
  select
    id,
    c,
    d - 7 as week_1,
    (d - interval 1 month)::date as month_1,
    (d - interval 3 month)::date as month_3,
    (d - interval 6 month)::date as month_6,
    date_trunc('year', d)::date - 1 as year_end,
    (d - interval 1 year)::date as year_1,
    (d - interval 3 year)::date as year_3,
    (d - interval 5 year)::date as year_5
  from last
), targets as (
  unpivot days_back on week_1, month_1, month_3, month_6, year_end, year_1, year_3, year_5 into name span value day
), bases as (
  select t.id, t.span, any_value(t.c) as c, arg_max(a.adjusted_close, a.date) as base
  from adjusted as a
  join targets as t on t.id = a.id and a.date <= t.day and a.date > t.day - 15
  group by t.id, t.span
)
select
  id,
  any_value((c / base - 1) * 100) filter (span = 'week_1') as return_1w_pct,
  any_value((c / base - 1) * 100) filter (span = 'month_1') as return_1m_pct,
  any_value((c / base - 1) * 100) filter (span = 'month_3') as return_3m_pct,
  any_value((c / base - 1) * 100) filter (span = 'month_6') as return_6m_pct,
  any_value((c / base - 1) * 100) filter (span = 'year_end') as return_ytd_pct,
  any_value((c / base - 1) * 100) filter (span = 'year_1') as return_1y_pct,
  any_value((c / base - 1) * 100) filter (span = 'year_3') as return_3y_pct,
  any_value((c / base - 1) * 100) filter (span = 'year_5') as return_5y_pct
from bases
group by id
