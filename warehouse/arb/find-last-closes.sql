-- The newest daily bar of some lines since a day, a correction in place of the bar that it corrects.
with recent as (
  select symbol, date, close, volume, currency, source, known_from, raw_sha256, 0 as corrected
  from bars
  where date between $since::date and $until::date
  union all
  select symbol, date, close, volume, currency, source, known_from, raw_sha256, 1 as corrected
  from bar_corrections
  where date between $since::date and $until::date
)
select symbol, date, close, currency, source, known_from, raw_sha256
from recent
qualify row_number() over (partition by symbol order by date desc, corrected desc) = 1
order by symbol
