-- Inputs: found_bars, steps. Grain: listing and session. Of a day on which two symbols of a listing have a bar, that of the symbol
-- worn last. adjusted_close is for splits and cash (warehouse/prices/adjust.ts gave the steps), split_* for splits alone.
-- A bar that its source divided by splits that are not all known has no price and volume as traded (null); in the adjusted columns only
-- splits after the day of its retrieval are applied to it, and cash as its share of the price.
with one_a_day as (
  select * from found_bars where single
  union all
  select * from found_bars where not single
  qualify row_number() over (partition by id, date order by place desc) = 1
)
select
  b.id,
  b.date,
  b.basis,
  case when b.divided_until is null then b.close end as close,
  case when b.divided_until is null or b.volume = 0 then b.volume end as volume,
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
  from (select * from one_a_day where id in (select id from steps) and divided_until is null) as o
  asof left join steps as s on s.id = o.id and o.date < s.to_date
  union all by name
  select
    o.*,
    coalesce(s.price_multiplier / s.split_multiplier, 1) * coalesce(u.split_multiplier, 1) as price_multiplier,
    coalesce(u.split_multiplier, 1) as split_multiplier
  from (select * from one_a_day where id in (select id from steps) and divided_until is not null) as o
  asof left join steps as s on s.id = o.id and o.date < s.to_date
  asof left join steps as u on u.id = o.id and o.divided_until < u.to_date
) as b
where b.close > 0
