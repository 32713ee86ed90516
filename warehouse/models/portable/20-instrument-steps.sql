-- Inputs: adjustment_factors, listing_spans, bars_corrected. Grain: instrument and ex-date. For bars with from_date <= date < to_date, the
-- product of the factors of all later ex-dates. Products are sums of logarithms: no aggregate for products exists in every engine.
with limits as (
  select min(date) as first_day, max(date) as last_day from bars_corrected
), acting as (
  select
    coalesce(s.instrument_id, f.symbol) as instrument,
    f.ex_date as ex_date,
    sum(ln(f.price_factor)) as price_log,
    sum(ln(cast(f.split_denominator as double) / cast(f.split_numerator as double))) as split_log
  from adjustment_factors as f
  cross join limits as l
  left join listing_spans as s on s.symbol = f.symbol and s.from_date <= f.ex_date and s.to_date >= f.ex_date
  where f.convention = 'yahoo_crsp' and f.ex_date <= l.last_day
  group by coalesce(s.instrument_id, f.symbol), f.ex_date
), products as (
  select
    instrument,
    ex_date,
    exp(sum(price_log) over (partition by instrument order by ex_date desc rows between unbounded preceding and current row)) as price_multiplier,
    exp(sum(split_log) over (partition by instrument order by ex_date desc rows between unbounded preceding and current row)) as split_multiplier,
    max(ex_date) over (partition by instrument order by ex_date rows between 1 preceding and 1 preceding) as earlier
  from acting
)
select
  p.instrument as instrument,
  coalesce(p.earlier, l.first_day) as from_date,
  p.ex_date as to_date,
  p.price_multiplier as price_multiplier,
  p.split_multiplier as split_multiplier
from products as p
cross join limits as l
