-- Inputs: days. Grain: listing. As screener/liquidity.sql.
select
  code,
  case when count(case when place <= 20 then split_volume end) >= 20
    then sum(case when place <= 20 then round(split_volume, 6) end) / 20 end as avg_volume_20d,
  case when count(case when place <= 90 then split_volume end) >= 90
    then sum(case when place <= 90 then round(split_volume, 6) end) / 90 end as avg_volume_90d,
  case when count(case when place <= 20 then volume end) >= 20
    then sum(case when place <= 20 then round(close * volume, 6) end) / 20 end as dollar_volume_20d,
  count(case when place <= 90 and volume = 0 then 1 end) as zero_volume_days_90d,
  case when count(case when place <= 21 and basis = 'split_adjusted_unknown' then 1 end) = 0
    then max(case when place = 1 then volume end) / nullif(cast(sum(case when place between 2 and 21 then volume end) as double) / 20, 0e0) end as relative_volume
from days
group by code
