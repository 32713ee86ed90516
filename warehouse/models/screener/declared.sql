-- Inputs: corporate_actions, spans. Grain: listing with a dividend. The currency in which the last dividend was declared, and the
-- next ex-date that is known already; where sources differ, the first by name.
with own as (
  select s.id, a.ex_date, a.currency, a.source_name
  from corporate_actions as a
  join spans as s on s.symbol = a.symbol and a.ex_date between s.from_date and s.to_date
  where a.kind in ('dividend', 'special_dividend') and not a.cancelled and a.ex_date >= $oldest::date
)
select
  id,
  arg_min(currency, (-epoch(ex_date), source_name)) filter (ex_date <= $date::date) as dividend_currency,
  min(ex_date) filter (ex_date > $date::date) as next_ex_date
from own
group by id
