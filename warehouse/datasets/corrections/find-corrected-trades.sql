-- Corrected lines of insider trades in the 90 days to $date of some issuers; a corrected date counts on the filed day too.
select distinct t.issuer_cik, c.filing, c.dataset, c.row_key
from filing_corrections as c
join insider_transactions as t
  on t.filing_id = c.filing and c.dataset = 'insider_transactions' and c.row_key = t.line::varchar
where not c.undone
  and list_contains($ciks, t.issuer_cik)
  and (
    t.transaction_date between $date::date - 90 and $date::date
    or (c.field = 'transaction_date' and try_cast(c.filed::json ->> '$' as date) between $date::date - 90 and $date::date)
  )
order by issuer_cik, filing, row_key
