-- Cash paid to shares, each distribution once: the applied actions of kind dividend, special_dividend, return_of_capital and capital_gain, in the wording of one source. Repeated, held, cancelled and future actions are only in corporate_actions. amount: gross per share as declared, in currency; amount_in_price_currency: at the rate of the last day before the ex-date, if it was declared in another currency than the price; amount_split_adjusted: per share of today (null if the source divided it by splits that are not all known).
select
  a.symbol,
  a.ex_date,
  a.kind,
  a.amount,
  a.amount_printed,
  a.currency,
  case when a.currency is distinct from f.price_currency and f.fx_rate is not null then (a.amount * f.fx_rate)::decimal(38, 10) else a.amount end as amount_in_price_currency,
  f.price_currency,
  f.fx_rate,
  f.fx_rate_date,
  case when a.amount_basis <> 'split_adjusted_unknown' then a.amount * coalesce(s.split_multiplier, 1) end as amount_split_adjusted,
  a.amount_basis,
  a.record_date,
  a.pay_date,
  a.declared_date,
  a.source_name,
  a.known_from,
  a.release_from
from corporate_actions as a
join action_verdicts as v using (symbol, kind, ex_date, sequence, source_name)
left join (
  select f.symbol, f.ex_date, f.fx_rate, f.fx_rate_date, b.currency as price_currency
  from adjustment_factors as f
  left join (select symbol, arg_max(currency, date) as currency from bars group by symbol) as b using (symbol)
  where f.convention = 'yahoo_crsp'
) as f on f.symbol = a.symbol and f.ex_date = a.ex_date
left join factor_steps as s
  on s.symbol = a.symbol
  and case when a.amount_basis = 'pre_split' then a.ex_date - 1 else a.ex_date end >= s.from_date
  and case when a.amount_basis = 'pre_split' then a.ex_date - 1 else a.ex_date end < s.to_date
where v.status = 'applied' and not a.cancelled and a.kind in ('dividend', 'special_dividend', 'return_of_capital', 'capital_gain')
