-- Exhibits of reports as they were known at the asked moment, newest filing first and in the order of each filing.
select *
from report_exhibits
where ($accession is null or accession = $accession)
  and (not $releases or is_earnings_release)
order by known_from desc, accession desc, line
limit $limit
