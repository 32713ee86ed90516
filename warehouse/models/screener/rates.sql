-- Inputs: fx_rates. Grain: pair. The newest published rate of each pair in the two weeks to the screen's day.
select base_currency, quote_currency, arg_max(rate, (date, series)) as rate, max(date) as date
from fx_rates
where date between $date::date - 14 and $date::date
group by base_currency, quote_currency
order by base_currency, quote_currency
