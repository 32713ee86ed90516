-- Inputs: holdings, counted_13f. Grain: name and class of a security in one quarter's 13F tables. Shares held and by how many managers;
-- options and principal amounts left out. A partial restatement takes the place of the manager's earlier rows on the same security.
with own as (
  select h.manager_cik, h.cusip, h.issuer_key, h.issuer_name, h.class_title, h.shares, c.place, c.role
  from holdings as h
  join counted_13f as c on c.filing_id = h.filing_id
  where h.quarter = $quarter and not h.placeholder and h.put_call is null and h.shares_type is distinct from 'PRN'
), standing as (
  select *
  from own
  qualify place >= coalesce(max(place) filter (role = 'restates_part') over (partition by manager_cik, coalesce(cusip, issuer_key)), 0)
)
select
  issuer_name,
  class_title,
  list(distinct manager_cik order by manager_cik) as managers,
  sum(try_cast(shares as decimal(28, 4)))::double as shares
from standing
group by issuer_name, class_title
order by issuer_name, class_title
