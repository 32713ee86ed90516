-- Inputs: days. Grain: listing. As screener/trend.sql. The digits that are rounded here are those of the decimals that it adds up.
with weighed as (
  select
    *,
    split_close - previous_close as change,
    greatest(split_high - split_low, abs(split_high - previous_close), abs(split_low - previous_close)) as true_range,
    power(13e0 / 14e0, case when age <= 15 then days - 15 else days - age end) / 14e0 as weight
  from days
), extremes as (
  select
    *,
    case when date > year_start then row_number() over (partition by code order by case when date > year_start then 0 else 1 end, split_high desc, date desc) end as high_place,
    case when date > year_start then row_number() over (partition by code order by case when date > year_start then 0 else 1 end, split_low, date desc) end as low_place
  from weighed
), measured as (
  select
    code,
    max(days) as days,
    max(case when place = 1 then split_close end) as close,
    sum(case when place <= 20 then round(split_close, 9) end) / 20 as sma20,
    sum(case when place <= 50 then round(split_close, 9) end) / 50 as sma50,
    sum(case when place <= 200 then round(split_close, 9) end) / 200 as sma200,
    sum(case when age > 1 then greatest(change, 0e0) * weight end) as gain,
    sum(case when age > 1 then greatest(-change, 0e0) * weight end) as loss,
    sum(case when age > 1 then true_range * weight end) as atr,
    max(case when high_place = 1 then split_high end) as high_52w,
    max(case when high_place = 1 then date end) as high_52w_date,
    max(case when low_place = 1 then split_low end) as low_52w,
    max(case when low_place = 1 then date end) as low_52w_date
  from extremes
  group by code
)
select
  code,
  case when days >= 20 then sma20 end as sma20,
  case when days >= 50 then sma50 end as sma50,
  case when days >= 200 then sma200 end as sma200,
  case when days >= 20 then (close / sma20 - 1) * 100 end as sma20_distance_pct,
  case when days >= 50 then (close / sma50 - 1) * 100 end as sma50_distance_pct,
  case when days >= 200 then (close / sma200 - 1) * 100 end as sma200_distance_pct,
  case when days > 14 then case when gain + loss = 0 then 50e0 else 100 * gain / (gain + loss) end end as rsi14,
  case when days > 14 then atr end as atr14,
  case when days > 14 then atr / close * 100 end as atr14_pct,
  high_52w,
  high_52w_date,
  low_52w,
  low_52w_date,
  (close / high_52w - 1) * 100 as high_52w_distance_pct,
  (close / low_52w - 1) * 100 as low_52w_distance_pct
from measured
