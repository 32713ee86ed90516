-- Of each published exchange-rate series the $recent newest days, at least two.
with told as (
  select *, row_number() over (partition by series order by date desc, known_from desc, raw_sha256) as place from fx_rates
)
select
  'bank-of-canada:' || series as series, date, null::date as vintage, 'none' as vintage_basis, rate as value, null::varchar as status,
  known_from, known_basis, source, raw_sha256
from told
where place <= greatest(2, $recent)
order by series, date desc
