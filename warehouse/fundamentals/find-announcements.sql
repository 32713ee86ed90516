-- Days that a company named for its next report, newest statement first. A day that is only roughly named is none.
select *
from earnings_evidence
where kind = 'report_announced' and not list_contains(flags, 'approximate')
order by known_from desc, announced_date, accession desc, line
