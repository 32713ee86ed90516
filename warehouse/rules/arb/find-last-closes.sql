-- The newest daily bar of some lines since a day; a correction replaces the bar that it corrects. A line has no close if its newest bar was
-- divided by splits that are not all known: the figure is then not a price that was paid.
with recent as (
  select symbol, date, close, volume, currency, basis, source, known_from, raw_sha256, 0 as corrected
  from bars
  where date between $since::date and $until::date
  union all
  select symbol, date, close, volume, currency, basis, source, known_from, raw_sha256, 1 as corrected
  from bar_corrections
  where date between $since::date and $until::date
), newest as (
  select *
  from recent
  qualify row_number() over (partition by symbol order by date desc, corrected desc) = 1
)
select symbol, date, close, currency, source, known_from, raw_sha256
from newest
where basis is distinct from 'split_adjusted_unknown'
order by symbol
