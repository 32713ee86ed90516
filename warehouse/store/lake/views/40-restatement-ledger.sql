-- The restatement ledger: every version of every adjustment factor, newest release first. It shows which actions changed the adjusted closes of which bars (those before ex_date), by which factor, since which release, and when that was known.
select
  symbol,
  ex_date,
  price_factor,
  split_numerator,
  split_denominator,
  cash_amount,
  fx_rate,
  fx_rate_date,
  previous_close,
  previous_close_date,
  actions,
  reason,
  withdrawn,
  known_from,
  known_basis,
  release_from
from adjustment_factors_history
where convention = 'yahoo_crsp'
order by release_from desc, symbol, ex_date desc
