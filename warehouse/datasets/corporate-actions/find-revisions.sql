-- The restatement ledger: every version of every factor, newest release first.
select *
from adjustment_factors_history
where convention = 'yahoo_crsp' and ex_date between $from::date and $to::date
order by release_from desc, ex_date desc, symbol
