-- Inputs: every table of the steps before. Grain: listing of today, by id, which follows the codes. What a screen can ask, before it is
-- rounded and put into the order of the field list. Null: an input is missing; amounts in dollars by the newest rate of two weeks.
with counts as (
  select cik, country, count(*) as classes
  from listings
  where cik is not null and type in ('common', 'trust_unit', 'capital_pool')
  group by cik, country
), splits_since as (
  select l.id, arg_min(a.shares_after, a.ex_date) as ratio
  from listings as l
  join financials as f on f.cik = l.cik
  join prices as p on p.id = l.id
  join actions as a on a.id = l.id and a.split is not null and a.ex_date > f.shares_date and a.ex_date <= p.session_date
  group by l.id
), sized as (
  select
    l.*,
    p.* exclude (id),
    r.rate as usd_rate,
    r.rate_date as usd_rate_date,
    f.* exclude (cik, shares_outstanding),
    f.shares_outstanding * coalesce(s.ratio, 1) as shares_outstanding,
    rr.rate as report_usd_rate,
    case when c.classes = 1 and l.type in ('common', 'trust_unit', 'capital_pool') then f.shares_outstanding * coalesce(s.ratio, 1) * p.close end as market_cap
  from listings as l
  left join prices as p on p.id = l.id
  left join rates as r on r.currency = coalesce(p.price_currency, l.currency)
  left join financials as f on f.cik = l.cik
  left join rates as rr on rr.currency = f.report_currency
  left join splits_since as s on s.id = l.id
  left join counts as c on c.cik = l.cik and c.country = l.country
), valued as (
  select *, market_cap * usd_rate as market_cap_usd from sized
)
select
  v.* exclude (bucket, price_currency, report_usd_rate, basis, period_end),
  v.basis as report_basis,
  v.period_end as report_period_end,
  v.session_date < $date::date - 7 as price_is_old,
  i.sic,
  i.sic_title as industry,
  d.sector,
  i.state_of_incorporation,
  i.fiscal_year_end,
  re.* exclude (id),
  t.* exclude (id),
  k.* exclude (id),
  q.* exclude (id),
  q.dollar_volume_20d * v.usd_rate as dollar_volume_20d_usd,
  b.beta_1y,
  b.beta_market,
  w.dividend_ttm,
  w.dividend_ttm / v.close * 100 as dividend_yield_pct,
  case when w.last_ex_date is not null then w.dividends_1y end as dividends_1y,
  case when w.dividend_before > 0 then (w.dividend_ttm / w.dividend_before - 1) * 100 end as dividend_growth_1y_pct,
  w.last_ex_date,
  w.last_dividend,
  e.dividend_currency,
  e.next_ex_date,
  w.last_split_date,
  w.last_split_ratio,
  v.market_cap_usd + (coalesce(v.total_debt, 0) - v.cash) * v.report_usd_rate as enterprise_value_usd,
  case when v.net_income > 0 then v.market_cap_usd / (v.net_income * v.report_usd_rate) end as pe,
  case when v.equity > 0 then v.market_cap_usd / (v.equity * v.report_usd_rate) end as pb,
  case when v.revenue > 0 then v.market_cap_usd / (v.revenue * v.report_usd_rate) end as ps,
  case when v.operating_income + v.depreciation_and_amortization > 0
    then (v.market_cap_usd + (coalesce(v.total_debt, 0) - v.cash) * v.report_usd_rate) / ((v.operating_income + v.depreciation_and_amortization) * v.report_usd_rate) end as ev_ebitda,
  v.free_cash_flow * v.report_usd_rate / v.market_cap_usd * 100 as fcf_yield_pct,
  v.operating_income + v.depreciation_and_amortization as ebitda,
  case when v.revenue > 0 then v.gross_profit / v.revenue * 100 end as gross_margin_pct,
  case when v.revenue > 0 then v.operating_income / v.revenue * 100 end as operating_margin_pct,
  case when v.revenue > 0 then v.net_income / v.revenue * 100 end as net_margin_pct,
  case when v.equity > 0 then v.net_income / v.equity * 100 end as roe_pct,
  case when v.assets > 0 then v.net_income / v.assets * 100 end as roa_pct,
  case when v.equity > 0 then v.total_debt / v.equity end as debt_to_equity,
  case when v.current_liabilities > 0 then v.current_assets / v.current_liabilities end as current_ratio,
  g.* exclude (cik),
  date_diff('day', g.last_annual_report_date, $date::date) as days_since_annual_report,
  date_diff('day', g.last_quarterly_report_date, $date::date) as days_since_quarterly_report,
  n.* exclude (cik),
  h.quarter as holders_quarter,
  h.holders as holders_13f,
  h.shares as shares_13f,
  case when v.shares_outstanding > 0 then h.shares / v.shares_outstanding * 100 end as shares_13f_pct,
  a.last_report_date,
  a.next_report_date
from valued as v
left join issuer_facts as i on i.cik = v.cik
left join divisions as d on i.sic between d.from_sic and d.to_sic
left join returns as re on re.id = v.id
left join trend as t on t.id = v.id
left join risk as k on k.id = v.id
left join liquidity as q on q.id = v.id
left join betas as b on b.id = v.id
left join dividends as w on w.id = v.id
left join declared as e on e.id = v.id
left join reports as g on g.cik = v.cik
left join insiders as n on n.cik = v.cik
left join holders as h on h.id = v.id
left join earnings as a on a.cik = v.cik
