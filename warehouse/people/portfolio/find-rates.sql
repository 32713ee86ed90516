-- Reference rates of the two weeks up to $on, among the currencies and the one that all are published against, newest first.
select base_currency, quote_currency, date, rate, series, source
from fx_rates
where date between $on::date - $carried_days::integer and $on::date
  and base_currency in (select unnest($currencies)) and quote_currency in (select unnest($currencies))
order by date desc, base_currency, quote_currency, series
