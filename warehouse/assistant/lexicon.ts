// The words of questions as data: the phrases of each topic and input. A phrase is a sequence of words; `a|b` accepts either word, `*`
// skips up to three words, and `<mark>` is something that was read before (a symbol, a period, an account). A longer phrase has more weight
// than a shorter one, so a new phrase needs no change of the rules.

export type Topic =
  | 'price'
  | 'history'
  | 'why_moved'
  | 'statistic'
  | 'line_item'
  | 'report_date'
  | 'report_calendar'
  | 'dividends'
  | 'splits'
  | 'dividend_tax'
  | 'insiders'
  | 'insider_clusters'
  | 'concalls'
  | 'holders'
  | 'manager'
  | 'manager_changes'
  | 'managers'
  | 'risk_changes'
  | 'filings'
  | 'offering'
  | 'ipo_calendar'
  | 'economic_calendar'
  | 'macro'
  | 'screen'
  | 'spread'
  | 'pairs'
  | 'other_line'
  | 'sharia'
  | 'purification'
  | 'drill'
  | 'flow_through'
  | 'blue_sky'
  | 'delisting'
  | 'analysts'
  | 'activists'
  | 'passive'
  | 'listing'
  | 'market_hours'
  | 'themes'
  | 'news'
  | 'receipt'
  | 'revisions'
  | 'worth'
  | 'overview'
  | 'intraday'
  | 'status'
  | 'help'
  | 'definition'
  | 'advice'
  | 'forecast'
  | 'write'
  | 'personal'
  | 'out_of_scope'

export type Entry = {
  readonly topic: Topic
  readonly inputs?: Readonly<Record<string, string>>
  readonly phrases: readonly string[]
  readonly bonus?: number
}
const entry = (topic: Topic, phrases: string, inputs?: Readonly<Record<string, string>>, bonus = 0): Entry => ({
  topic,
  phrases: phrases.split(';').map(each => each.trim()),
  ...(inputs === undefined ? {} : { inputs }),
  bonus,
})

/** Fields of the screener that users request of one company, or of all. */
const statistics: Readonly<Record<string, string>> = {
  market_cap:
    'market cap|capitalization|capitalisation; mkt cap; market value; how big is; size of * company; whole * worth on the * market; worth on the stock market; worth on the market; entire company worth; whole company worth; company worth; worth in total; worth in all; total worth; altogether worth; most valuable; valuable; total value of * share; capitalised at; capitalized at; how large is; how small is',
  shares_outstanding:
    'share outstanding; how many share * outstanding; share count; outstanding share; share * exist; share * in existence; how many share * issued; share in issue; issued share; share * issue; float of',
  pe: 'pe; p/e; p e ratio; expensive * earning; cheap|cheapest * earning; cheapest by earning; cheapest on earning; relative to * earning; times earning; price to earning; price earning; earning multiple; earning multiple',
  pb: 'pb; p/b; price to book; price book',
  ps: 'ps ratio; p/s; price to sale',
  ev_ebitda: 'ev/ebitda; ev to ebitda; ev ebitda',
  enterprise_value_usd: 'enterprise value',
  dividend_yield_pct:
    'dividend yield; yield; yielding; yield of; pay over <num>; pay above <num>; pay more than <num>; pay at least <num>; pay under <num>; paying <num>; pay out over <num>; income stock; yielder; high yielder',
  dividend_growth_1y_pct: 'dividend growth; dividend grown; grew * dividend',
  rsi14: 'rsi; relative strength index; overbought; oversold; strength index',
  sma50: 'sma50; fifty day average; 50 day moving average; 50 day average; 50-day moving average; 50-day average',
  sma200: 'sma200; 200 day moving average; 200 day average; 200-day moving average; 200-day average; two hundred day',
  sma20: 'sma20; 20 day moving average; 20-day moving average',
  high_52w:
    'new high; fresh high; hit a high; 52 week high; 52-week high; 52w high; year high; one year high; highest price|close * year; yearly high; high of the year; fifty two week high; 52 week range; 52-week range; year range; yearly range; one year range; all time high; high and low of the year; 12 month high; twelve month high; 12-month high; twelve-month high; 12-month range',
  low_52w:
    'new low; fresh low; hit a low; 52 week low; 52-week low; 52w low; year low; lowest price|close * year; yearly low; low of the year; fifty two week low; 52 week range; 52-week range; year range; yearly range; one year range; high and low of the year; 12 month low; twelve month low; 12-month low; twelve-month low; 12-month range',
  beta_1y: 'beta',
  volatility_30d_pct: 'volatility; volatile; how risky; vol; swing; price swing; jumpy; how stable',
  max_drawdown_1y_pct: 'drawdown; max drawdown; worst fall; biggest fall',
  atr14: 'atr; average true range',
  avg_volume_20d: 'average volume; avg volume; typical volume; liquid; liquidity; how liquid',
  relative_volume: 'relative volume; unusual volume',
  volume:
    'volume; how many share * trade; trading volume; share traded; how busy; how many share changed hand; share changed hand; how heavily traded; heavily traded; actively traded',
  return_ytd_pct:
    'ytd; year to date; this year so far; so far this year; since january; since the start of the year; this year * return; since new year; since the new year',
  return_1m_pct: 'one month return; monthly return; return over a month; 1 month return',
  return_1y_pct:
    'one year return; yearly return; total return; annual return; return over a year; 1 year return; twelve month return; performer; performance; best performing; worst performing; performed',
  change_1d_pct:
    'biggest mover; mover; gainer; loser; move today; gained the most; lost the most; fell hardest; fell the most; fell most; dropped the most; dropped most; rose the most; rose most; climbed the most; gained most; lost most; biggest drop; biggest jump; biggest fall; biggest rise; biggest gain; biggest loss; hardest hit; top gainer; top loser; best today; worst today; winner; losers',
  roe_pct: 'roe; return on equity',
  roa_pct: 'roa; return on asset',
  gross_margin_pct: 'gross margin',
  operating_margin_pct: 'operating margin',
  net_margin_pct: 'net margin; profit margin',
  debt_to_equity: 'debt to equity; leverage; leveraged; gearing; how indebted',
  current_ratio: 'current ratio',
  revenue_growth_pct:
    'revenue growth; sale growth; growing revenue; revenue|sale * grow; revenue|sale * growing; growing fast; growing fastest; fastest growing',
  fcf_yield_pct: 'fcf yield; free cash flow yield',
  sector: 'sector; what sector; which sector; which business; what line of business; what kind of business; which trade',
  industry: 'industry; what industry; which industry; what business; sic',
  beta_market: 'benchmark',
  insider_net_shares_90d:
    'net insider; biggest|largest|top insider buy|buying|purchase; biggest|largest|top insider buyer; insider net; insider buying most; most insider buying; most insider selling',
  holders_13f: 'how many institution; number of holder; institutional holder count; how many manager',
  shares_13f_pct: 'institutional ownership; owned by institution; held by institution',
  fiscal_year_end: 'fiscal year end; year end of; fiscal year',
}

