-- The securities of one quarter's 13F rows that a CUSIP or an issuer's key names (named: holdings.ts).
select cusip, issuer_key, min(issuer_name) as issuer_name, min(class_title) as class_title, count(*) as "rows"
from holdings
where quarter = $quarter and not placeholder and (:named)
group by cusip, issuer_key
order by "rows" desc, cusip, issuer_key
limit 2000
