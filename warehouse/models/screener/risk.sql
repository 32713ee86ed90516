-- Inputs: days. Grain: listing. Volatility is the sample standard deviation of daily log returns of the adjusted close, a year
-- being 252 sessions, in percent; drawdown the deepest fall from a high within the last year.
with moves as (
  select id, place, date, year_start, adjusted_close, try_cast(ln(adjusted_close / previous_adjusted) as decimal(18, 15)) as move from days
), peaks as (
  select *, max(adjusted_close) over (partition by id order by date rows unbounded preceding) as peak
  from moves
  where date > year_start
), sums as (
  select
    id,
    count(move) filter (place <= 30) as n30,
    sum(move) filter (place <= 30)::double as s30,
    sum(try_cast(move::double * move::double as decimal(18, 15))) filter (place <= 30)::double as q30,
    count(move) filter (place <= 252) as n252,
    sum(move) filter (place <= 252)::double as s252,
    sum(try_cast(move::double * move::double as decimal(18, 15))) filter (place <= 252)::double as q252
  from moves
  group by id
), falls as (
  select id, min(adjusted_close / peak - 1) * 100 as max_drawdown_1y_pct, count(*) as sessions_1y from peaks group by id
)
select
  s.id,
  f.sessions_1y,
  case when n30 >= 20 then sqrt(greatest(q30 - s30 * s30 / n30, 0) / (n30 - 1) * 252) * 100 end as volatility_30d_pct,
  case when n252 >= 120 then sqrt(greatest(q252 - s252 * s252 / n252, 0) / (n252 - 1) * 252) * 100 end as volatility_1y_pct,
  f.max_drawdown_1y_pct
from sums as s
join falls as f on f.id = s.id
