-- What is listed of one entity: for each form the number of filings and their days. A filing in which the entity is only the
-- owner who reports is another issuer's.
select
  regexp_replace(form, '/A$', '') as form,
  count(*) as filings,
  min(filed_date) as first_day,
  max(filed_date) as last_day,
  list(accession order by accession) filter (list_contains($forms, regexp_replace(form, '/A$', ''))) as accessions,
  list(filed_date order by accession) filter (list_contains($forms, regexp_replace(form, '/A$', ''))) as days
from filings
where coalesce(role, '') <> $not_role
group by 1
order by 1
