-- Inputs: symbols, bars_corrected. Grain: listing. The days on which bars and actions under a symbol belong to an instrument, as in the view
-- listing_spans. An open end is the first or last day of any bar, because the engines differ in the oldest day that they can hold. place
-- counts the symbols of an instrument, oldest first.
with limits as (
  select min(date) as first_day, max(date) as last_day from bars_corrected
), numbered as (
  select
    instrument_id,
    symbol,
    valid_from,
    valid_to,
    row_number() over (partition by symbol order by valid_from) as turn,
    row_number() over (partition by instrument_id order by valid_from) as place,
    count(*) over (partition by instrument_id) as names
  from symbols
)
select
  n.instrument_id as instrument_id,
  n.symbol as symbol,
  n.place as place,
  case
    when e.symbol is null then l.first_day
    when e.valid_to < n.valid_from then e.valid_to + interval 1 day
    else n.valid_from
  end as from_date,
  case
    when a.symbol is not null and n.valid_to < a.valid_from - interval 1 day then n.valid_to
    when a.symbol is not null then a.valid_from - interval 1 day
    when n.place < n.names and n.valid_to is not null then n.valid_to
    else l.last_day
  end as to_date
from numbered as n
cross join limits as l
left join numbered as e on e.symbol = n.symbol and e.turn + 1 = n.turn
left join numbered as a on a.symbol = n.symbol and a.turn - 1 = n.turn
