-- Every version of the observations of one series in a range of periods, as known up to $release and $as_of, oldest first. Of a period's
-- versions of one vintage and instant the one of the newest release counts.
with told as (
  select *, row_number() over (partition by series, date, vintage, known_from order by release_from desc, raw_sha256) as place
  from macro_observations_history
  where date between $from::date and $to::date
)
select
  series, date, vintage, vintage_basis, value, status, known_from, known_basis, source, raw_sha256
from told
where place = 1 and not withdrawn
order by date, known_from, vintage nulls first, raw_sha256
