-- The last close of each symbol between two days with its basis; a correction replaces the bar that it corrects.
with corrected as (
  select symbol, date, close, basis, source, known_from, raw_sha256
  from bars
  where date between $from::date and $to::date
    and not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
  union all
  select symbol, date, close, basis, source, known_from, raw_sha256
  from bar_corrections
  where date between $from::date and $to::date
)
select symbol, date, close, basis, source, known_from, raw_sha256
from corrected
qualify row_number() over (partition by symbol order by date desc) = 1
order by symbol
