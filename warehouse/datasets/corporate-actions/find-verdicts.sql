-- The outcome of each reported action, with the factor of its ex-date.
select
  v.symbol,
  v.kind,
  v.ex_date,
  v.sequence,
  v.source_name,
  v.status,
  v.reason,
  v.detail,
  v.source,
  v.known_from,
  v.raw_sha256
from action_verdicts as v
where v.ex_date between $from::date and $to::date
order by v.ex_date desc, v.kind, v.source_name, v.sequence
