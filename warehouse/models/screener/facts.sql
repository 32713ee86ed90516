-- Inputs: company_facts. Grain: statement of a fact. What the line items ask of some companies, of the years that are asked about.
select cik, taxonomy, concept, unit, period_start, period_end, value, fy, form, filed_date, accession, place
from company_facts
where taxonomy || ':' || concept in (select unnest($concepts)) and period_end >= $oldest::date
order by cik, taxonomy, concept, unit, period_end, period_start, accession, place
