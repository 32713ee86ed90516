-- Inputs: actions, prices. Grain: listing with an action. Cash per share of today in the currency of the price, as the adjustment
-- factors hold it (special dividends and returns of capital are cash; a spun-off share is not), by ex-date.
select
  a.id,
  sum(try_cast(cash as decimal(28, 9))) filter (ex_date > p.session_date - interval 1 year)::double as dividend_ttm,
  sum(try_cast(cash as decimal(28, 9))) filter (ex_date <= p.session_date - interval 1 year and ex_date > p.session_date - interval 2 year)::double as dividend_before,
  count(cash) filter (ex_date > p.session_date - interval 1 year) as dividends_1y,
  max(ex_date) filter (cash is not null) as last_ex_date,
  arg_max(cash, ex_date) filter (cash is not null) as last_dividend,
  max(ex_date) filter (split is not null) as last_split_date,
  arg_max(split, ex_date) filter (split is not null) as last_split_ratio
from actions as a
join prices as p on p.id = a.id
where a.ex_date <= p.session_date
group by a.id
