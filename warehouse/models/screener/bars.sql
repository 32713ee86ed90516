-- Inputs: bars, bar_corrections, spans. Grain: listing, symbol and session. The bars of one bucket's listings, a correction in
-- place of the bar that it corrects, with what its prices are and, where they were divided by splits that are not all known, up to which day.
with corrected as (
  select symbol, date, open, high, low, close, volume, currency, basis, known_from
  from bars
  where date between $oldest::date and $date::date
    and symbol between $first and $last
    and not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
  union all
  select symbol, date, open, high, low, close, volume, currency, basis, known_from
  from bar_corrections
  where date between $oldest::date and $date::date and symbol between $first and $last
)
select
  s.id,
  s.place,
  s.single,
  c.* exclude (symbol, known_from),
  case when c.basis = 'split_adjusted_unknown' then (c.known_from at time zone 'America/New_York')::date end as divided_until
from corrected as c
join spans as s on s.symbol = c.symbol and c.date between s.from_date and s.to_date
where s.bucket = $bucket
