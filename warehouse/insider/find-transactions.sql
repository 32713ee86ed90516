-- Insider transactions as they were known, newest first. An amendment is linked to the filing that it amends: the newest one
-- before it of the same issuer and owners on the base form, filed on the day that the amendment names, else for the same period.
-- A line of the amendment restates the line of the original with the same table, title, date and code, in the order of the
-- document; lines that no amendment restates stand as they were filed. Nothing is deleted.
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
), numbered as (
  select
    t.*,
    m.amends,
    row_number() over (
      partition by t.filing_id, t.derivative, t.security_title, t.transaction_date, t.code
      order by t.line
    ) as occurrence
  from insider_transactions as t
  left join amendments as m on m.filing_id = t.filing_id
), restated as (
  select
    o.filing_id,
    o.line,
    arg_max(a.filing_id, (a.known_from, a.filing_id)) as amended_by
  from numbered as a
  join numbered as o
    on o.filing_id = a.amends
    and o.derivative = a.derivative
    and o.security_title is not distinct from a.security_title
    and o.transaction_date is not distinct from a.transaction_date
    and o.code is not distinct from a.code
    and o.occurrence = a.occurrence
  group by o.filing_id, o.line
)
select
  n.* exclude (occurrence),
  r.amended_by,
  f.period_of_report,
  f.filed_date,
  f.plan_10b5_1,
  f.plan_adopted_date,
  f.owners
from numbered as n
left join restated as r on r.filing_id = n.filing_id and r.line = n.line
left join insider_filings as f on f.filing_id = n.filing_id and f.issuer_cik = n.issuer_cik
where ($owner is null or list_contains(n.owner_ciks, $owner))
  and ($since is null or n.known_from >= $since::date)
  and ($after_known is null or (n.known_from, n.filing_id, n.line) < ($after_known::timestamptz, $after_filing, $after_line::bigint))
order by n.known_from desc, n.filing_id desc, n.line desc
limit $limit
