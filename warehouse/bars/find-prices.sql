-- Daily bars of an instrument's symbols and the corrections beside them, in any order: what an answer prints of them.
select date, open, high, low, close, volume, currency, source, known_from, symbol, false as corrected
from bars
where date between $from::date and $to::date
union all
select date, open, high, low, close, volume, currency, source, known_from, symbol, true as corrected
from bar_corrections
where date between $from::date and $to::date
