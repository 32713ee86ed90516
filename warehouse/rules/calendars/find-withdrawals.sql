-- Requests of some issuers to withdraw a registration, and withdrawals of such requests, newest first.
select accession, cik, form, filed_date, file_number, url, known_from, known_basis, source, raw_sha256
from filings
where form in ('RW', 'RW WD') and list_contains($ciks, cik)
order by known_from desc, accession desc
