-- Adjustment factors of an instrument's symbols whose ex-date has come.
select symbol, ex_date, split_numerator, split_denominator, cash_amount, price_factor, fx_rate_date, spinoff, source, known_from, raw_sha256
from adjustment_factors
where convention = 'yahoo_crsp' and ex_date <= $to::date
order by ex_date, symbol
