-- Every version of the rates of one published exchange-rate series, in the form of observations, oldest first.
with told as (
  select *, row_number() over (partition by series, date, known_from order by release_from desc, raw_sha256) as place
  from fx_rates_history
  where series = $series and date between $from::date and $to::date
)
select
  'bank-of-canada:' || series as series, date, null::date as vintage, 'none' as vintage_basis, rate as value, null::varchar as status,
  known_from, known_basis, source, raw_sha256
from told
where place = 1 and not withdrawn
order by date, known_from, raw_sha256
