-- Corporate actions that are in prices, each once, in the wording of one source: splits, stock dividends, spin-offs and cash. Repeated, held, cancelled and future reports are only in corporate_actions. All actions of an ex-date share one factor: bars before it are multiplied by price_factor (adjusted close) and by split_factor (split-adjusted).
select
  a.symbol,
  a.ex_date,
  a.kind,
  a.sequence,
  a.numerator,
  a.numerator_printed,
  a.denominator,
  a.denominator_printed,
  a.amount,
  a.amount_printed,
  a.currency,
  a.amount_basis,
  f.price_factor,
  try_cast(f.split_denominator_printed as double) / try_cast(f.split_numerator_printed as double) as split_factor,
  f.previous_close,
  f.previous_close_date,
  a.record_date,
  a.pay_date,
  a.declared_date,
  a.source_name,
  a.known_from,
  a.release_from
from corporate_actions as a
join action_verdicts as v using (symbol, kind, ex_date, sequence, source_name)
left join adjustment_factors as f on f.symbol = a.symbol and f.ex_date = a.ex_date and f.convention = 'yahoo_crsp'
where v.status = 'applied' and not a.cancelled
