-- Daily bars with adjusted_close by the Yahoo/CRSP convention (splits and cash dividends) and split-adjusted OHLCV, computed here and now from raw bars and factors. An instrument's later actions reach back over the symbols that it wore before, and a reused symbol's companies know only their own. Bars that a vendor files under a symbol after its instrument took another stay as traded. Of a bar with basis split_adjusted_unknown the adjusted columns are null where a later split is applied: whether its prices are divided by that split already is not known.
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
