-- Of each series the two newest periods that have a value, with the value that was known last.
with standing as (
  select *
  from macro_observations
  qualify row_number() over (partition by series, date order by known_from desc, vintage desc nulls last, release_from desc, raw_sha256) = 1
), valued as (
  select *, row_number() over (partition by series order by date desc) as place from standing where value is not null
)
select
  series, date, vintage, vintage_basis, value, status, known_from, known_basis, source, raw_sha256
from valued
where place <= 2
order by series, date desc
