-- Filings of an issuer on some forms since a day, newest first.
select accession, form, items, filed_date, period_of_report, url, source, raw_sha256, known_from
from filings
where form in (select unnest($forms))
  and filed_date >= $since::date
order by filed_date desc, accession desc
