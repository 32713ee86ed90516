// Every command: what it does, its options (arguments.ts checks them against this table), examples and what its exit code says.
import type { Options } from './arguments.ts'

export type Command = {
  readonly summary: string
  readonly usage: readonly string[]
  readonly details?: readonly string[]
  /** What is written behind the name, for commands that have others below them or words of their own. */
  readonly options: Options
  readonly examples: readonly (readonly [command: string, about: string])[]
  readonly exits?: readonly string[]
}

const json = { about: 'one JSON document on stdout' }
const noWait = { about: 'send it and return; a worker runs it' }

export const commands = {
  start: {
    summary: 'set up what is missing and run Postgres, worker and API until Ctrl-C',
    usage: ['crossfile start [--json]'],
    details: ['The same as `npm start`. A second start continues from the data that is there.'],
    options: { json: { about: 'one JSON line on stdout when it is ready' } },
    examples: [
      ['crossfile start', 'the bundled fictional universe'],
      ['CROSSFILE_CONTACT="Jane Roe jane@your-firm.com" crossfile start', 'live EDGAR filings'],
    ],
  },
  worker: {
    summary: 'run the schedule and the jobs until Ctrl-C',
    usage: ['crossfile worker'],
    details: ['Any number of workers may share one database; one that is killed loses nothing.'],
    options: {},
    examples: [['DATABASE_URL=postgres://… crossfile worker', 'a second worker on another machine']],
  },
  api: {
    summary: 'serve the HTTP API until Ctrl-C',
    usage: ['crossfile api'],
    details: ['Listens on HOST and PORT (127.0.0.1 and 8080 where they are not set; PORT=0 takes any free one).'],
    options: {},
    examples: [['PORT=9000 crossfile api', 'on another port']],
  },
  migrate: {
    summary: 'bring the database up to this version',
    usage: ['crossfile migrate [--json]'],
    details: ['Commands that write do this by themselves; services that start apart wait for it.'],
    options: { json },
    examples: [['crossfile migrate', 'says what it applied']],
  },
  status: {
    summary: 'what runs, what is there, and what is stale, on one screen',
    usage: ['crossfile status [--json] [--alive]'],
    details: [
      'A dataset is stale when the last good load of the jobs that feed it is older than their freshness_minutes (jobs.yaml).',
      'Rows count every version that is kept, as the files hold them.',
    ],
    options: { json, alive: { about: 'only ask whether a worker runs (for health checks)' } },
    examples: [
      ['crossfile status', 'the whole picture'],
      ['crossfile status --json | jq .datasets', 'for a machine'],
    ],
    exits: [
      '0  everything runs and is fresh',
      '1  something is stale, failed, or only one of worker and API runs',
      '3  nothing runs, or the database cannot be reached',
    ],
  },
  jobs: {
    summary: 'every job: on or off and why, its next and its last run',
    usage: ['crossfile jobs [--json]'],
    details: ['On and off go by the settings of this shell; a worker that was started with others goes by its own.'],
    options: { json },
    examples: [['crossfile jobs', 'next runs on the clock of each job']],
  },
  run: {
    summary: 'run one job now',
    usage: ['crossfile run JOB [--date DAY] [--symbols A,B] [--no-wait] [--json]'],
    details: ['Waits for the result. Where no worker is alive the job runs in this process.'],
    options: {
      date: { value: 'DAY', about: 'the day that it asks for (today)' },
      symbols: { value: 'A,B', about: 'for jobs that ask symbol by symbol' },
      'no-wait': noWait,
      json,
    },
    examples: [
      ['crossfile run fx', "today's exchange rates"],
      ['crossfile run bars-us --date 2026-11-19', 'one day again'],
      ['crossfile run insider-issuer --symbols AAPL,BRK-B', 'the insiders of two issuers'],
    ],
    exits: ['0  it ran', '1  it failed for good', '3  the database cannot be reached'],
  },
  runs: {
    summary: 'what ran, newest first',
    usage: ['crossfile runs [--job NAME] [--state STATE] [--limit N] [--json]', 'crossfile runs dead', 'crossfile runs redrive'],
    details: ['Documents are what was read, fetched how many of them came over the network; refused went to quarantine.'],
    options: {
      job: { value: 'NAME', about: 'only this job' },
      state: { value: 'STATE', about: 'running, done, failed or lost (its worker was killed)' },
      limit: { value: 'N', about: 'how many (20)' },
      json,
    },
    examples: [
      ['crossfile runs --state failed', 'what went wrong lately'],
      ['crossfile runs --job fx --limit 5', ''],
    ],
  },
  'runs dead': {
    summary: 'jobs that were given up, with their reasons',
    usage: ['crossfile runs dead [--job NAME] [--json]'],
    options: { job: { value: 'NAME', about: 'only this job' }, json },
    examples: [['crossfile runs dead', 'crossfile runs redrive puts them back']],
  },
  'runs redrive': {
    summary: 'put given-up jobs back into their queues',
    usage: ['crossfile runs redrive [ID…] [--job NAME] [--json]'],
    details: ['Without ids and --job: all of them.'],
    options: { job: { value: 'NAME', about: 'only this job' }, json },
    examples: [['crossfile runs redrive --job filings', 'after the cause is mended']],
  },
  backfill: {
    summary: 'run a job over a past range, window by window',
    usage: ['crossfile backfill JOB --from DAY --to DAY [--symbols A,B] [--route ROUTE] [--dry-run] [--no-wait] [--json]', 'crossfile backfill list'],
    details: [
      'Says first what each way of having the range costs (at 8 requests and 25 MB a second), and which it takes: bulk files before one request a document.',
      'The same command again resumes it and asks for nothing that is held already. Scheduled runs go first.',
      'Ctrl-C leaves it to the worker; where no worker is alive it runs in this process and stops with it.',
    ],
    options: {
      from: { value: 'DAY', about: 'first day' },
      to: { value: 'DAY', about: 'last day' },
      symbols: { value: 'A,B', about: 'for jobs that are cut by symbol' },
      route: { value: 'ROUTE', about: 'documents, feed, datasets or archive (the cheapest, data sets first)' },
      'dry-run': { about: 'only say what it would cost' },
      'no-wait': noWait,
      json,
    },
    examples: [
      ['crossfile backfill filings-history --from 2024-01-01 --to 2024-12-31', 'four quarters of the EDGAR index'],
      ['crossfile backfill insider --from 2015-01-01 --to 2025-12-31 --dry-run', 'what ten years of Forms 3, 4 and 5 cost by each route'],
      ['crossfile backfill history-tiingo --symbols AAPL,MSFT --from 2000-01-01 --to 2026-11-19', 'two symbols'],
    ],
    exits: ['0  all windows are done', '1  some failed; they are listed with their reasons', '2  the arguments do not fit the job'],
  },
  'backfill list': {
    summary: 'backfills and how far they are',
    usage: ['crossfile backfill list [--limit N] [--json]'],
    options: { limit: { value: 'N', about: 'how many (20)' }, json },
    examples: [['crossfile backfill list', '']],
  },
  quarantine: {
    summary: 'what was held back, by reason, and the newest findings',
    usage: [
      'crossfile quarantine [--dataset NAME] [--reason WORD] [--subject TEXT] [--state STATE] [--limit N] [--json]',
      'crossfile quarantine show ID',
      'crossfile quarantine release ID… | reject ID…',
    ],
    options: {
      dataset: { value: 'NAME', about: 'only this dataset' },
      reason: { value: 'WORD', about: 'only this reason' },
      subject: { value: 'TEXT', about: 'only subjects that contain this: a symbol, an accession' },
      state: { value: 'STATE', about: 'held (default), released, rejected or all' },
      limit: { value: 'N', about: 'how many findings (20; 0 for the counts alone)' },
      json,
    },
    examples: [
      ['crossfile quarantine', 'the counts, then the newest'],
      ['crossfile quarantine --dataset bars --subject SHOP.TO', ''],
    ],
  },
  'quarantine show': {
    summary: 'one finding with its record and the document that it came from',
    usage: ['crossfile quarantine show ID [--json]'],
    options: { json },
    examples: [['crossfile quarantine show 17', '']],
  },
  'quarantine release': {
    summary: 'take findings in after all',
    usage: ['crossfile quarantine release ID… [--note TEXT] [--json]'],
    details: ['The word is journalled beside the raw documents, and the documents are read again so that it takes effect at once.'],
    options: { note: { value: 'TEXT', about: 'why, for whoever asks later' }, json },
    examples: [['crossfile quarantine release 17 18 --note "confirmed by the issuer"', '']],
  },
  'quarantine reject': {
    summary: 'leave findings out for good',
    usage: ['crossfile quarantine reject ID… [--note TEXT] [--json]'],
    details: ['As release: journalled, and the documents are read again.'],
    options: { note: { value: 'TEXT', about: 'why, for whoever asks later' }, json },
    examples: [['crossfile quarantine reject 19 --note "vendor glitch"', '']],
  },
  ingest: {
    summary: 'read a folder of downloaded upstream documents instead of the network',
    usage: ['crossfile ingest --recorded FOLDER [--all] [--json]'],
    details: [
      'Every file is kept raw first; what a reader recognises is read, the rest is listed with the reason. What is held already is not read again.',
    ],
    options: {
      recorded: { value: 'FOLDER', about: 'the folder; archives in it are unpacked' },
      all: { about: 'list every file that was not read, not only the folders' },
      json,
    },
    examples: [['crossfile ingest --recorded ~/downloads/edgar', '']],
    exits: ['0  something was read, or all of it was held already (also where parts are in quarantine)', '1  nothing could be read'],
  },
  telemetry: {
    summary: 'what browsers reported: how fast pages were, what the security policy blocked',
    usage: ['crossfile telemetry [--days N] [--json]'],
    details: ['Counted by day without a trace of who sent it. A worker makes the figures every quarter of an hour.'],
    options: { days: { value: 'N', about: 'the last so many days (7)' }, json },
    examples: [['crossfile telemetry --days 30', 'the last month']],
  },
  incidents: {
    summary: 'incidents of the status page: list, open, update',
    usage: ['crossfile incidents [--state open|resolved|all] [--limit N] [--json]'],
    details: ['Those that a rule opened are resolved by it when the component is well again; yours when you say so.'],
    options: {
      state: { value: 'STATE', about: 'open, resolved or all (all)' },
      limit: { value: 'N', about: 'newest so many (50)' },
      json,
    },
    examples: [['crossfile incidents --state open', 'what goes on now']],
  },
  'incidents open': {
    summary: 'tell of trouble or of planned work',
    usage: ['crossfile incidents open --title TITLE [--impact IMPACT] [--component NAME] [--note TEXT] [--since INSTANT] [--json]'],
    options: {
      title: { value: 'TITLE', about: 'one line, at most 200 characters' },
      impact: { value: 'IMPACT', about: 'minor, major, critical or maintenance (minor)' },
      component: { value: 'NAME', about: 'which one of GET /api/v1/status it is about' },
      note: { value: 'TEXT', about: 'what is known so far' },
      since: { value: 'INSTANT', about: 'when it began (now)' },
      json,
    },
    examples: [['crossfile incidents open --title "Quotes are late" --component dataset:quotes', '']],
  },
  'incidents update': {
    summary: 'add to an incident, or resolve it',
    usage: ['crossfile incidents update ID [--note TEXT] [--impact IMPACT] [--resolve] [--json]'],
    options: {
      note: { value: 'TEXT', about: 'a line that is added' },
      impact: { value: 'IMPACT', about: 'minor, major, critical or maintenance' },
      resolve: { about: 'it is over' },
      json,
    },
    examples: [['crossfile incidents update inc_0123456789abcdef --resolve --note "The source answers again"', '']],
  },
  keys: {
    summary: 'API keys: create, list, revoke',
    usage: ['crossfile keys create --name NAME', 'crossfile keys list', 'crossfile keys revoke ID|LAST4'],
    options: {},
    examples: [['crossfile help keys create', 'its options']],
  },
  'keys create': {
    summary: 'make a key and print it, this once',
    usage: ['crossfile keys create --name NAME [--tier TIER] [--scopes A,B] [--expires-days N|never] [--json]'],
    options: {
      name: { value: 'NAME', about: 'what it is for' },
      tier: { value: 'TIER', about: 'free, core (default), trader, alpha, apex or prime' },
      scopes: { value: 'A,B', about: 'data:read,market:read (default), mcp, mcp:mineral' },
      'expires-days': { value: 'N', about: 'days until it expires (365), or never' },
      json,
    },
    examples: [['crossfile keys create --name spreadsheet --scopes market:read --expires-days 90', '']],
  },
  'keys list': {
    summary: 'all keys, without their text',
    usage: ['crossfile keys list [--json]'],
    options: { json },
    examples: [['crossfile keys list', '']],
  },
  'keys revoke': {
    summary: 'end a key; every process refuses it within 5 seconds',
    usage: ['crossfile keys revoke ID|LAST4 [--json]'],
    options: { json },
    examples: [['crossfile keys revoke x7Qp', 'by its last four characters, where only one live key ends so']],
  },
  erasures: {
    summary: 'who was erased, by hash and date',
    usage: ['crossfile erasures [--json]'],
    details: ['The job erasure writes the same list to erasures.jsonl in the data folder. Keep a copy apart from the database.'],
    options: { json },
    examples: [['crossfile erasures', '']],
  },
  'erasures replay': {
    summary: 'after a restore: erase again whoever a list says was erased',
    usage: ['crossfile erasures replay FILE [--json]'],
    details: ['Run it before the API is started. Run again, it changes nothing.'],
    options: { json },
    examples: [['crossfile erasures replay /backup/erasures.jsonl', '']],
  },
  rebuild: {
    summary: 'derive every dataset again from the raw documents alone, and compare the digests',
    usage: ['crossfile rebuild [--expect DIGEST] [--keep] [--json]', 'crossfile rebuild --digest [--json]'],
    details: ['Where a catalogue is there, it is left alone and compared with; where it is gone, the data folder itself is rebuilt.'],
    options: {
      digest: { about: 'only print the digest of the state that is there' },
      expect: { value: 'DIGEST', about: 'also compare with this digest, such as one noted before the catalogue was lost' },
      keep: { about: 'keep the lake and database that were made for the comparison' },
      json,
    },
    examples: [['crossfile rebuild', '']],
    exits: ['0  equal, or rebuilt', '1  the digests differ'],
  },
  accuracy: {
    summary: 'compare what the parsers read with a file of facts',
    usage: ['crossfile accuracy --docs DIR --facts FILE [--json]'],
    details: ['A document or field that is not read counts as unequal.'],
    options: {
      docs: { value: 'DIR', about: 'the documents' },
      facts: { value: 'FILE', about: 'JSON: path of a document -> its facts' },
      all: { about: 'count kinds of documents that are not read yet as unequal' },
      json,
    },
    examples: [['crossfile accuracy --docs real/edgar --facts real/edgar/facts.json', '']],
    exits: ['0  every fact is equal', '1  any differs'],
  },
  adjust: {
    summary: 'adjust a series of bars by its corporate actions, or compare it with an expected one',
    usage: ['crossfile adjust --bars F.csv --actions F.csv [--expected F.csv] [--convention NAME] [--json]'],
    details: [
      'Heads: bars date,open,high,low,close,volume; actions ex_date,kind,numerator,denominator,amount,currency; expected date,adjusted_close.',
      'Documents of EODHD, Tiingo, Polygon, Yahoo, Alpha Vantage, Quandl, Lean and TMX are read as they are, for any of the three; --actions may stand twice.',
    ],
    options: {
      bars: { value: 'FILE', about: 'daily bars as traded' },
      actions: { value: 'FILE', about: 'splits and dividends; may be given twice' },
      symbol: { value: 'SYMBOL', about: 'which one, where a file holds several' },
      expected: { value: 'FILE', about: "the series to compare with: adjusted closes, or Lean's factors" },
      tolerance: { value: 'N', about: 'relative difference that still counts as equal: 1e-4, or a source: yahoo, lean, wiki, eodhd, exact' },
      convention: { value: 'NAME', about: 'yahoo_crsp (default), quandl_wiki or split_only' },
      adjust: { value: 'MODE', about: 'all (default), split or none' },
      'as-of': { value: 'DAY', about: 'only actions whose ex-date is not later' },
      currency: { value: 'CODE', about: "the bars' currency, where the file does not say" },
      fx: { value: 'FILE', about: 'exchange rates, for dividends in another currency' },
      'amount-basis': { value: 'BASIS', about: 'post_split or pre_split: what a dividend on the day of a split is per' },
      'exclude-spinoffs': { about: 'leave spin-offs out' },
      json,
    },
    examples: [['crossfile adjust --bars bars.csv --actions actions.csv --expected adjusted.csv', 'the worst difference and its day']],
    exits: ['0  within the tolerance', '1  not', '2  a file cannot be read'],
  },
  'blue-sky': {
    summary: 'an offering against its exemption and the notice filings of US states',
    usage: ['crossfile blue-sky --state STATE [--state STATE …] [--type TYPE] [--amount N] [--non-accredited N] [--solicitation] [--json]'],
    details: ['One state: every check with its reason. Several: a row for each, and the sum of their fees. Fees are those of a dated list.'],
    options: {
      state: { value: 'STATE', about: 'where an investor lives: code or name; may be given several times', many: true },
      type: { value: 'TYPE', about: 'reg_d_506b (default), reg_d_506c, reg_d_504, reg_a_tier1, reg_a_tier2, reg_cf and others' },
      amount: { value: 'USD', about: 'US dollars that the offering raises (5000000)' },
      'non-accredited': { value: 'N', about: 'most investors who are not accredited (0)' },
      solicitation: { about: 'the offering is advertised to the public' },
      mining: { about: 'the issuer explores for or mines minerals' },
      'flow-through': { about: 'the shares are Canadian flow-through shares' },
      exchange: { value: 'NAME', about: 'where the class is listed, such as NASDAQ or TSXV (nowhere)' },
      ruleset: { value: 'NAME', about: 'an edition such as bluesky@2026-11 (the newest)' },
      json,
    },
    examples: [
      ['crossfile blue-sky --state NY --non-accredited 12', 'one state'],
      ['crossfile blue-sky --state NY,CA,TX --type reg_d_506c --solicitation', 'several, with the sum of their fees'],
    ],
    exits: ['0  nothing fails', '1  a check fails'],
  },
  delisting: {
    summary: 'a listing against the continued-listing rules of its exchange, with its float',
    usage: ['crossfile delisting TICKER [--exchange NAME] [--total-shares N] [--insider-shares N] [--press-release FILE] [--json]'],
    details: [
      'Prices, figures and filings are those that this installation holds of the ticker; where it holds none they are unknown, never a pass.',
    ],
    options: {
      exchange: { value: 'NAME', about: 'NASDAQ (default), NasdaqGM, NasdaqCM, NYSE, NYSE American and others' },
      'total-shares': { value: 'N', about: 'shares outstanding' },
      'insider-shares': { value: 'N', about: 'of them held by officers, directors and affiliates' },
      'institutional-shares': { value: 'N', about: 'of them held by institutions' },
      'restricted-shares': { value: 'N', about: 'of them restricted' },
      'press-release': { value: 'FILE', about: 'a text file whose words are read; - is standard input' },
      country: { value: 'CN', about: 'country of the operations (US)' },
      'auditor-country': { value: 'HK', about: 'country in which the auditor is headquartered (US)' },
      auditor: { value: 'NAME', about: 'name of the audit firm' },
      'reverse-merger': { about: 'the company came to its listing by a reverse merger' },
      shell: { about: 'no or nominal operations' },
      ruleset: { value: 'NAME', about: 'an edition such as delisting@2024-12 (the newest)' },
      json,
    },
    examples: [
      ['crossfile delisting HLTB --exchange NasdaqCM --total-shares 4150000 --insider-shares 310000', 'one listing'],
      ['crossfile delisting HLTB --press-release letter.txt --ruleset delisting@2024-12', 'by the rules before January 2025'],
    ],
    exits: ['0  nothing fails', '1  a check fails'],
  },
  'flow-through': {
    summary: 'what Canadian flow-through shares cost after deduction, credits and tax',
    usage: ['crossfile flow-through --share-price N --shares N --income N --jurisdiction PLACE [--type TYPE] [--commodity WHAT] [--json]'],
    details: [
      'For an individual in any province or territory. Tax year and rates are those of a dated ruleset; what is general knowledge only says so.',
    ],
    options: {
      'share-price': { value: 'CAD', about: 'price of a share' },
      shares: { value: 'N', about: 'shares bought' },
      income: { value: 'CAD', about: 'taxable income of the year before the deduction' },
      jurisdiction: { value: 'PLACE', about: 'province or territory of residence: two letters or name' },
      type: { value: 'TYPE', about: 'regular (default), critical_mineral, none, development, oil_gas or renewable' },
      commodity: { value: 'WHAT', about: 'what the expenses explore for: names or symbols (gold)' },
      warrant: { value: 'CAD', about: 'value of the warrant that comes with a share (0)' },
      ruleset: { value: 'NAME', about: 'an edition such as fts@2025 (the newest)' },
      json,
    },
    examples: [
      ['crossfile flow-through --share-price 1.25 --shares 10000 --income 180000 --jurisdiction ON', 'gold in Ontario'],
      ['crossfile flow-through --share-price 1 --shares 10000 --income 300000 --jurisdiction BC --type critical_mineral --commodity copper', ''],
    ],
  },
  offering: {
    summary: 'an offering and its tax for one investor: US state law, or Canadian flow-through tax',
    usage: [
      'crossfile offering --investor PLACE [--offering-type TYPE] [--amount USD] [--flow-through] [--share-price N] [--shares N] [--income N] [--json]',
    ],
    details: [
      'In a state of the United States: the check of `crossfile blue-sky`. In a province or territory: the calculation of `crossfile flow-through`.',
    ],
    options: {
      investor: { value: 'PLACE', about: 'state, province or territory where the investor lives: code or name' },
      'offering-type': { value: 'TYPE', about: 'exemption that the offering relies on (reg_d_506b)' },
      amount: { value: 'USD', about: 'US dollars that the offering raises (5000000)' },
      mining: { about: 'the issuer explores for or mines minerals' },
      'flow-through': { about: 'the shares are Canadian flow-through shares' },
      exchange: { value: 'NAME', about: 'where the class is listed, such as NASDAQ or TSXV (nowhere)' },
      'share-price': { value: 'CAD', about: 'price of a share (1)' },
      shares: { value: 'N', about: 'shares bought (10000)' },
      income: { value: 'CAD', about: 'taxable income of the year before the deduction (150000)' },
      type: { value: 'TYPE', about: 'kind of flow-through share: regular (default), critical_mineral, none, development, oil_gas or renewable' },
      commodity: { value: 'WHAT', about: 'what the expenses explore for (gold)' },
      warrant: { value: 'CAD', about: 'value of the warrant that comes with a share (0)' },
      ruleset: { value: 'NAMES', about: 'editions such as bluesky@2026-11,fts@2025 (the newest)' },
      json,
    },
    examples: [
      ['crossfile offering --investor BC --flow-through --mining', 'tax of an investor in British Columbia'],
      ['crossfile offering --investor NY --flow-through --mining', 'state law for one in New York'],
    ],
    exits: ['0  nothing fails', '1  a check of the offering fails'],
  },
  withholding: {
    summary: 'tax at source on dividends between Canada and the United States, by account',
    usage: ['crossfile withholding [--issuer-country CA|US] [--account TYPE] [--instrument NAME] [--form FORM] [--amount N] [--json]'],
    details: ['Without an account: the table. Rules are those of a dated ruleset; what is general knowledge only says so.'],
    options: {
      'issuer-country': { value: 'CA|US', about: 'country of the paying issuer' },
      account: { value: 'TYPE', about: 'tfsa, rrsp, non_registered, ira, us_taxable and others' },
      'holder-country': { value: 'CA|US', about: 'residence of the holder, where the account does not say it' },
      instrument: { value: 'NAME', about: 'common (default), preferred, reit, mlp, etf_us_listed, etf_ca_listed, trust_unit, split_share or adr' },
      payment: {
        value: 'KIND',
        about: 'dividend (default), interest, return_of_capital, capital_gain, sale_proceeds, substitute, fund_interest_related',
      },
      underlying: { value: 'WHAT', about: 'what a fund holds: us (default) or foreign' },
      'held-via': { value: 'HOW', about: 'how a Canadian fund holds foreign shares: us_listed_etf (default) or direct' },
      form: { value: 'FORM', about: 'valid (default), none, or a form such as w8ben or nr301' },
      ownership: { value: 'PERCENT', about: 'of the votes that the holder owns' },
      'underlying-rate': { value: 'PERCENT', about: "rate of the underlying company's country" },
      amount: { value: 'N', about: 'gross amount' },
      ruleset: { value: 'NAME', about: 'an edition such as withholding@2026-11 (the newest)' },
      json,
    },
    examples: [
      ['crossfile withholding --issuer-country US --account tfsa', 'one account'],
      ['crossfile withholding --issuer-country US --instrument etf_ca_listed', 'every account, for a fund of Canada'],
    ],
  },
  drill: {
    summary: 'drill results of a release: intervals, grades, what does not fit and what is missing',
    usage: ['crossfile drill [FILE] [--deposit-type TYPE] [--intervals FILE.json] [--ruleset NAME] [--json]'],
    details: ['Reads FILE or standard input: sentences, bullets and tables, metric, imperial or French.'],
    options: {
      'deposit-type': { value: 'TYPE', about: 'whose grade bands apply, such as orogenic, porphyry or vms (default: by depth)' },
      intervals: { value: 'FILE.json', about: 'a list of intervals to compare the text with' },
      ruleset: { value: 'NAME', about: 'an edition such as drill@2026-11 (the newest)' },
      json,
    },
    examples: [
      ['crossfile drill < release.txt', ''],
      ['crossfile drill release.txt --deposit-type porphyry --json', 'for a machine'],
    ],
    exits: ['0  read', '1  a flag of high severity was raised'],
  },
  rulesets: {
    summary: 'the dated rules behind the answers: editions, rows, and how sure they are',
    usage: ['crossfile rulesets [--backlog] [--json]'],
    options: { backlog: { about: 'the rows that are general knowledge, to be verified, with what they cite beside it' }, json },
    examples: [
      ['crossfile rulesets', 'every edition with its validity'],
      ['crossfile rulesets --backlog', 'what somebody has to look up'],
    ],
  },
  'rulesets show': {
    summary: 'one edition: what it decides, and its rows',
    usage: ['crossfile rulesets show NAME[@EDITION] [--json]'],
    details: ['A name alone is its newest edition. --json has the whole document.'],
    options: { json },
    examples: [
      ['crossfile rulesets show withholding', ''],
      ['crossfile rulesets show djim@2021-07', 'an older one'],
    ],
  },
  'rulesets diff': {
    summary: 'what changed between two editions of one ruleset, member by member',
    usage: ['crossfile rulesets diff A B [--json]'],
    options: { json },
    examples: [['crossfile rulesets diff djim@2021-07 djim@2026-02', '']],
  },
  'rulesets answer': {
    summary: 'answer a stored request by another edition, and say what that changes',
    usage: ['crossfile rulesets answer REQUEST [--ruleset NAME] [--json]'],
    details: [
      'REQUEST is a JSON file, - for standard input, or a receipt id of this installation.',
      'A file holds {"operation", "question", "body"}: the operation by its id or as "GET /api/v1/…", body where something is posted.',
      'Compared is with the edition that the request names, else the newest. Without --ruleset: every other edition in turn.',
    ],
    options: { ruleset: { value: 'NAME', about: 'the edition to answer by' }, json },
    examples: [
      ['crossfile rulesets answer request.json --ruleset djim@2021-07', ''],
      [`echo '{"operation": "get_withholding", "question": {"account_type": "tfsa"}}' | crossfile rulesets answer -`, 'every other edition in turn'],
    ],
    exits: ['0  answered', '1  an edition could not answer; it says why'],
  },
  help: {
    summary: 'this list, or one command with its options and examples',
    usage: ['crossfile help [COMMAND]'],
    options: {},
    examples: [['crossfile help backfill', '']],
  },
} as const satisfies Readonly<Record<string, Command>>

export type CommandName = keyof typeof commands
export const commandNames = Object.keys(commands) as CommandName[]
