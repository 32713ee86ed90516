-- Daily bars with adjusted_close by the Yahoo/CRSP convention (splits and cash dividends) and split-adjusted OHLCV, computed here and now from raw bars and factors. An instrument's later actions reach back over the symbols that it wore before, and a reused symbol's companies know only their own. Bars that a vendor files under a symbol after its instrument took another stay as traded.
select
  b.symbol,
  b.date,
  b.open,
  b.high,
  b.low,
  b.close,
  b.volume,
  b.currency,
  b.close * coalesce(f.price_multiplier, 1) as adjusted_close,
  b.open * coalesce(f.split_multiplier, 1) as split_open,
  b.high * coalesce(f.split_multiplier, 1) as split_high,
  b.low * coalesce(f.split_multiplier, 1) as split_low,
  b.close * coalesce(f.split_multiplier, 1) as split_close,
  b.volume / coalesce(f.split_multiplier, 1) as split_volume,
  b.source,
  b.release_from
from bars_corrected as b
left join factor_steps as f on f.symbol = b.symbol and b.date >= f.from_date and b.date < f.to_date
