-- Inputs: filings, listings. Grain: CIK. The newest report of each kind of the last three years, amendments left out, and how many
-- filings came within the last year.
select
  cik,
  max(filed_date) filter (form in ('10-K', '10-KT', '20-F', '40-F')) as last_annual_report_date,
  arg_max(form, (filed_date, accession)) filter (form in ('10-K', '10-KT', '20-F', '40-F')) as annual_report_form,
  max(filed_date) filter (form in ('10-Q', '10-QT')) as last_quarterly_report_date,
  max(filed_date) filter (form in ('8-K', '6-K')) as last_current_report_date,
  count(distinct accession) filter (filed_date > $date::date - interval 1 year) as filings_1y
from filings
where cik in (select cik from listings where cik is not null)
  and filed_date between $date::date - interval 3 year and $date::date
group by cik
