-- The securities of one quarter's 13F rows that a CUSIP or an issuer's key names; `prefix` finds keys that begin with it.
select cusip, issuer_key, min(issuer_name) as issuer_name, min(class_title) as class_title, count(*) as "rows"
from holdings
where quarter = $quarter
  and not placeholder
  and (
    ($cusip is not null and cusip = $cusip)
    or ($issuer is not null and cusip like $issuer || '%')
    or ($prefix is not null and starts_with(issuer_key, $prefix))
    or list_contains($keys, issuer_key)
  )
group by cusip, issuer_key
order by "rows" desc, cusip, issuer_key
limit 2000
