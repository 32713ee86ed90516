-- Inputs: earnings_evidence. Grain: statement. Days that companies named for a report, where any of the company's lies ahead of the
-- screen's day; a day that is only roughly named is none.
select *
from earnings_evidence
where kind = 'report_announced'
  and not list_contains(flags, 'approximate')
  and cik in (select cik from earnings_evidence where kind = 'report_announced' and announced_date >= $date::date)
order by cik, known_from, accession, line
