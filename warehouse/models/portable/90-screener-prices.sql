-- Inputs: last_session, returns, trend, risk, liquidity. Grain: listing. The columns of the screener that are computed from bars alone.
select
  p.code as code, p.session_date, p.close, p.price_basis, p.change_1d_pct, p.gap_pct, p.volume,
  r.return_1w_pct, r.return_1m_pct, r.return_3m_pct, r.return_6m_pct, r.return_ytd_pct, r.return_1y_pct, r.return_3y_pct, r.return_5y_pct,
  t.sma20, t.sma50, t.sma200, t.sma20_distance_pct, t.sma50_distance_pct, t.sma200_distance_pct, t.rsi14, t.atr14, t.atr14_pct,
  t.high_52w, t.high_52w_date, t.low_52w, t.low_52w_date, t.high_52w_distance_pct, t.low_52w_distance_pct,
  k.sessions_1y, k.volatility_30d_pct, k.volatility_1y_pct, k.max_drawdown_1y_pct,
  l.avg_volume_20d, l.avg_volume_90d, l.dollar_volume_20d, l.zero_volume_days_90d, l.relative_volume
from last_session as p
left join returns as r on r.code = p.code
left join trend as t on t.code = p.code
left join risk as k on k.code = p.code
left join liquidity as l on l.code = p.code
