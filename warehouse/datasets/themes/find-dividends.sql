-- Ex-dates of cash dividends of some lines in a range of days, whichever sources report them.
select symbol, ex_date, source, known_from, raw_sha256
from corporate_actions
where kind in ('dividend', 'special_dividend') and not cancelled and ex_date between $since::date and $until::date
order by symbol, ex_date, source_name, sequence, kind