const items: Readonly<Record<string, string>> = {
  revenue:
    'income statement; profit and loss; statement of income; revenue; sale; turnover; top line; how much * sell; turn over; top-line; sell in total; sold in total; money * take in; take in',
  net_income:
    'income statement; profit and loss; statement of income; net income; profit; net profit; earning; bottom line; make money; profitable; net loss; how much * earn; how much * make; turn a profit; bottom-line; in the black; in the red; lose money; lost money; earned in <period>; what did * earn; loss for',
  eps_diluted: 'eps; earning per share; earn per share; earned per share; earn a share; profit per share; diluted eps',
  cash: 'cash; cash on hand; cash position; how much cash; cash balance; cash pile; money in the bank; in the bank; cash at hand; cash reserve; war chest; liquid fund; cash equivalent',
  shares_outstanding:
    'dilute; diluting; dilution; diluting shareholder; dilute shareholder; issue new share; issuing new share; issued new share; print share; share count * grow|growing|rise|rising',
  total_debt:
    'debt; total debt; borrowing; how much debt; owe; indebtedness; loan; bond outstanding; in debt; debt load; debt level; liabilities to bank',
  assets: 'balance sheet; asset; total asset; balance sheet total; on * balance sheet; size of the balance sheet',
  liabilities: 'balance sheet; liability; total liability',
  equity: 'balance sheet; equity; shareholder equity; book value; stockholder equity; net asset; net worth',
  operating_income: 'income statement; profit and loss; statement of income; operating income; operating profit; ebit',
  gross_profit: 'gross profit',
  interest_income: 'interest income',
  interest_expense: 'interest expense; interest cost',
  cost_of_revenue: 'cost of revenue; cost of sale; cogs; cost of good',
  research_and_development: 'research and development; r d; r&d; research spending',
  operating_cash_flow: 'cash flow; cash flow statement; statement of cash flow; operating cash flow; cash from operation; cash flow from operation',
  capex: 'cash flow statement; statement of cash flow; capex; capital expenditure; capital spending; invest in plant; spend on plant',
  free_cash_flow: 'cash flow statement; statement of cash flow; free cash flow; fcf; free cash',
  income_tax: 'income tax expense; tax expense',
  goodwill: 'goodwill',
  inventory: 'inventory; inventories',
  receivables: 'receivable',
  current_assets: 'current asset',
  current_liabilities: 'current liability',
}

const indicators: Readonly<Record<string, string>> = {
  cpi: 'cpi; inflation; consumer price; consumer price index; price level; cost of living; price * rise; rise in price; how fast are price; price index; cost-of-living',
  unemployment_rate:
    'unemployment; jobless; out of work; without work; without a job; people * unemployed; unemployment rate; jobless rate; joblessness; unemployed; out-of-work; jobless people',
  employment: 'employment; how many job; job * economy; number of job; payroll; nonfarm payroll; job number; employed; how many people work',
  policy_rate:
    'policy rate; overnight rate; key rate; interest rate; fed rate; fed fund; federal fund; bank of canada rate; target rate; central bank rate; prime rate; base rate; boc rate; overnight; discount rate; benchmark rate; rate * central bank; central bank * rate; rate of the fed; rate of the bank of canada; boc overnight',
  yield_10y:
    '10 year yield; ten year yield; 10-year yield; 10y yield; 10 year; ten year; 10-year; ten year bond; 10y; bond yield; treasury yield; government bond; long bond',
  yield_2y: '2 year yield; two year yield; 2-year yield; 2y yield; 2 year; two year; 2-year; 2y',
  usd_cad:
    'usd cad; usd/cad; usdcad; exchange rate; canadian dollar; loonie; us dollar; dollar rate; fx rate; cad usd; dollar in canadian; cad rate; dollar exchange; cad to usd; usd to cad; cad in usd; usd in cad; cad against usd; usd against cad; cad versus usd; usd versus cad; greenback; us dollar in * dollar; dollar * loonie; loonie * dollar; canadian dollar against; exchange rate * dollar; currency rate; foreign exchange; dollar in canada',
  gdp: 'gdp; gross domestic product; economic growth; size of the economy; economic output; size of * economy; economy grow; economy growing; growth of the economy',
  annual_gdp_usd: 'annual gdp; world bank gdp; gdp in dollar',
  annual_population: 'population; how many people live; inhabitant',
  retail_sales: 'retail sale; shop sale; retail spending',
  housing_starts: 'housing start; new home; new house; home building',
  participation_rate: 'participation rate',
  oil_wti: 'wti; oil price; crude; crude oil',
  m2: 'm2; money supply',
  core_cpi: 'core inflation; core cpi; cpi median',
}

