-- The newest filing of a company; with $xbrl the newest that carries XBRL.
select accession, cik, form, filed_date, company
from filings
where xbrl or not $xbrl
order by filed_date desc, accession desc
limit 1
