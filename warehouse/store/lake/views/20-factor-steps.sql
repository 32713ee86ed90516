-- Cumulative adjustment factors: for bars under symbol with from_date <= date < to_date, price_multiplier (splits and cash, Yahoo/CRSP) and split_multiplier (splits only), over the instrument's later actions under any of its symbols. Bars without later actions have no row.
with acting as (
  select
    coalesce(s.instrument_id, f.symbol) as instrument,
    f.ex_date,
    product(f.price_factor) as price_factor,
    product(try_cast(f.split_denominator_printed as double) / try_cast(f.split_numerator_printed as double)) as split_factor
  from adjustment_factors as f
  left join listing_spans as s on s.symbol = f.symbol and f.ex_date between s.from_date and s.to_date
  where f.convention = 'yahoo_crsp' and f.ex_date <= newest_bar_date()
  group by all
), products as (
  select
    instrument,
    ex_date,
    product(price_factor) over later as price_multiplier,
    product(split_factor) over later as split_multiplier
  from acting
  window later as (partition by instrument order by ex_date desc rows between unbounded preceding and current row)
), steps as (
  select
    instrument,
    coalesce(lag(ex_date) over (partition by instrument order by ex_date), date '0001-01-01') as from_date,
    ex_date as to_date,
    price_multiplier,
    split_multiplier
  from products
), worn as (
  select instrument_id as instrument, symbol, from_date, to_date from listing_spans
  union all
  select distinct symbol, symbol, date '0001-01-01', date '9999-12-31'
  from adjustment_factors
  where symbol not in (select symbol from symbols)
)
select
  w.symbol,
  greatest(s.from_date, w.from_date) as from_date,
  least(s.to_date, case when w.to_date = date '9999-12-31' then s.to_date else w.to_date + 1 end) as to_date,
  s.price_multiplier,
  s.split_multiplier
from worn as w
join steps as s on s.instrument = w.instrument and s.from_date <= w.to_date and s.to_date > w.from_date
