-- Bars and actions under a symbol, assigned to instruments: each listing covers the days from the day after the symbol's earlier listing to its own end, so no day of a symbol is in two spans. A reused symbol has a span for each of its instruments; a renamed instrument has a span for each of its symbols. To chain an instrument's history, join by symbol and by date between from_date and to_date.
with neighbours as (
  select
    instrument_id,
    symbol,
    valid_from,
    valid_to,
    lag(valid_from) over by_symbol is not null as has_earlier,
    lag(valid_to) over by_symbol as earlier_to,
    lead(valid_from) over by_symbol as later_from,
    lead(valid_from) over (partition by instrument_id order by valid_from) is not null as was_renamed
  from symbols
  window by_symbol as (partition by symbol order by valid_from)
)
select
  instrument_id,
  symbol,
  case
    when not has_earlier then date '0001-01-01'
    when earlier_to < valid_from then earlier_to + 1
    else valid_from
  end as from_date,
  case
    when later_from is not null then least(coalesce(valid_to, later_from - 1), later_from - 1)
    when was_renamed and valid_to is not null then valid_to
    else date '9999-12-31'
  end as to_date
from neighbours
