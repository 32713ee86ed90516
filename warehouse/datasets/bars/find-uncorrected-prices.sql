-- Daily bars of an instrument's symbols without corrections, in any order: the columns that an answer prints.
select date, open, high, low, close, volume, currency, basis, source, epoch_us(known_from) as known_us, symbol
from bars
where date between $from::date and $to::date
