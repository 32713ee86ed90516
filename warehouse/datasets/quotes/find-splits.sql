-- Splits of some listings with an ex-date from $since on, newest version of each.
select symbol, ex_date, split_numerator, split_denominator, cash_amount, price_factor, fx_rate_date, spinoff, source, known_from, raw_sha256
from adjustment_factors
where ex_date >= $since::date and split_numerator <> split_denominator
order by symbol, ex_date
