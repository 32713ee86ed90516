-- Inputs: insider_filings, insider_transactions. Grain: issuer's CIK. Open-market purchases and sales (codes P and S, table I) of the
-- 90 days to the screen's day. A line that a later amendment of the same owners repeats (day, code, security) counts as amended.
with lines as (
  select
    t.issuer_cik,
    t.filing_id,
    t.transaction_date,
    t.code,
    t.security_title,
    t.owner_ciks,
    try_cast(t.shares as decimal(28, 4)) as shares,
    try_cast(t.price as decimal(28, 6)) as price,
    f.form like '%/A' as amends,
    t.known_from
  from insider_transactions as t
  join insider_filings as f on f.filing_id = t.filing_id and f.issuer_cik = t.issuer_cik
  where t.code in ('P', 'S')
    and not t.derivative
    and t.transaction_date between $date::date - 90 and $date::date
), standing as (
  select l.*
  from lines as l
  where not exists (
    select 1
    from lines as a
    where a.amends
      and a.issuer_cik = l.issuer_cik
      and a.filing_id <> l.filing_id
      and a.known_from > l.known_from
      and list_sort(a.owner_ciks) = list_sort(l.owner_ciks)
      and a.transaction_date = l.transaction_date
      and a.code = l.code
      and a.security_title is not distinct from l.security_title
  )
)
select
  issuer_cik as cik,
  coalesce(sum(case when code = 'P' then shares else -shares end), 0)::double as insider_net_shares_90d,
  count(*) filter (code = 'P') as insider_buys_90d,
  count(*) filter (code = 'S') as insider_sells_90d,
  max(transaction_date) as last_insider_trade_date
from standing
group by issuer_cik
