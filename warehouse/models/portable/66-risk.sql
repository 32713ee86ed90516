-- Inputs: days. Grain: listing. As screener/risk.sql.
with moves as (
  select code, place, date, year_start, adjusted_close, round(ln(adjusted_close / previous_adjusted), 15) as move from days
), peaks as (
  select
    code,
    adjusted_close / max(adjusted_close) over (partition by code order by date rows between unbounded preceding and current row) - 1 as fall
  from moves
  where date > year_start
), falls as (
  select code, min(fall) * 100 as max_drawdown_1y_pct, count(*) as sessions_1y from peaks group by code
), sums as (
  select
    code,
    count(case when place <= 30 then move end) as n30,
    sum(case when place <= 30 then move end) as s30,
    sum(case when place <= 30 then round(move * move, 15) end) as q30,
    count(case when place <= 252 then move end) as n252,
    sum(case when place <= 252 then move end) as s252,
    sum(case when place <= 252 then round(move * move, 15) end) as q252
  from moves
  group by code
)
select
  s.code as code,
  f.sessions_1y as sessions_1y,
  case when n30 >= 20 then sqrt(greatest(q30 - s30 * s30 / n30, 0e0) / (n30 - 1) * 252) * 100 end as volatility_30d_pct,
  case when n252 >= 120 then sqrt(greatest(q252 - s252 * s252 / n252, 0e0) / (n252 - 1) * 252) * 100 end as volatility_1y_pct,
  f.max_drawdown_1y_pct as max_drawdown_1y_pct
from sums as s
join falls as f on f.code = s.code
