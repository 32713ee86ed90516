-- The vintages of some series that came out between two days, by the day of their release.
select series, date, vintage, value, known_from, source, raw_sha256
from macro_observations
where vintage_basis = 'released' and vintage between $from::date and $to::date
order by series, date, vintage, known_from, raw_sha256
