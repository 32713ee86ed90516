-- Daily bars of an instrument's symbols; a correction replaces the bar that it corrects.
select symbol, date, open, high, low, close, volume, currency, basis, source, known_from, raw_sha256
from bars
where date between $from::date and $to::date
  and not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
union all
select symbol, date, open, high, low, close, volume, currency, basis, source, known_from, raw_sha256
from bar_corrections
where date between $from::date and $to::date
order by date, symbol
