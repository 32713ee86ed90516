-- The newest day of some symbols, from $since on, whose bar was divided by splits that are not all known; a correction replaces its bar.
with told as (
  select symbol, date, basis, 0 as place
  from bars
  where date >= $since::date and basis = 'split_adjusted_unknown'
  union all
  select symbol, date, basis, 1 as place
  from bar_corrections
  where date >= $since::date
), standing as (
  select symbol, date, arg_max(basis, place) as basis
  from told
  group by symbol, date
)
select symbol, max(date) as date
from standing
where basis = 'split_adjusted_unknown'
group by symbol
order by symbol
