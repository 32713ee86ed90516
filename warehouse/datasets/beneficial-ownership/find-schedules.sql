-- Schedules 13D or 13G that became known in a window, newest first: one row a filing, however many persons file it together and
-- under whichever of the two form names. A filing described by two documents has one filing_id.
select * exclude (items, signatures, evidence)
from ownership_schedules
where schedule = $schedule
  and known_from > $since::timestamptz
  and known_from <= $until::timestamptz
  and ($issuer is null or issuer_cik = $issuer)
  and ($cusip is null or list_contains(cusips, $cusip))
  and ($after_known is null or (known_from, filing_id) < ($after_known::timestamptz, $after_filing))
order by known_from desc, filing_id desc
limit $limit
