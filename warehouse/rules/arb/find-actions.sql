-- Splits and distributions of some lines around the days of their prices, without those that a source withdrew.
select symbol, kind, ex_date, source_name, source, known_from, raw_sha256
from corporate_actions
where ex_date between $since::date and $until::date and not cancelled
order by symbol, ex_date, kind, source_name, sequence
