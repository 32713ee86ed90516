-- Registration statements and prospectuses of some issuers, newest first: as filed, amendments are filings of their own.
select *
from offerings
where list_contains($ciks, cik)
order by filed_date desc, known_from desc, accession desc
