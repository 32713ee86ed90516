-- Daily bars with adjusted_close by the Yahoo/CRSP convention (splits and cash dividends) and split-adjusted OHLCV, computed by the query from raw bars and factors. An instrument's later actions also apply to bars under its earlier symbols; each company of a reused symbol has only its own actions. Bars that a vendor files under a symbol after its instrument took another stay as traded. For a bar with basis split_adjusted_unknown the adjusted columns are null if a later split applies, because its prices may already be divided by that split.
with factored as (
  select
    b.*,
    b.basis <> 'split_adjusted_unknown' or coalesce(f.split_multiplier, 1) = 1 as is_clear,
    case when is_clear then coalesce(f.price_multiplier, 1) end as price_multiplier,
    case when is_clear then coalesce(f.split_multiplier, 1) end as split_multiplier
  from bars_corrected as b
  left join factor_steps as f on f.symbol = b.symbol and b.date >= f.from_date and b.date < f.to_date
)
select
  symbol,
  date,
  open,
  high,
  low,
  close,
  volume,
  currency,
  basis,
  close * price_multiplier as adjusted_close,
  open * split_multiplier as split_open,
  high * split_multiplier as split_high,
  low * split_multiplier as split_low,
  close * split_multiplier as split_close,
  volume / split_multiplier as split_volume,
  source,
  release_from
from factored