export const entries: readonly Entry[] = [
  ...Object.entries(statistics).map(([field, phrases]) => entry('statistic', phrases, { field })),
  ...Object.entries(items).map(([item, phrases]) => entry('line_item', phrases, { item })),
  ...Object.entries(indicators).map(([indicator, phrases]) => entry('macro', phrases, { indicator }, 0.25)),

  entry(
    'price',
    'price; quote; stock price; share price; trading at; trade at; current price; last price; latest price; how much is * share; how much does * cost; what is * trading; bid; ask; bid and ask; last trade; going for; where is * trading; price now; cost of a share; trade for; trading for; changing hands; worth a share; stock doing; share doing; doing today; day range; goes for; go for; stock at; share at; value of a share; value of one share; price per share; price of one share; cost of one share; quoted at; quoted price; market price; last traded; changes hands; price today; stock today; ticker price; trade|trades|trading above|below|over|under|at <num>; price above|below|over|under <num>; price in usd|cad|dollar; price * in * dollar; is * above|below|over|under <num>',
  ),
  entry(
    'history',
    'close; closing price; closed; high of; low of; high in <period>; low in <period>; high for <period>; low for <period>; day high; day low; price history; historical price; history of * price; price chart; chart; performance over; price on <period>; bar; end of day; eod; daily price; ohlc; high and low; how did * do; how has * done; how did * perform; perform; performed; move <period>; change <period>; price change; change in price; gain <period>; gained; lost <period>; return <period>; return since; went up; gone up; gone down; rise; rose; fall; fell; price at the end of; <period> close; open on <period>; how much * up; how much * down; was trading; traded at <period>; traded on <period>; fallen; risen; dropped; climbed; slipped; jumped; tumbled; rallied; slid; surged; fallen <period>; moved <period>; percentage change; percent change; adjusted close; trade on <period>; trade at <period>; swing; price action; share price * <period>; price <period>; day-end price; closing level; peak; trough; peak price; highest price; lowest price; best price; worst price; best close; worst close; highest close; lowest close; top price; up or down; percent * moved; percentage * moved; how far * moved; how far has; plunged; sank; soared; spiked; crashed; slumped; advanced; declined; went down; came down; bounced; recovered; drop; jump; gain; decline; slide',
  ),
  // Weak evidence: words that mean a price or a move only if nothing else is asked.
  entry('price', 'how much; right now; real time; worth; cost; trading; share price; at what; cheap; expensive; up to; value', undefined, -0.3),
  entry(
    'history',
    'end on <period>; end <period>; lower <period>; higher <period>; finish; finished; ended; settle; settled; moved; move; up; down; on <period>; since <period>; over <period>',
    undefined,
    -0.2,
  ),
  entry(
    'why_moved',
    'why; why did * move; why is * up; why is * down; why did * drop; why did * fall; why did * rise; why did * jump; what happened to; what happened with; what happened; what moved; what drove; what caused; what is behind; reason for; explain * move; explain * drop; what is going on with; move * about; pushed; what pushed; push * up; push * down; triggered; sparked; reason; explanation; sent * higher; sent * lower; explain; behind the move; how come; what is with; what made * move|rise|fall|drop|jump|climb|go|sink|soar|plunge|tank; what sent; what led to; what lay behind; what triggered; what sparked; cause of; cause for; what was known; what was public; what * known by then; public before; known before; came out before; came before * move|drop|jump|rise|fall; news behind; any reason; what explains',
    undefined,
    1,
  ),
  entry(
    'report_date',
    'next * number; next quarterly; next * result; quarterly number; next earning; next report; earning date; when * report; report date; earning release date; next result; report earning; report next; when * earning; last report; when did * report; announce result; reported result; next quarterly result; release result; publish result; result date; earning day; due to report; report its; report quarterly; reporting; upcoming result; upcoming report; upcoming earning; coming earning; date of * result|earning|report; when * result; when * number; when * quarterly; next set of; financial result; earning release; earning out; result out; earning report; report earning; due out; come out with * number|result|earning',
    undefined,
    1,
  ),
  entry(
    'report_calendar',
    'earning calendar; who report; earning date; earning date next|this; earning today|tomorrow; which company * report; company reporting; who is reporting; earning this week; earning next week; upcoming earning; report this week; report next week; reporting next; list of earning; company report; got earning; have earning; has earning; company|stock|who have|has|got|publish|announce|release|post|deliver * earning|result|number|report; reporting between; reporting from; list of report date',
    undefined,
    1.5,
  ),
  entry(
    'dividends',
    'dividend; dividend history; get|receive|earn|income|make from <count>; <count> * pay me; dividend from <count>; <count> * a year; <count> * per year; dividend income; ex-dividend; ex dividend; ex date; ex-date; payout; distribution; next dividend; last dividend; pay a dividend; pay dividend; pay in * dollar; pay in * currency; currency * dividend; pay in; dividend date; dividend pay; when * pay; dividend paid; pay out; quarterly dividend; record date; pay date; payment date; how often * pay; dividend per share; when is the ex; ex div; ex-div; exdiv; paid * dividend; paid to shareholder; pay shareholder; pay * shareholder; give shareholder; return to shareholder; dividend track record; dividend record; dividend over; cheque; check * shareholder; income from; shareholder payout; special dividend; dividend cut; dividend raise; go ex; goes ex; went ex; ex on',
    undefined,
    0.25,
  ),
  entry(
    'splits',
    'split; stock split; share split; consolidation; reverse split; corporate action; split history; spin-off; spinoff; spin off; consolidated; split ratio; share consolidation; stock consolidation; consolidate; reverse-split; share * split; stock * split; spun off; spin * off; bonus share; stock dividend',
    undefined,
    0.25,
  ),
  entry(
    'dividend_tax',
    'withholding; withholding tax; dividend after tax; dividend * after tax; after tax; tax on dividend; tax on * dividend; dividend tax; dividend in <account>; tax * withheld; tax withheld; dividend * withheld; much * withheld; hold * in a <account>; hold it in <account>; hold it in a <account>; hold it in an <account>; hold them in <account>; dividend in my <account>; dividend in an <account>; dividend in a <account>; tax in <account>; tax in an <account>; withheld; withhold; treaty rate; hold * in <account>; hold * in an <account>; hold * in my <account>; foreign tax; nr4; net dividend; keep of * dividend; dividend * <account>; taxed in; <account>; taken at source; tax * source; deducted from * dividend; dividend * deducted; lose * of * dividend; lose part of; keep * dividend; dividend inside; inside my <account>; inside a <account>; inside an <account>; inside <account>; irs take; cra take; us tax on; canadian tax on; tax * dividend',
    undefined,
    1,
  ),
  entry(
    'insiders',
    'insider; form 4; form four; who is|are buying|selling; who buying|selling; anyone|anybody|someone * buy|bought|sell|sold|buying|selling; insider trade; insider transaction; insider buying; insider selling; insider purchase; insider sale; director bought; director buy; ceo sell; ceo buy; officer sell; officer buy; executive selling; executive buying; management buying; management selling; people who run; run the company; management team; their own share; own stock; company insider; key executive; director dealing; who bought * stock; who sold * stock; section 16; director trade; ceo bought; ceo sold; executive bought; executive sold; officer sold; officer bought; director sold; board member; inside buying; inside selling; insider|director|executive|officer|ceo|cfo|management|chairman|president|chair|board * sell|sold|selling|sale|buy|bought|buying|purchase|purchased|trade|traded|dump|dumped|acquire|acquired; inside * been; people inside; who inside; anyone inside; insider activity; insider dealing; insider deal; management deal; officer deal; director deal; executive deal; own company stock; staff sell; boss sell|sold|buy|bought; bosses|boss * sell|selling|sold|buy|buying|bought|unload|unloading|dump|dumping; unload; unloading; unloaded; offload; offloading; dump|dumping|dumped stock|share; form 3; form 5; ceo; cfo; chief executive; director purchase; director sale; executive purchase; executive sale; officer purchase; officer sale; insider|director|executive|officer|ceo|cfo|management * seller|buyer; insider|director|executive|officer seller|buyer; largest seller; biggest seller; largest buyer; biggest buyer; who sold; who bought',
    undefined,
    0.5,
  ),
  entry(
    'insider_clusters',
    'insider cluster; cluster of insider; cluster * insider; cluster buy; cluster buying; insider buying cluster; several insider; more than one insider; multiple insider; two insider; which company * insider buying; which stock * insider buying; which company * insider * bought; which stock * insider * bought; where * insider buying; where are insider buying; insider buying together',
    undefined,
    2,
  ),
  entry(
    'concalls',
    'earning call; summary|summarize|summarise|recap|highlight * call; conference call; on the call; last call; latest call; transcript; management say; management said; ceo say about; ceo said about; cfo say about; cfo said about; what did * say about; say about * call; said about * call; mentioned on * call; mention on * call; during the call; on its call; call transcript; guidance on * call',
    undefined,
    3,
  ),
  entry(
    'holders',
    'who hold; who own; which|what fund|manager|institution|investor * buy|bought|buying|sell|sold|selling|add|added|increase|increased|cut|reduce|reduced|trim|trimmed|exit|exited; holder; institutional holder; institutional investor; which fund hold; which manager hold; which fund own; which institution; fund holding; 13f holder; owned by; shareholder; institutional owner; own share of; which institution own; investor hold; big holder; biggest holder; largest holder; top holder; largest shareholder; who are the owner; 13f; how many share * hold|own; hold * of; fund own; fund hold; manager own; manager hold; hold it; own it; fund * got; fund got; fund have; institution have; institution got; in * portfolio; who got; who is in; who invest; which investor; which money manager; money manager; asset manager; fund in; institution in; big money; smart money; owner of; institution that own; institution that hold; fund that own; fund that hold; manager that own; manager that hold; institutional money; who is invested; percent|percentage|stake|share|much * does * own|hold; how much * own; stake of; stake in; ownership of; what * own in',
    undefined,
    0.5,
  ),
  entry(
    'manager',
    'what does <cik> own|hold; <cik> own|hold; portfolio of <cik>; holding of <cik>; 13f of <cik>; <cik> holding|portfolio|position; portfolio of <manager>; holding of <manager>; what does <manager> hold; what does <manager> own; 13f of <manager>; <manager> holding; <manager> portfolio; <manager> hold; <manager> own; <manager> position; <manager> 13f; biggest position; largest position; top holding; top position; <manager>; what stock does <manager> own|hold; <manager> stock; <manager> top; top stock; stock * <manager> own|hold; stock of <manager>; <manager> invest; invested * <manager>; biggest bet; largest bet; top pick of',
    undefined,
    1,
  ),
  entry(
    'manager_changes',
    '<manager> change; portfolio * <manager> change; portfolio * change; holding * change; what did <manager> buy; what did <manager> sell; <manager> buy; <manager> sell; <manager> bought; <manager> sold; <manager> change; change of <manager>; <manager> new position; position * change; new position; sold out; exit; exited; <manager> add; <manager> added; <manager> trim; changed * holding; quarter over quarter; <manager> last quarter; <manager> trade; <manager> new; new buy; new buys; what is <manager> buying; what is <manager> selling; <manager> buying; <manager> selling; <manager> purchase; <manager> sale; <manager> get rid of; <manager> drop; <manager> dropped; <manager> exit; <manager> reduce; <manager> reduced; <manager> increase; <manager> since last quarter; bought by <manager>; sold by <manager>; move of <manager>; <manager> move',
    undefined,
    2,
  ),
  entry(
    'managers',
    'which manager; list of manager; tracked manager; 13f manager; which manager * tracked; manager do you track; what manager; fund do you track; list manager; how many manager * track; manager * cover; fund * follow; manager * follow; fund * cover; who files 13f; 13f filer',
    undefined,
    0.5,
  ),
  entry(
    'risk_changes',
    'risk factor; risk; change in * risk; risk change; new risk; removed risk; what changed in * risk; risk diff; risk section; item 1a; risk disclosure; changed * risk; what * risk; which risk; risk * disclose; risk * mention; new risk; dropped risk; risk * report; risk language; filing diff; diff of * filing; diff; compare * annual report; changed between * 10-k; changed between * annual report; new in * annual report; changed in * 10-k; changed in * annual report; changed in * 40-f; risk * different; different * risk; different in * risk; risk * versus last year; add * risk; added risk; drop * risk; removed from * risk; risk * removed; risk * dropped; risk * added; what * worried about; danger; hazard; warning; risks section; update * risk; risk update; risk versus',
    undefined,
    0.75,
  ),
  entry(
    'filings',
    'filing; sec filing; latest filing; recent filing; last filing; filed; file with; <form>; annual report; quarterly report; current report; 8k; 10k; 10q; prospectus; latest 10-k; edgar; what did * file; latest annual report; proxy; document filed; latest <form>; last <form>; show * <form>; most recent <form>; when did * file; material event; press release filed; disclosure; yearly report; annual filing; quarterly filing; yearly filing; what * submitted; submitted to the sec; sec document; everything * filed; read * report; find * report; link to * report; newest filing; most recent filing; paperwork; document; official filing',
    undefined,
    0.25,
  ),
  // Events of Form 8-K by their item numbers.
  entry(
    'filings',
    'changed|change|changing|replaced|new|switched * auditor|accountant; auditor|accountant change|resigned|dismissed; dismissed * auditor; change of auditor; change in auditor; fired * auditor',
    { event: '4.01' },
    2.5,
  ),
  entry(
    'filings',
    'restate|restated|restating * result|statement|earning|account|financial; non-reliance; restatement of * financial; no longer * relied; should not be relied',
    { event: '4.02' },
    2.5,
  ),
  entry('filings', 'bankruptcy; went bankrupt; bankrupt; receivership; file|filed for bankruptcy; insolvent; insolvency', { event: '1.03' }, 2.5),
  entry(
    'filings',
    'cybersecurity incident; cyber incident; cyber attack; cyberattack; data breach; hacked; cybersecurity breach',
    { event: '1.05' },
    2.5,
  ),
  entry(
    'filings',
    'new ceo|cfo|director; ceo|cfo change|left|resigned|departed|departure; director resigned|departure|appointed; change of ceo|cfo|director; changed * ceo|cfo; officer left|departure|resigned|appointed; management change; departure of * officer|director; appointed * ceo|cfo',
    { event: '5.02' },
    2.5,
  ),
  entry(
    'filings',
    'material agreement; definitive agreement; signed * material agreement; new material agreement; entered into * agreement',
    { event: '1.01' },
    2.5,
  ),
  entry('filings', 'terminated * agreement; termination of * agreement; agreement terminated; cancelled * agreement', { event: '1.02' }, 2.5),
  entry(
    'filings',
    'completed * acquisition|disposition; acquisition completed; completed an acquisition; closed * acquisition',
    { event: '2.01' },
    2.5,
  ),
  entry('filings', 'impairment; material impairment; wrote down; write-down; written down', { event: '2.06' }, 2.5),
  entry('filings', 'delisting notice; notice of delisting; deficiency notice; listing standard notice; noncompliance notice', { event: '3.01' }, 2.5),
  entry('filings', 'change of control; change in control', { event: '5.01' }, 2.5),
  entry(
    'filings',
    'changed * fiscal year; change of fiscal year; fiscal year change; changed * name; amended * bylaw|articles',
    { event: '5.03' },
    2.5,
  ),
  entry(
    'offering',
    'use of proceeds; s-1; s1; f-1; registration statement; underwriter; lock-up; lockup; lock up; price range; ipo terms; offer price; offering price; how many share * offering; ipo of; share * ipo; ipo price; raise * ipo; raise in * offering; prospectus; do with the money; use * the money; money from * ipo; raised in * ipo; money raised; proceeds; with the proceeds; money * raise; pre-ipo; overallotment; greenshoe; bookrunner; ipo proceeds; spend * proceeds; how * use the money; going public; ipo filing; listing on; ipo * want; ipo * plan; what * cash for; what * money for; want the money for; want the cash for; need the money for; cash from * ipo; cash raised; terms of * ipo; terms of * offering; price range * set; range * set; indicative price; share on offer; sell in * ipo; what will * spend; use the cash; who is selling * ipo; banks * ipo; lead bank; ipo lead; locked up; lock-in period',
    undefined,
    0.5,
  ),
  entry(
    'ipo_calendar',
    'ipo calendar; upcoming ipo; new offering; recent offering; any offering; latest offering; offering this|last week|month; offering announced|priced; upcoming offering; which offering; what offering; ipo this week; ipo this month; new ipo; which ipo; recent ipo; next ipo; any ipo; ipo; list of ipo; what ipo; go public; going public; plan to go public; to list; float; list on the market; list their share; debut; debuting; company going public; withdrawn ipo; ipo * withdrawn; priced ipo; ipo * price; new listing; what * ipo; pulled ipo; ipo coming; coming ipo; ipo soon; flotation; listing * planned; newly listed; ipo scrapped; scrapped ipo; cancelled ipo; ipo cancelled; ipo called off; ipo * called off; ipo pulled; shelved ipo; ipo shelved; postponed ipo; ipo postponed; ipo delayed; new issue',
    undefined,
    0.5,
  ),
  entry(
    'economic_calendar',
    'economic calendar; economic event; economic data; data release; when is * cpi; when is the next cpi; next cpi; when * job report; next job report; when * rate decision; decide on rate; fed decide; bank of canada decide; central bank meet; fed meet; next decision; when will * decide; when does * meet; when * meet; when will * meet; when * announce * rate; inflation figure * out; when * figure * out; next * figure; next * number * out; next fed meeting; when is the next * rate decision|meeting|announcement; when is the next * meeting; when is the next * announcement; next * rate decision|announcement; fomc meeting; next fomc; fomc; rate decision; next rate decision; cpi release; release date of; next gdp; when is * gdp; macro calendar; event this week; event next week; when is * inflation; next inflation; next labour force; statistics canada release; release schedule; economic release; next * publish; publish * next; published next; next release; next rate; decision date; date of * decision; when * decision; next * decision; rate announcement; when * publish cpi|inflation|gdp|job|employment|payroll|unemployment; when * release cpi|inflation|gdp|job|employment|payroll|unemployment; cpi|inflation|gdp|job|employment|payroll|unemployment * out next; cpi|inflation|gdp|employment|payroll next; cpi|inflation|gdp|employment|payroll date; calendar of release; release calendar; macro event; macro release; upcoming release',
    undefined,
    1.5,
  ),
  entry('macro', 'macro; economic indicator; indicator; macro series; economic statistic; economy', undefined, 0),
  entry(
    'screen',
    'screen; screener; which stock; new|fresh high|low; which * bank|miner|insurer|reit|utility|producer|railway|pipeline|retailer|manufacturer; list * stock|company|miner|bank; which company; most valuable; least valuable; gold|mining|bank|insurance|utility|retail|industrial|technology|tech|healthcare|biotech|energy|oil company|stock|miner|producer|name; which * technology|tech|healthcare|biotech|energy; most volatile stock; least volatile stock; list stock; find stock; stock with; company with; rank stock; rank * by; sort * by; order * by; stock by; company by; listed stock; stock that; company that; stock in; highest; lowest; top; biggest; largest; smallest; cheapest; most expensive; best yielding; filter; rank; stock yielding; name with; listing with; share with; stock under; stock below; stock above; list of stock; list company; show me stock; find company; tsx stock; canadian stock; venture stock; best performing; worst performing; stock pay; stock paying; company pay; company paying; show me company; give me stock; give me company; name * fell; name * rose; stock * fell; stock * rose; us stock; us company; american stock; american company; toronto stock; nyse stock; nasdaq stock; tsxv; oversold name; overbought name; best dividend; highest yielding; top yielding; fastest growing; most traded; heaviest traded; priciest; top ten; top 10; top five; top 5; stocks over; stock over; company over; company under; company above; company below',
    undefined,
    0.5,
  ),
  entry(
    'spread',
    'spread; spread between; premium|discount * us|american|york|canadian|toronto line|listing|share|price; premium of; premium over; discount to; spread of; spread * now; what is the spread; arbitrage; arb; premium; discount; price difference; difference between the listing; gap between * price; difference between * price; price gap; toronto and new york; new york and toronto; two listing; both listing; gap between; cross-listed; cross listed; implied exchange rate; implied fx; interlisted spread; toronto versus new york; cheaper in toronto; cheaper in new york; cheaper in; cheaper on; trade at a premium; trade at a discount; apart; how far apart; far apart; more expensive in; more expensive on; pricier in; dearer in; dearer; cost more in; cost less in; toronto versus us; toronto price * us price; new york price; new york versus toronto; home listing; than at home; at home; both side of the border; across the border; cross border; cross-border; between the two listing; gap toronto; difference toronto; mispriced; mispricing; parity; in the state than',
    undefined,
    0.75,
  ),
  entry(
    'pairs',
    'dual listed; dual-listed; arbitrage tsx; arbitrage toronto; where * arbitrage; arbitrage opportunity; any|which|best arbitrage; arbitrage candidate; dual listing; dual-listing; pair; cross-listed pair; interlisted; list of pair; which company * both; which stock * both; tracked pair; cross-listed stock; cross listed stock; cross listed company; list * interlisted; interlisted pair; which * pair; widest premium; largest premium; biggest premium; highest premium; widest discount; widest spread; largest spread; biggest spread; trade on both; trade in both; listed on both; listed in both; both tsx and nyse; both tsx and nasdaq; both in toronto and; on both exchange; on both side',
    undefined,
    0.75,
  ),
  entry(
    'other_line',
    'us ticker; us symbol; us listing; us line; new york line; new york ticker; new york symbol; toronto ticker; toronto symbol; toronto line; canadian ticker; canadian symbol; tsx symbol; tsx ticker; other listing; other line; where else; also listed; under which symbol; under what symbol; under which ticker; trade in new york; trade in toronto; trade in the us; quoted in new york; quoted in toronto; symbol * new york; symbol * toronto; ticker * new york; ticker * toronto; symbol in new york; ticker in new york; symbol in toronto; ticker in toronto; listed in new york; american ticker; ticker on the tsx; ticker on nyse; symbol in the us; canadian listing; listed elsewhere; trade elsewhere; counterpart; american symbol; us ticker symbol; ticker in the us; ticker in the state; symbol in the state; canadian symbol * us; toronto ticker symbol; ticker * toronto; ticker * canada; symbol * canada; symbol * state; ticker * state; us counterpart; canadian counterpart; us equivalent; canadian equivalent; equivalent in; twin; sister listing',
    undefined,
    1,
  ),
  entry(
    'sharia',
    'halal; sharia; shariah; shariah compliant; sharia compliant; islamic; haram; permissible; <standard>; compliant; aaoifi; under <standard>; muslim; screen under; sharia status; sharia screen; sharia compliance; muslims; sharia check; shariah check; faith; riba; islamically; halal or haram; islamic finance; sharia law; shariah law; can muslim own|hold|buy',
    undefined,
    1,
  ),
  entry(
    'purification',
    'purify; purification; cleanse; purification amount; impermissible income; how much * purify; donate; give to charity; tainted income; dividend purification; give away; cleansing; purified; cleanse dividend; purify dividend; to charity',
    undefined,
    2,
  ),
  entry(
    'drill',
    'drill; drill hole; drillhole; drill result; assay; grade; interval; intersected; intercept; g/t; aueq; gold equivalent; au equivalent; copper equivalent; grading; intersection; metre of; metal equivalent; grade thickness; gram metre; gold equivalence; hole; metres at; metres @; intersect; core; drill core; g/t gold; good grade; drillhole; assay result',
    undefined,
    1,
  ),
  entry(
    'flow_through',
    'flow-through; flow through; fts; cost me after tax; flow-through * cost; after-tax cost; cost * flow-through; cee; metc; mineral exploration tax credit; exploration tax credit; flow-through share; flow through share; cmetc; net cost of * flow; flowthrough; flowthrough share; net cost; exploration credit; flow-throughs',
    undefined,
    2,
  ),
  entry(
    'blue_sky',
    'blue sky; blue-sky; notice filing; form d; state filing; 506b; 506c; <rule>; private placement; reg d; regulation d; state securities; state notice; sell * to investor in <state>; offer * to investor in <state>; investor in <state>; accredited investor; filing fee in <state>; regulation a; state filing fee; file in <state>',
    undefined,
    2,
  ),
  entry(
    'delisting',
    'delist; delisting; delisted; being delisted; delisted risk; delisting risk; be delisted; listing standard; continued listing; minimum bid; bid price rule; listing requirement; deficiency notice; risk of losing its listing; lose its listing; lose * listing; losing * listing; lose its place; thrown off; removed from the exchange; keep its listing; keep * listing; meet * listing; listing rule; dollar rule; nasdaq compliance; kicked off; listing deficiency; in danger of delisting; non-compliance; compliance with nasdaq; boot; booted; booted off; kicked; kick off; thrown out; dropped from the; off the nasdaq; off the nyse; off the tsx; off the exchange; meet nasdaq; meet nyse; meet * rule; nasdaq rule; nyse rule; tsx rule; nasdaq requirement; nyse requirement; stay listed; remain listed; fail * listing; below a dollar; under a dollar; below $1; listing risk; in breach of * listing; comply with nasdaq; comply with nyse',
    undefined,
    2,
  ),
  entry(
    'analysts',
    'analyst; analyst recommendation; price target; target price; consensus; rating; analyst rating; buy rating; wall street; street target; analyst think; recommendation; analyst say; upgrade; downgrade; street think; street say; sell side; sell-side; broker; brokerage; estimate; beat estimate; beat expectation; earnings estimate; forecast by analyst; how many analyst',
    undefined,
    1,
  ),
  entry(
    'activists',
    '13d; want from; demand from; what does * want; asking * to; pushing for; push * for; nominate director; activist; activist investor; activist stake; schedule 13d; sc 13d; new 13d; activism; fresh 13d; recent 13d; latest 13d; any 13d; 13d filing; big stake; new stake; took a stake; take a stake; building a stake; who is pushing; pressure on',
    undefined,
    1.5,
  ),
  entry(
    'passive',
    '13g; crossed <num> of; crosses <num> of; cross <num> of; crossed <num>; above <num> of; over <num> of; more than <num> of; owns more than <num>; own more than <num>; crossed five percent; passive stake; schedule 13g; sc 13g; passive investor; five percent holder; 5 percent holder; passive holder; new 13g; passive owner; passive filing; over five percent; more than five percent; fresh 13g; recent 13g; latest 13g; any 13g; 13g filing; crossed <num>; past <num> of; five percent; 5 percent owner; over <num> of; more than <num> of; <num> holder; <num> owner',
    undefined,
    1.5,
  ),
  entry(
    'listing',
    'what is the ticker; ticker of; ticker for; symbol of; symbol for; what is the symbol; which exchange; what exchange; where is * listed; where does * trade; where * trade; listed on; cik; cusip; former name; old symbol; renamed; previous name; used to be; what company is; which company is; which company * symbol; became of; currency does * trade; which currency; currency of; when * listed; is * still listed; first listed; change its name; changed its name; change symbol; changed symbol; name of; still trade; still trading; former symbol; formerly; what happened to the symbol; ticker; is * listed; cik number; ticker please; what ticker; ticker again; tsx symbol of; stock symbol; stock code; where can i trade; where can i buy; renamed to; new name; new name of; name before; called before; previously called; used to be called; which market; what market; traded on; when did * list; since when * listed; full name of; currency is * in',
    undefined,
    0.75,
  ),
  entry('listing', 'what is <symbol>; who is <symbol>', undefined, -0.3),
  entry(
    'market_hours',
    'market open; market hour; trading hour; is the market open; is * exchange open; exchange open; market holiday; holiday; market closed; is * closed on; when does * open; when does * close for; half day; half-day; early close; open on christmas; exchange closed; market closed on; stock market hour; nyse open; tsx open; closed on <period>; open on thanksgiving; time does * open; time does * close; open tomorrow; is the tsx; is the nyse; close early; exchange hour; opening hour; shut; is * shut; market shut; exchange shut; shut on; open and close; opening time; closing time; when * open and close; boxing day; thanksgiving; christmas; good friday; labour day; labor day; victoria day; canada day; memorial day; independence day; juneteenth; family day; civic holiday; new year; presidents day; president day; martin luther king; can i trade on; trade on the weekend; open today; closed today; open on; market time; time * market open|close; what time',
    undefined,
    1.25,
  ),
  entry(
    'themes',
    'theme; themed; curated; basket; gold miner; gold stock; canadian bank; bank stock; uranium stock; lithium stock; list of gold; list of bank; pipeline stock; thematic; gold and silver miner; reits; mining stock; uranium miner; thematic basket; stock basket; which basket; sector basket; theme list; what theme; list of miner; list of reit',
    undefined,
    0.75,
  ),
  entry(
    'news',
    'what is new; what new; new since; anything new; news; latest news; what changed since; update on; since yesterday; what happened today; recent event; latest on; anything happen; happen at; happened at; happening at; happening with; has happened; happened to; going on at; going on with; change at; any update; whats new; catch me up; new today; new on; new with; new filing since; happened since; summary of the day; recap; latest development; brief me; new this week; developments; what is up with; whats up with; what has been going on; what has changed; catch up on; anything interesting; anything happening; what is happening; brief on; fill me in; developments at; latest from; heard about; since i last; anything i missed; what did i miss; week in review; updates on',
    undefined,
    1,
  ),
  entry(
    'receipt',
    '<receipt>; verify; receipt; verify receipt; check receipt; signature; is * receipt valid; prove; authentic; verification; receipt valid; check this receipt; is this receipt; proof of',
    undefined,
    1.5,
  ),
  entry(
    'revisions',
    'revision; restatement of price; restated price; restated; why did the adjusted; adjusted price change; price history changed; adjustment history; adjustment ledger; adjusted close change; restate; adjusted close revision; close revision; price revision; revised * adjusted close; adjusted * changed; close * restated; restated close; history rewritten; back adjusted; back-adjusted; adjustment factor',
    undefined,
    1.5,
  ),
  entry(
    'worth',
    '<count> * worth; what is <count>; <count> share * worth; worth of <count>; value of <count> share; value of my <count>; <count> share of; how much are <count>; how much is <count>; cost of <count> share; cost to buy <count>; what would <count>; <count> share cost; convert <money>; what are <count>; <money> in canadian; <money> in us; <money> in cad; <money> in usd',
    undefined,
    2,
  ),
  entry(
    'overview',
    'tell me about; overview; overview of; profile; summary of; summarize; describe; give me a summary; what do you know about; facts about; key facts; who is; snapshot; fact sheet; at a glance; what is <name>; introduce; information on; info on; company profile; background on; rundown; run down; lowdown; primer; quick look; quick facts; intro to; what does * do; kind of company; describe the company; key figure; basic fact; basics; two-minute; summary on; fact about; know about; background',
    undefined,
    0.5,
  ),
  entry(
    'intraday',
    'intraday; five minute; 5 minute; minute bar; one minute; hourly; 15 minute; during the day; throughout the day; hourly bar; minute by minute; by the minute; 5-minute; 1-minute; 15-minute',
    undefined,
    2,
  ),
  entry(
    'status',
    'status; up to date; data fresh; fresh; how fresh; is the service; outage; incident; how old is the data; data current; system status; service status; as of when; working properly; service up; service healthy; api up; api working; is everything working; last updated; when was * updated; fresh data; stale',
    undefined,
    0.75,
  ),
  entry(
    'help',
    'what can you do; help; how do you work; what can i ask; what do you cover; what data; which data; coverage; how to use; capabilities; what question; where does * data come; data source; who are you; are you a; what is crossfile; hello; hi; thanks; thank you; hey; good morning; how can you help; what are you; your ability; what else can you; give me an example; example question; what is possible; where is * data from; data from; source of your data',
    undefined,
    0.5,
  ),

  entry(
    'advice',
    'should i; should we; would you; is it a good buy; good buy; good investment; worth buying; buy or sell; buy or hold; sell or hold; would you buy; recommend; what stock to buy; which stock should; best stock; stock to buy; good time to buy; time to sell; good stock; undervalued; overvalued; what would you do; safe investment; invest in; better investment; better buy; pick; best buy; a bargain; worth holding; my advice; advise me; tell me what to buy; should one; do you like; strong buy; hold or sell; is * a buy; is * a sell; smart to buy; wise to; suitable for me; right for me; allocate; put my money; put money; buy more; add to my position; which one is better; better than; ought i; i ought; ought to; should one; do you reckon; you reckon; worth getting; worth a buy; worth the money; worth it; load up; thoughts on; your take; your opinion; opinion on; opinion of; what do you think; bullish; bearish; good idea; smart idea; wise; smart move; good move; would it be smart; is now a good; good entry; entry point; right time; good deal; cheap enough; too expensive; too late to buy; too late to; long or short; okay to buy; ok to buy; safe to buy; safe bet; a winner; top pick; your pick; favourite stock; favorite stock; get rid of my; cash out; take profit; hang on to; hold on to; dump my; better off; which would you; which do you prefer; prefer; rather own; for my retirement; for retirement; for my kid',
    undefined,
    3,
  ),
  entry(
    'forecast',
    'will * go up; will * go down; will * rise; will * fall; will * crash; will it; predict; prediction; forecast; where will; price next year; next year price; price in 2030; expect * to rise; going to go up; going to rise; going to fall; going to crash; what will * be worth; outlook for * price; future price; will * recover; will * beat; will * cut rate; will * raise; will * hike; future of; tomorrow price; price tomorrow; double in; probability that; chance that; odds of; how high will; how low will; will * double; will * be worth; will * outperform; will * increase; will * reach; headed; is * headed; where * headed; where * going; be worth next; worth next; next year * price; price * next; expected price; expected to reach; hit <num>; reach <num>; end of next year; by next year; by year end; by christmas; years from now; year from now; in five year; in ten year; future value; will they; going higher; going lower; go higher; go lower; keep rising; keep falling; bounce back; rebound; next crash',
    undefined,
    3,
  ),
  entry(
    'write',
    'set an alert; create an alert; alert me; notify me; set alert; add to my watchlist; add * to my watchlist; place an order; place * order; buy me; buy <count>; sell <count>; sell my; purchase <count>; execute; delete my; change my; cancel my; remind me; sign me up; update my; remove * from my; email me; send me an email; transfer; withdraw my; post to; tweet; trade for me; short <count>; make a trade; sell all; sell everything; buy some; buy a few; sell half; sell * share|stock now|today|please; buy * share|stock now|today|please; buy * for me; sell * for me; put an alert; put * alert; set * alert; place a; place me; liquidate; close my position; open a position; put in an order; order me; short it; notify when; warn me; ping me; text me; subscribe me; unsubscribe; log me; add it to; save this; watch * for me; track * for me',
    undefined,
    3,
  ),
  entry(
    'personal',
    'my portfolio; my position; my watchlist; my alert; other user; another user; user email; password; api key; my account; my balance; my holding; who else; list of user; social insurance; phone number; home address; their address; private key; system prompt; your instruction; signing key; customer list; user data; ignore previous; ignore all previous; credit card; my tax return; my broker; my money; my profit; my trade; my order; my payment; my subscription; my email; my profile; did i earn; did i make; do i own; do i hold; have i got; what did i buy; other people; another account; admin; administrator; secret; environment variable; database password; token; your prompt; your code; your rules; hidden instruction',
    undefined,
    3,
  ),
  entry(
    'out_of_scope',
    'weather; bitcoin; ethereum; crypto; cryptocurrency; option chain; call option; put option; implied volatility; futures; short interest; recipe; football; sport; election; who won; movie; joke; poem; translate; write code; london stock exchange; european stock; ftse 100; dax; nikkei; hong kong; japanese stock; news sentiment; sentiment; twitter; reddit; esg score; carbon footprint; employee count; how many employee; who is the ceo; name of the ceo; who is ceo; real estate price; house price; mutual fund; credit rating; moody; patent; lawsuit; litigation; esg; satellite; credit default; dark pool; level 2; order book; ticker tape; swap spread; options; gold price; silver price; price of|for gold|silver|copper|nickel|zinc|lead|aluminum|aluminium|platinum|palladium|lithium|uranium|coal|wheat|corn|lumber; copper|nickel|zinc|aluminum|aluminium|platinum|palladium|lithium|uranium|coal|wheat|corn|lumber price; natural gas price; price of natural gas; commodity price; nft; forex trading; horoscope; lottery; capital of; president of the; prime minister; covid; how old; married; birthday; salary of; ceo pay; compensation of; headcount; number of employee; office address; phone number of; website of; short seller; short squeeze; gamma; dark pool; insider trading law; lawyer; divorce; mortgage; credit card debt; insurance quote; eurusd; euro; yen; asx; shanghai; bse; nse',
    undefined,
    2.5,
  ),
]

