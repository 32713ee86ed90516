-- Days that a company announced for its next report, newest statement first. Approximate days are left out.
select *
from earnings_evidence
where kind = 'report_announced' and not list_contains(flags, 'approximate')
order by known_from desc, announced_date, accession desc, line
