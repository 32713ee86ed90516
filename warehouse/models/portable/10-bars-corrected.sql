-- Inputs: bars, bar_corrections. Grain: symbol and session. Bars with the newest correction in place of a corrected row.
select b.symbol, b.date, b.open, b.high, b.low, b.close, b.volume, b.currency, b.basis, b.source, b.release_from, b.known_date
from bars as b
left join (select symbol as corrected_symbol, date as corrected_date from bar_corrections) as c
  on c.corrected_symbol = b.symbol and c.corrected_date = b.date
where c.corrected_symbol is null
union all
select symbol, date, open, high, low, close, volume, currency, basis, source, release_from, known_date
from bar_corrections
