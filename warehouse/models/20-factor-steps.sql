-- Cumulative adjustment factors: for bars with from_date <= date < to_date, price_multiplier (splits and cash, Yahoo/CRSP) and split_multiplier (splits alone). Symbols without actions have no row.
with own as (
  select symbol, ex_date, price_factor, try_cast(split_denominator as double) / try_cast(split_numerator as double) as split_factor
  from adjustment_factors
  where convention = 'yahoo_crsp' and ex_date <= (select max(date) from bars)
), products as (
  select
    symbol,
    ex_date,
    product(price_factor) over later as price_multiplier,
    product(split_factor) over later as split_multiplier
  from own
  window later as (partition by symbol order by ex_date desc rows between unbounded preceding and current row)
)
select
  symbol,
  coalesce(lag(ex_date) over (partition by symbol order by ex_date), date '0001-01-01') as from_date,
  ex_date as to_date,
  price_multiplier,
  split_multiplier
from products
