-- Registration statements that an index lists for some issuers, read or not.
select accession, cik, form, filed_date, file_number
from filings
where list_contains($ciks, cik) and regexp_matches(form, '^(S-1|F-1|S-11|F-10|SB-2)(/A)?$')
order by filed_date desc, accession desc
