-- The factors of the ex-dates: which actions are in each, and the close and the rate that it was made with.
select symbol, ex_date, price_factor, previous_close, previous_close_date, fx_rate, fx_rate_date, actions, source, known_from, raw_sha256
from adjustment_factors
where convention = 'yahoo_crsp' and ex_date between $from::date and $to::date
order by ex_date desc, symbol
