-- The items of one filing that were read, in the order of the document. A filing of several registrants is kept under each of them: the
-- first that has the item counts.
with items as (
  select *
  from report_items
  where accession = $accession
), chosen as (
  select line, min(cik) as cik
  from items
  group by line
)
select
  i.item,
  i.part,
  i.title,
  i.status,
  i.words,
  i.text,
  i.text_sha256,
  i.document,
  i.source,
  i.raw_sha256,
  i.known_from,
  i.accession
from items as i
inner join chosen using (line, cik)
order by i.line
