-- The two newest bars of each symbol, of those from $since on.
with corrected as (
  select symbol, date, open, high, low, close, volume, currency, basis, source, known_from, raw_sha256
  from bars
  where date >= $since::date
    and not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
  union all
  select symbol, date, open, high, low, close, volume, currency, basis, source, known_from, raw_sha256
  from bar_corrections
  where date >= $since::date
)
select *
from corrected
qualify row_number() over (partition by symbol order by date desc) <= 2
order by symbol, date desc
