-- Inputs: days. Grain: listing. Its last session: price as traded (null where its basis is not known), change against the session before (adjusted for what went
-- ex between them), gap of the open, volume.
select
  id,
  last_date as session_date,
  close,
  basis as price_basis,
  currency as price_currency,
  (adjusted_close / previous_adjusted - 1) * 100 as change_1d_pct,
  (split_open / previous_close - 1) * 100 as gap_pct,
  volume
from days
where place = 1
