-- Of each series the two newest periods that have a value, and the $recent newest periods with or without one, each with what was known last.
with standing as (
  select *
  from macro_observations
  qualify row_number() over (partition by series, date order by known_from desc, vintage desc nulls last, release_from desc, raw_sha256) = 1
), placed as (
  select
    *,
    row_number() over (partition by series order by date desc) as place,
    count(value) over (partition by series order by date desc) as valued
  from standing
)
select
  series, date, vintage, vintage_basis, value, status, known_from, known_basis, source, raw_sha256
from placed
where place <= $recent or (value is not null and valued <= 2)
order by series, date desc
