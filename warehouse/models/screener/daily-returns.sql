-- Inputs: days. Grain: listing and session of the last year. Log returns of the adjusted close, for beta.
select id, date, try_cast(ln(adjusted_close / previous_adjusted) as decimal(18, 15)) as move
from days
where date > year_start and previous_adjusted is not null
