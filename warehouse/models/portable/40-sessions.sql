-- Inputs: symbols, listing_spans, bars_corrected, instrument_steps, bars. Grain: current listing and session, of five years and three weeks.
-- What screener/bars.sql and screener/adjusted.sql compute: of a day on which two symbols of a listing have a bar, that of its newest
-- symbol; a bar that its source divided by splits that are not all known has no price as traded, and in the adjusted columns only the splits
-- after the day of its retrieval are applied to it, and cash as its share of the price.
with listings as (
  select distinct symbol as code, instrument_id from symbols where valid_to is null
), newest as (
  select max(date) as last_day from bars
), found as (
  select
    l.code as code, s.instrument_id as instrument_id, b.date as date, b.open as open, b.high as high, b.low as low, b.close as close,
    b.volume as volume, b.currency as currency, b.basis as basis,
    case when b.basis = 'split_adjusted_unknown' then b.known_date end as divided_until,
    row_number() over (partition by l.code, b.date order by s.place desc) as turn
  from listings as l
  join listing_spans as s on s.instrument_id = l.instrument_id
  join bars_corrected as b on b.symbol = s.symbol
  cross join newest as n
  where b.date between s.from_date and s.to_date and b.date between n.last_day - interval 1851 day and n.last_day
), multiplied as (
  select
    f.code as code, f.date as date, f.open as open, f.high as high, f.low as low, f.close as close, f.volume as volume,
    f.currency as currency, f.basis as basis, f.divided_until as divided_until,
    case
      when f.divided_until is null then coalesce(s.price_multiplier, 1e0)
      else coalesce(s.price_multiplier / s.split_multiplier, 1e0) * coalesce(u.split_multiplier, 1e0)
    end as price_multiplier,
    case when f.divided_until is null then coalesce(s.split_multiplier, 1e0) else coalesce(u.split_multiplier, 1e0) end as split_multiplier
  from found as f
  left join instrument_steps as s on s.instrument = f.instrument_id and s.from_date <= f.date and s.to_date > f.date
  left join instrument_steps as u on u.instrument = f.instrument_id and u.from_date <= f.divided_until and u.to_date > f.divided_until
  where f.turn = 1
)
select
  code, date, basis, currency,
  case when divided_until is null then close end as close,
  case when divided_until is null or volume = 0 then volume end as volume,
  close * price_multiplier as adjusted_close,
  open * split_multiplier as split_open,
  coalesce(high, close) * split_multiplier as split_high,
  coalesce(low, close) * split_multiplier as split_low,
  close * split_multiplier as split_close,
  volume / split_multiplier as split_volume
from multiplied
where close > 0
