-- Inputs: days. Grain: listing. As screener/last-session.sql.
select
  code,
  last_date as session_date,
  close,
  basis as price_basis,
  (adjusted_close / previous_adjusted - 1) * 100 as change_1d_pct,
  (split_open / previous_close - 1) * 100 as gap_pct,
  volume
from days
where place = 1
