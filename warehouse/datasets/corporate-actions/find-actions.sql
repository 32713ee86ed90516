-- Corporate actions as reported, newest ex-date first, cancelled ones included and marked.
select *
from corporate_actions
where ex_date between $from::date and $to::date
  and ($kind is null or kind = $kind)
order by ex_date desc, kind, source_name, sequence
