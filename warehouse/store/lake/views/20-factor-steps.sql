-- Cumulative adjustment factors: for bars under symbol with from_date <= date < to_date, price_multiplier (splits and cash, Yahoo/CRSP) and split_multiplier (splits only), over the instrument's later actions under any of its symbols. Bars without later actions have no row.
with factors as materialized (
  select
    symbol,
    ex_date,
    price_factor,
    try_cast(split_denominator_printed as double) / try_cast(split_numerator_printed as double) as split_factor
  from adjustment_factors
  where convention = 'yahoo_crsp' and ex_date <= newest_bar_date()
), acting as (
  select
    coalesce(s.instrument_id, f.symbol) as instrument,
    f.ex_date,
    product(f.price_factor) as price_factor,
    product(f.split_factor) as split_factor
  from factors as f
  left join listing_spans as s on s.symbol = f.symbol and f.ex_date between s.from_date and s.to_date
  group by all
), steps as (
  select
    instrument,
    coalesce(lead(ex_date) over later, date '0001-01-01') as from_date,
    ex_date as to_date,
    product(price_factor) over (later rows between unbounded preceding and current row) as price_multiplier,
    product(split_factor) over (later rows between unbounded preceding and current row) as split_multiplier
  from acting
  window later as (partition by instrument order by ex_date desc)
), used as (
  select instrument_id as instrument, symbol, from_date, to_date from listing_spans
  union all
  select distinct symbol, symbol, date '0001-01-01', date '9999-12-31'
  from factors
  where symbol not in (select symbol from symbols)
)
select
  u.symbol,
  greatest(s.from_date, u.from_date) as from_date,
  least(s.to_date, case when u.to_date = date '9999-12-31' then s.to_date else u.to_date + 1 end) as to_date,
  s.price_multiplier,
  s.split_multiplier
from used as u
join steps as s on s.instrument = u.instrument and s.from_date <= u.to_date and s.to_date > u.from_date
