-- Inputs: adjustment_factors. Grain: symbol and ex-date. The factors that hold, of the days that the screen looks back on.
select symbol, ex_date, split_numerator, split_denominator, cash_amount, price_factor, spinoff
from adjustment_factors
where convention = 'yahoo_crsp' and ex_date between $from::date and $to::date
order by symbol, ex_date
