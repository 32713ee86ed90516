-- Reported actions that are held back and so in no factor, oldest first.
select
  a.symbol,
  a.kind,
  a.ex_date,
  a.source_name,
  a.numerator,
  a.denominator,
  a.amount,
  a.currency,
  v.reason,
  v.detail,
  a.source,
  a.known_from,
  a.raw_sha256
from action_verdicts as v
join corporate_actions as a using (symbol, kind, ex_date, sequence, source_name)
where v.status = 'held' and v.ex_date > $after::date and v.ex_date <= $to::date
order by a.ex_date, a.kind, a.source_name, a.sequence
