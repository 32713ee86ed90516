-- The months for which an index of all filings was loaded, newest first, each with its first day and one document as evidence.
-- Lines of an index contain neither a role nor a document.
select
  strftime(filed_date, '%Y-%m') as month,
  min(filed_date) as first_day,
  arg_min(raw_sha256, (filed_date, raw_sha256)) as raw_sha256,
  arg_min(source, (filed_date, raw_sha256)) as source
from filings_history
where role is null and primary_document is null
group by 1
order by 1 desc
