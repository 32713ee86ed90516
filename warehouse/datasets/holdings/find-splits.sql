-- Splits of some symbols with an ex-date after one day and up to another, as they were known.
select symbol, ex_date, split_numerator, split_denominator, source, known_from, raw_sha256
from adjustment_factors
where convention = 'yahoo_crsp'
  and split_numerator <> split_denominator
  and ex_date > $after::date
  and ex_date <= $to::date
order by symbol, ex_date
