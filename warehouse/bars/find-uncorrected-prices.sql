-- Daily bars of an instrument's symbols, in any order, where none of them was corrected: what an answer prints of them.
select date, open, high, low, close, volume, currency, basis, source, epoch_us(known_from) as known_us, symbol
from bars
where date between $from::date and $to::date
