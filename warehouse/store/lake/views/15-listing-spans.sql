-- Bars and actions under a symbol, assigned to instruments: each listing covers the days from the end of the symbol's earlier listing to the start of its next one. A reused symbol has a span for each of its instruments; a renamed instrument has a span for each of its symbols. To chain an instrument's history, join by symbol and by date between from_date and to_date.
with wearers as (
  select
    instrument_id,
    symbol,
    valid_from,
    valid_to,
    lag(coalesce(valid_to, lead_from)) over by_symbol as earlier_to,
    lag(valid_from) over by_symbol is not null as has_earlier,
    lead(valid_from) over by_symbol as later_from,
    lead(valid_from) over (partition by instrument_id order by valid_from) is not null as was_renamed
  from (select *, lead(valid_from) over (partition by symbol order by valid_from) as lead_from from symbols)
  window by_symbol as (partition by symbol order by valid_from)
)
select
  instrument_id,
  symbol,
  case when has_earlier then earlier_to + 1 else date '0001-01-01' end as from_date,
  case when later_from is not null then later_from - 1 when was_renamed and valid_to is not null then valid_to else date '9999-12-31' end as to_date
from wearers