/** Words that are never the name of a subject. */
export const stopwords: ReadonlySet<string> = new Set(
  `a an the of for in on at to from by with and or is are was were be been being do does did has have had will would can could should may might what which who whom whose when where
  why how much many it its they their them this that these those there here i me my we our us you your please show tell give get find list see look any some all more most least than then
  as about into over under between since until till during after before out up down off per not no yes if so such just only also too very really ever now today current currently latest last next recent
  recently new old same other another one each every both stock stocks share shares company companies ticker symbol listing line security issuer firm name named called know want need like let
  compare versus vs against say says said think happen happened go going come coming made make makes look looks line lines market markets exchange exchanges listed trade trades traded trading
  data figure figures number numbers value values amount total average mean year years month months week weeks day days quarter quarters quarterly annual annually time times date dates period
  price prices tsx tsxv nyse nasdaq toronto venture canadian canada american us usa states united new york okay ok thanks thank hi hello hey still ago exactly roughly approximately bit
  lot lots kind thing things person people anyone anybody someone somebody else per cent percent dollars dollar cents bucks question answer again instead even across within without
  re ve ll d s t m whats wheres hows whos up-to-date them he she his her him inc corp ltd limited corporation plc com held holding hold holds own owns`.split(
    /\s+/,
  ),
)
