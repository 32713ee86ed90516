-- The symbols of each exchange in which most money was traded from $since on, most first.
with recent as (
  select symbol, close * volume as money,
    case when symbol like '%.TO' then 'TO' when symbol like '%.V' then 'V' else 'US' end as exchange
  from bars
  where date >= $since::date and volume is not null
), ranked as (
  select symbol, exchange, sum(money) as money, row_number() over (partition by exchange order by sum(money) desc, symbol) as place
  from recent
  group by symbol, exchange
)
select symbol, exchange
from ranked
where place <= case exchange when 'US' then $us when 'TO' then $toronto else $venture end
order by place, exchange
