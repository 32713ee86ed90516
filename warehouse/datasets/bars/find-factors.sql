-- Every version of the adjustment factors of an instrument's symbols whose ex-date has passed; of each the newest one applies.
select
  symbol,
  ex_date,
  split_numerator,
  split_denominator,
  cash_amount,
  price_factor,
  fx_rate_date,
  spinoff,
  source,
  known_from,
  raw_sha256,
  withdrawn,
  release_from
from adjustment_factors_history
where convention = 'yahoo_crsp' and ex_date <= $to::date
