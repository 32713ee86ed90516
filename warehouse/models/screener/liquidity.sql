-- Inputs: days. Grain: listing. Volume in shares of today (adjusted for splits), turnover in the listing's currency: the mean of
-- close times volume as traded, null where one of these bars is not as traded.
select
  id,
  case when count(split_volume) filter (place <= 20) >= 20
    then sum(try_cast(split_volume as decimal(28, 6))) filter (place <= 20)::double / 20 end as avg_volume_20d,
  case when count(split_volume) filter (place <= 90) >= 90
    then sum(try_cast(split_volume as decimal(28, 6))) filter (place <= 90)::double / 90 end as avg_volume_90d,
  case when count(volume) filter (place <= 20) >= 20
    then sum(try_cast(close * volume as decimal(38, 6))) filter (place <= 20)::double / 20 end as dollar_volume_20d,
  count(*) filter (place <= 90 and volume = 0) as zero_volume_days_90d,
  case when count(*) filter (place <= 21 and basis = 'split_adjusted_unknown') = 0
    then max(volume) filter (place = 1) / nullif(sum(volume) filter (place between 2 and 21)::double / 20, 0) end as relative_volume
from days
group by id
