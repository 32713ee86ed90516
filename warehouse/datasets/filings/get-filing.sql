-- Every entity of one filing.
select *
from filings
where accession = $accession
order by case role when 'issuer' then 0 when 'filer' then 1 when 'subject_company' then 2 else 3 end, cik
