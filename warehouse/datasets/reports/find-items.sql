-- Items of reports as they were known at the asked moment, newest filing first and in the order of each document. Of an issuer,
-- or of one filing; `item` and `form` narrow them (`10-K` includes its amendments only if `amendments` is set).
select
  accession,
  cik,
  form,
  filed_date,
  period_of_report,
  line,
  part,
  item,
  title,
  status,
  reason,
  words,
  case when $with_text then text end as text,
  text_sha256,
  document,
  document_type,
  source_start,
  source_end,
  located,
  anchor,
  flags,
  known_from,
  known_basis,
  source,
  raw_sha256
from report_items
where ($accession is null or accession = $accession)
  and ($item is null or item = $item)
  and ($form is null or form = $form or ($amendments and form = $form || '/A'))
order by known_from desc, accession desc, line
limit $limit
