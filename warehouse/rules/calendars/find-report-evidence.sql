-- Report days from $from to $to in issuers' own filings: days that they announced, and filings that published results. A filing accepted
-- in the evening has the next day's date; one of a Friday evening has that of Monday or, before a holiday, Tuesday.
select
  accession, line, cik, form, filed_date, kind, period_end, announced_date, announced_time, document, quote, source_start, source_end,
  flags, known_from, known_basis, source, raw_sha256
from earnings_evidence
where (kind = 'report_announced' and announced_date between $from::date and $to::date)
  or (kind = 'results_released' and filed_date between $from::date and $to::date + interval 5 days)
qualify row_number() over (partition by accession, cik, kind, announced_date order by line) = 1
order by cik, accession, line
