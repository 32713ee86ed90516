-- The filings of one issuer and form family as they were known, oldest first, each with its section of one item: the longest section of
-- that number (parts I and II of a 10-Q may both have one). status is null if no item of the filing was read.
with named as (
  select
    f.accession,
    f.form,
    f.filed_date,
    f.period_of_report,
    f.company,
    f.url,
    f.known_from,
    f.source,
    f.raw_sha256
  from filings as f
  where list_contains($forms, f.form)
), sections as (
  select
    i.accession,
    arg_max(i.line, (i.words, -i.line)) as line
  from report_items as i
  where i.item = $item
  group by i.accession
), factors as (
  select r.accession, count(*) as factors
  from risk_factors as r
  group by r.accession
)
select
  n.*,
  i.status,
  i.reason,
  i.words,
  i.text_sha256,
  i.line,
  coalesce(c.factors, 0)::bigint as factors,
  exists (select 1 from report_items as any_item where any_item.accession = n.accession) as was_read
from named as n
left join sections as s on s.accession = n.accession
left join report_items as i on i.accession = n.accession and i.line = s.line
left join factors as c on c.accession = n.accession
order by n.known_from, n.accession
