-- Daily bars of an instrument's symbols and their corrections, in any order: the columns that an answer prints.
select date, open, high, low, close, volume, currency, basis, source, epoch_us(known_from) as known_us, symbol, false as corrected
from bars
where date between $from::date and $to::date
union all
select date, open, high, low, close, volume, currency, basis, source, epoch_us(known_from) as known_us, symbol, true as corrected
from bar_corrections
where date between $from::date and $to::date
