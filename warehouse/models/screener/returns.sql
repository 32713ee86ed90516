-- Inputs: adjusted. Grain: listing. Total returns in percent on the adjusted close, from the newest session at or before the day
-- that lies so far back; null where no session lies within the two weeks before that day.
with last as (
  select id, max(date) as d, arg_max(adjusted_close, date) as c from adjusted group by id
), bases as (
  select
    l.id,
    any_value(l.c) as c,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - 7 and a.date > l.d - 22) as week_1,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - interval 1 month and a.date > l.d - interval 1 month - interval 15 day) as month_1,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - interval 3 month and a.date > l.d - interval 3 month - interval 15 day) as month_3,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - interval 6 month and a.date > l.d - interval 6 month - interval 15 day) as month_6,
    arg_max(a.adjusted_close, a.date) filter (a.date < date_trunc('year', l.d) and a.date >= date_trunc('year', l.d) - interval 15 day) as year_end,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - interval 1 year and a.date > l.d - interval 1 year - interval 15 day) as year_1,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - interval 3 year and a.date > l.d - interval 3 year - interval 15 day) as year_3,
    arg_max(a.adjusted_close, a.date) filter (a.date <= l.d - interval 5 year and a.date > l.d - interval 5 year - interval 15 day) as year_5
  from last as l
  join adjusted as a on a.id = l.id
  group by l.id
)
select
  id,
  (c / week_1 - 1) * 100 as return_1w_pct,
  (c / month_1 - 1) * 100 as return_1m_pct,
  (c / month_3 - 1) * 100 as return_3m_pct,
  (c / month_6 - 1) * 100 as return_6m_pct,
  (c / year_end - 1) * 100 as return_ytd_pct,
  (c / year_1 - 1) * 100 as return_1y_pct,
  (c / year_3 - 1) * 100 as return_3y_pct,
  (c / year_5 - 1) * 100 as return_5y_pct
from bases
