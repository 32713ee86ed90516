-- Inputs: found_bars, steps. Grain: listing and session. Of a day on which two symbols of a listing have a bar, that of the symbol
-- worn last. adjusted_close is for splits and cash (warehouse/prices/adjust.ts gave the steps), split_* for splits alone.
with one_a_day as (
  select * from found_bars where single
  union all
  select * from found_bars where not single
  qualify row_number() over (partition by id, date order by place desc) = 1
)
select
  b.id,
  b.date,
  b.close,
  b.volume,
  b.currency,
  b.close * coalesce(b.price_multiplier, 1) as adjusted_close,
  b.open * coalesce(b.split_multiplier, 1) as split_open,
  coalesce(b.high, b.close) * coalesce(b.split_multiplier, 1) as split_high,
  coalesce(b.low, b.close) * coalesce(b.split_multiplier, 1) as split_low,
  b.close * coalesce(b.split_multiplier, 1) as split_close,
  b.volume / coalesce(b.split_multiplier, 1) as split_volume
from (
  select *, null::double as price_multiplier, null::double as split_multiplier
  from one_a_day
  where id not in (select id from steps)
  union all by name
  select o.*, s.price_multiplier, s.split_multiplier
  from (select * from one_a_day where id in (select id from steps)) as o
  asof left join steps as s on s.id = o.id and o.date < s.to_date
) as b
where b.close > 0
