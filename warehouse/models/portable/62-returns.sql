-- Inputs: sessions, days. Grain: listing. As screener/returns.sql: total returns from the newest session at or before the day that lies so far
-- back; null if no session lies within the two weeks before that day.
with ends as (
  select code, date as d, adjusted_close as c from days where place = 1
), targets as (
  select code, c, 'week_1' as span, d - interval 7 day as day from ends
  union all select code, c, 'month_1' as span, d - interval 1 month as day from ends
  union all select code, c, 'month_3' as span, d - interval 3 month as day from ends
  union all select code, c, 'month_6' as span, d - interval 6 month as day from ends
  union all select code, c, 'year_1' as span, d - interval 1 year as day from ends
  union all select code, c, 'year_3' as span, d - interval 3 year as day from ends
  union all select code, c, 'year_5' as span, d - interval 5 year as day from ends
), bases as (
  select t.code as code, t.span as span, t.c as c, s.adjusted_close as base, row_number() over (partition by t.code, t.span order by s.date desc) as turn
  from targets as t
  join sessions as s on s.code = t.code
  where s.date <= t.day and s.date > t.day - interval 15 day
  union all
  select e.code as code, 'year_end' as span, e.c as c, s.adjusted_close as base, row_number() over (partition by e.code order by s.date desc) as turn
  from ends as e
  join sessions as s on s.code = e.code
  where extract(year from s.date) = extract(year from e.d) - 1 and extract(month from s.date) = 12 and extract(day from s.date) > 16
)
select
  code,
  max(case when span = 'week_1' then (c / base - 1) * 100 end) as return_1w_pct,
  max(case when span = 'month_1' then (c / base - 1) * 100 end) as return_1m_pct,
  max(case when span = 'month_3' then (c / base - 1) * 100 end) as return_3m_pct,
  max(case when span = 'month_6' then (c / base - 1) * 100 end) as return_6m_pct,
  max(case when span = 'year_end' then (c / base - 1) * 100 end) as return_ytd_pct,
  max(case when span = 'year_1' then (c / base - 1) * 100 end) as return_1y_pct,
  max(case when span = 'year_3' then (c / base - 1) * 100 end) as return_3y_pct,
  max(case when span = 'year_5' then (c / base - 1) * 100 end) as return_5y_pct
from bases
where turn = 1
group by code
