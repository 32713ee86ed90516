-- Inputs: days. Grain: listing. Averages, extremes and oscillators on prices adjusted for splits, in the listing's currency.
-- Sums are of decimals, so that no order of addition changes a digit. Wilder's averages start with the mean of the first 14 of the
-- window and weigh what is n sessions old by (13/14)^n / 14.
with weighed as (
  select
    *,
    split_close - previous_close as change,
    greatest(split_high - split_low, abs(split_high - previous_close), abs(split_low - previous_close)) as true_range,
    pow(13.0 / 14.0, case when age <= 15 then days - 15 else days - age end) / 14.0 as weight
  from days
), measured as (
  select
    id,
    any_value(days) as days,
    any_value(last_date) as last_date,
    arg_min(split_close, place) as close,
    sum(try_cast(split_close as decimal(28, 9))) filter (place <= 20)::double / 20 as sma20,
    sum(try_cast(split_close as decimal(28, 9))) filter (place <= 50)::double / 50 as sma50,
    sum(try_cast(split_close as decimal(28, 9))) filter (place <= 200)::double / 200 as sma200,
    sum(try_cast(greatest(change, 0) * weight as decimal(38, 18))) filter (age > 1)::double as gain,
    sum(try_cast(greatest(-change, 0) * weight as decimal(38, 18))) filter (age > 1)::double as loss,
    sum(try_cast(true_range * weight as decimal(38, 18))) filter (age > 1)::double as atr,
    max(split_high) filter (date > year_start) as high_52w,
    arg_max(date, (split_high, date)) filter (date > year_start) as high_52w_date,
    min(split_low) filter (date > year_start) as low_52w,
    arg_min(date, (split_low, -epoch(date))) filter (date > year_start) as low_52w_date,
    min(date) as first_date
  from weighed
  group by id
)
select
  id,
  case when days >= 20 then sma20 end as sma20,
  case when days >= 50 then sma50 end as sma50,
  case when days >= 200 then sma200 end as sma200,
  case when days >= 20 then (close / sma20 - 1) * 100 end as sma20_distance_pct,
  case when days >= 50 then (close / sma50 - 1) * 100 end as sma50_distance_pct,
  case when days >= 200 then (close / sma200 - 1) * 100 end as sma200_distance_pct,
  case when days > 14 then case when gain + loss = 0 then 50 else 100 * gain / (gain + loss) end end as rsi14,
  case when days > 14 then atr end as atr14,
  case when days > 14 then atr / close * 100 end as atr14_pct,
  high_52w,
  high_52w_date,
  low_52w,
  low_52w_date,
  (close / high_52w - 1) * 100 as high_52w_distance_pct,
  (close / low_52w - 1) * 100 as low_52w_distance_pct
from measured
