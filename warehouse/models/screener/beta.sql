-- Inputs: daily_returns, market, listings, benchmarks. Grain: listing. Slope of the listing's daily moves on its market's over the last
-- year, from 120 common sessions on.
with pairs as (
  select r.id, r.move::double as y, m.move as x
  from daily_returns as r
  join listings as l on l.id = r.id
  join market as m on m.country = l.country and m.date = r.date
), sums as (
  select
    id,
    count(*) as n,
    sum(try_cast(x as decimal(18, 15)))::double as sx,
    sum(try_cast(y as decimal(18, 15)))::double as sy,
    sum(try_cast(x * y as decimal(18, 15)))::double as sxy,
    sum(try_cast(x * x as decimal(18, 15)))::double as sxx
  from pairs
  group by id
)
select
  s.id,
  case when n >= 120 then (sxy - sx * sy / n) / nullif(sxx - sx * sx / n, 0) end as beta_1y,
  case when n >= 120 then coalesce(b.code, 'equal_weighted_' || l.country) end as beta_market
from sums as s
join listings as l on l.id = s.id
left join benchmarks as b on b.country = l.country
