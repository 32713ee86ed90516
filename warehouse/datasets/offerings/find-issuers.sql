-- Issuers that propose, or have, a symbol by their own prospectuses; the newest filing first. The marks of a class are written in many ways.
select cik, max(filed_date) as newest
from offerings
where upper(regexp_replace(proposed_symbol, '[./ ]', '-', 'g')) = $symbol
group by cik
order by newest desc, cik
