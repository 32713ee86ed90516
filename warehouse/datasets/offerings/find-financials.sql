-- The financial tables of one filing, in the order of the document.
select *
from offering_financials
where cik = $cik and accession = $accession
order by line
