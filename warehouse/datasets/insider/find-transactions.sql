-- Insider transactions as they were known, newest first. An amendment is linked to the filing that it amends: the newest one
-- before it of the same issuer and owners on the base form, filed on the day that the amendment names, else for the same period.
-- A line of the amendment restates the line of the original with the same table, title, date and code: the one with the same
-- number of shares, else with the same price, else the next in the order of the document. Lines that no amendment restates remain as
-- filed. Nothing is deleted.
with amendments as (
  select
    a.filing_id,
    arg_max(o.filing_id, (o.known_from, o.filing_id)) as amends
  from insider_filings as a
  join insider_filings as o
    on o.issuer_cik = a.issuer_cik
    and list_sort(o.owner_ciks) = list_sort(a.owner_ciks)
    and o.form = replace(a.form, '/A', '')
    and o.known_from <= a.known_from
    and (o.filed_date = a.original_filed_date or (a.original_filed_date is null and o.period_of_report = a.period_of_report) or (o.filed_date is null and o.period_of_report = a.period_of_report))
  where a.form like '%/A'
  group by a.filing_id
), sides as (
  select m.filing_id as amendment, true as amends, t.line, t.derivative, t.security_title, t.transaction_date, t.code, t.shares, t.price
  from amendments as m join insider_transactions as t on t.filing_id = m.filing_id
  union all
  select m.filing_id, false, t.line, t.derivative, t.security_title, t.transaction_date, t.code, t.shares, t.price
  from amendments as m join insider_transactions as t on t.filing_id = m.amends
), by_shares as (
  select amendment, max(line) filter (amends) as line, max(line) filter (not amends) as original_line
  from (
    select *, row_number() over (partition by amendment, amends, derivative, security_title, transaction_date, code, shares order by line) as place
    from sides
  )
  group by amendment, derivative, security_title, transaction_date, code, shares, place
  having count(*) = 2
), without_shares as (
  select s.* from sides as s
  where not exists (select 1 from by_shares as p where p.amendment = s.amendment and (case when s.amends then p.line else p.original_line end) = s.line)
), by_price as (
  select amendment, max(line) filter (amends) as line, max(line) filter (not amends) as original_line
  from (
    select *, row_number() over (partition by amendment, amends, derivative, security_title, transaction_date, code, price order by line) as place
    from without_shares
  )
  group by amendment, derivative, security_title, transaction_date, code, price, place
  having count(*) = 2
), without_price as (
  select s.* from without_shares as s
  where not exists (select 1 from by_price as p where p.amendment = s.amendment and (case when s.amends then p.line else p.original_line end) = s.line)
), by_place as (
  select amendment, max(line) filter (amends) as line, max(line) filter (not amends) as original_line
  from (
    select *, row_number() over (partition by amendment, amends, derivative, security_title, transaction_date, code order by line) as place
    from without_price
  )
  group by amendment, derivative, security_title, transaction_date, code, place
  having count(*) = 2
), restated as (
  select m.amends as filing_id, p.original_line as line, arg_max(m.filing_id, (f.known_from, f.filing_id)) as amended_by
  from (from by_shares union all from by_price union all from by_place) as p
  join amendments as m on m.filing_id = p.amendment
  join insider_filings as f on f.filing_id = p.amendment
  group by m.amends, p.original_line
)
select
  n.*,
  m.amends,
  r.amended_by,
  f.period_of_report,
  f.filed_date,
  f.plan_10b5_1,
  f.plan_adopted_date,
  f.owners
from insider_transactions as n
left join amendments as m on m.filing_id = n.filing_id
left join restated as r on r.filing_id = n.filing_id and r.line = n.line
left join insider_filings as f on f.filing_id = n.filing_id and f.issuer_cik = n.issuer_cik
where ($owner is null or list_contains(n.owner_ciks, $owner))
  and ($since is null or coalesce(f.filed_date, n.known_from::date) >= $since::date)
  and ($after_known is null or (n.known_from, n.filing_id, n.line) < ($after_known::timestamptz, $after_filing, $after_line::bigint))
order by n.known_from desc, n.filing_id desc, n.line desc
limit $limit
