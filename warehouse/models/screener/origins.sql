-- Inputs: every dataset that the screen reads. Grain: raw document. What the rows were made of, and when it was known; bars from 40 days
-- before the first that is shown, since a dividend is judged by the closes before it.
with documents as (
  select source, raw_sha256, known_from from symbols
  union all
  select source, raw_sha256, known_from from bars where date >= $from::date - 40
  union all
  select source, raw_sha256, known_from from bar_corrections where date >= $from::date - 40
  union all
  select source, raw_sha256, known_from from adjustment_factors where ex_date >= $from::date
  union all
  select source, raw_sha256, known_from from corporate_actions where ex_date >= $from::date
  union all
  select source, raw_sha256, known_from from fx_rates where date >= $from::date - 40
  union all
  select source, unnest(documents) as raw_sha256, known_from
  from filings
  where filed_date >= $date::date - interval 3 year and cik in (select cik from listings where cik is not null)
  union all
  select source, raw_sha256, known_from from issuer_tickers
  union all
  select source, raw_sha256, known_from from dual_listings
  union all
  select source, raw_sha256, known_from from issuers where cik in (select cik from listings where cik is not null)
  union all
  select source, raw_sha256, known_from from insider_filings
  union all
  select source, raw_sha256, known_from from holdings_reports where quarter in (select quarter from quarter_13f)
  union all
  select source, raw_sha256, known_from from company_facts where cik in (select cik from listings where cik is not null)
  union all
  select source, raw_sha256, known_from from earnings_evidence where cik in (select cik from listings where cik is not null)
)
select raw_sha256, min(source) as source, max(known_from) as known_from
from documents
group by raw_sha256
order by raw_sha256
