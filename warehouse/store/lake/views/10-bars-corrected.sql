-- Daily bars, as traded unless basis states otherwise, with the newest correction in place of a corrected row.
select symbol, date, open, high, low, close, volume, currency, basis, known_from, known_basis, source, raw_sha256, release_from, null::varchar as correction_reason
from bars
anti join bar_corrections using (symbol, date)
union all
select symbol, date, open, high, low, close, volume, currency, basis, known_from, known_basis, source, raw_sha256, release_from, reason
from bar_corrections
