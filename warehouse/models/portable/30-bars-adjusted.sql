-- Inputs: bars_corrected, factor_steps. Grain: symbol and session. The same columns and rules as the view bars_adjusted.
with factored as (
  select
    b.symbol as symbol, b.date as date, b.open as open, b.high as high, b.low as low, b.close as close, b.volume as volume,
    b.currency as currency, b.basis as basis, b.source as source, b.release_from as release_from,
    case when b.basis <> 'split_adjusted_unknown' or coalesce(f.split_multiplier, 1e0) = 1e0 then coalesce(f.price_multiplier, 1e0) end as price_multiplier,
    case when b.basis <> 'split_adjusted_unknown' or coalesce(f.split_multiplier, 1e0) = 1e0 then coalesce(f.split_multiplier, 1e0) end as split_multiplier
  from bars_corrected as b
  left join factor_steps as f on f.symbol = b.symbol and f.from_date <= b.date and f.to_date > b.date
)
select
  symbol, date, open, high, low, close, volume, currency, basis,
  close * price_multiplier as adjusted_close,
  open * split_multiplier as split_open,
  high * split_multiplier as split_high,
  low * split_multiplier as split_low,
  close * split_multiplier as split_close,
  volume / split_multiplier as split_volume,
  source,
  release_from
from factored
