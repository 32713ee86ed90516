-- Inputs: instrument_steps, listing_spans, adjustment_factors, symbols, bars_corrected. Grain: symbol and ex-date. The steps of an instrument
-- under each of its symbols, as in the view factor_steps; symbols that no listing has are instruments of their own.
with limits as (
  select min(date) as first_day, max(date) as last_day from bars_corrected
), used as (
  select instrument_id as instrument, symbol, from_date, to_date from listing_spans
  union all
  select distinct f.symbol as instrument, f.symbol as symbol, l.first_day as from_date, l.last_day as to_date
  from adjustment_factors as f
  cross join limits as l
  where f.symbol not in (select symbol from symbols)
)
select
  u.symbol as symbol,
  greatest(s.from_date, u.from_date) as from_date,
  least(s.to_date, u.to_date + interval 1 day) as to_date,
  s.price_multiplier as price_multiplier,
  s.split_multiplier as split_multiplier
from used as u
join instrument_steps as s on s.instrument = u.instrument
where s.from_date <= u.to_date and s.to_date > u.from_date
