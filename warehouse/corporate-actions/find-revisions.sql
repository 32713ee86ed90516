-- The restatement ledger: every version of every factor, with the bars that it restates. The last bar is the session before
-- the ex-date; the first is the first one that we hold.
with held as (
  select date
  from bars
), versions as (
  select * from adjustment_factors_history
  where convention = 'yahoo_crsp' and ex_date between $from::date and $to::date
)
select
  v.*,
  (select min(date) from held where date < v.ex_date) as first_date,
  (select max(date) from held where date < v.ex_date) as last_date,
  (select count(*) from held where date < v.ex_date) as bars_restated
from versions as v
order by v.release_from desc, v.ex_date desc, v.symbol
limit $limit
