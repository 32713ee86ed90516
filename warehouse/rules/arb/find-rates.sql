-- The newest published US dollar rates in Canadian dollars, in either direction; the direct rate first.
select base_currency, quote_currency, date, rate, series, source, known_from, raw_sha256
from fx_rates
where date between $since::date and $until::date
  and ((base_currency = 'USD' and quote_currency = 'CAD') or (base_currency = 'CAD' and quote_currency = 'USD'))
qualify row_number() over (order by date desc, base_currency desc, series) = 1
