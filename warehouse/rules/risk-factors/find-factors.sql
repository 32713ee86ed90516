-- The risk factors of some filings of one issuer, in reading order.
select
  accession,
  rank,
  group_heading,
  heading,
  body,
  words,
  text_sha256,
  source_start,
  source_end
from risk_factors
where list_contains($accessions, accession)
order by accession, rank
