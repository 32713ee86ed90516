// The register of rulesets: what each decides, who asks it, and by which members the rows of two editions are matched. The editions
// themselves are the files of its folder (catalogue.ts). A test fails for a folder or a file that no line here stands for.

/**
 * law: what a statute, treaty, exchange or regulator says; method: how a published standard or the project itself judges;
 * product: parameters of the service.
 */
export type RulesetKind = 'law' | 'method' | 'product'

export type Registered = {
  /** What stands before the edition in a ruleset's id: `withholding` of `withholding@2026-11`. */
  readonly name: string
  /** Folder in warehouse/rulesets. */
  readonly folder: string
  readonly title: string
  readonly decides: string
  readonly kind: RulesetKind
  /** Ids of the operations that answer by it. */
  readonly operations: readonly string[]
  readonly commands: readonly string[]
  /** Members that name an entry of a list, so that it is found in another edition: `a.b` is the list b in each entry of a. */
  readonly keys: Readonly<Record<string, readonly string[]>>
  /** Lists and objects that are rules: each of their rows has to say valid_from, valid_to, source and confidence. */
  readonly rules: readonly string[]
}

const shariaStandard = {
  folder: 'sharia',
  kind: 'method',
  operations: ['get_sharia_screen_all', 'get_sharia_screen', 'get_sharia_purification'],
  commands: [],
  keys: { tests: ['id'], activities: ['category'], instruments: ['type'] },
  rules: ['tests', 'activities', 'instruments', 'index_rule'],
} as const
const macro = { folder: 'macro', kind: 'product', commands: [], rules: [] } as const

export const rulesetRegister: readonly Registered[] = [
  {
    ...shariaStandard,
    name: 'aaoifi-ss21',
    title: "AAOIFI Shari'ah Standard 21",
    decides: 'whether a share is compliant with the AAOIFI standard',
  },
  {
    name: 'arb',
    folder: 'arb',
    title: 'Cross-border spreads',
    decides: 'when the prices of a pair may be compared, and what a round trip costs',
    kind: 'product',
    operations: ['list_arb_pairs', 'get_arb_pair'],
    commands: [],
    keys: { costs: ['cost', 'valid_from'] },
    rules: ['costs'],
  },
  { ...shariaStandard, name: 'djim', title: 'Dow Jones Islamic Market Indices', decides: 'whether a share is compliant with the Dow Jones methodology' },
  {
    name: 'drill',
    folder: 'drill',
    title: 'Drill results',
    decides: 'how drill results are read: units, metals and prices, grade bands, flags, and the words of NI 43-101',
    kind: 'method',
    operations: ['interpret_drill'],
    commands: ['drill'],
    keys: {
      sources: ['id'],
      metals: ['metal'],
      units: ['unit'],
      bands: ['deposit_type', 'metals'],
      flags: ['code'],
      'reading.rows': ['from'],
    },
    rules: ['constants', 'units', 'bands', 'default_depth', 'reading', 'limits'],
  },
  {
    name: 'dual-listings',
    folder: 'dual-listings',
    title: 'Dual listings',
    decides: 'which lines in Toronto and in the United States are one share, and at which ratio',
    kind: 'method',
    operations: ['list_dual_listings', 'list_arb_pairs', 'get_arb_pair'],
    commands: [],
    keys: { pairs: ['tsx_symbol', 'us_symbol', 'valid_from'], not_pairs: ['tsx_symbol', 'us_symbol'] },
    rules: ['pairs'],
  },
  {
    name: 'exchange-calendars',
    folder: 'exchange-calendars',
    title: 'Calendars of exchanges',
    decides: 'on which days and hours an exchange trades',
    kind: 'law',
    operations: ['list_exchanges'],
    commands: [],
    keys: {
      calendars: ['id'],
      'calendars.hours': ['valid_from'],
      'calendars.holidays': ['name', 'from_year'],
      'calendars.closings': ['date'],
      'calendars.half_days': ['name', 'from_year', 'weekdays'],
      'calendars.special_hours': ['date'],
      venues: ['mic'],
      exchanges: ['exchange'],
    },
    rules: ['calendars'],
  },
  { ...shariaStandard, name: 'ftse-yasaar', title: 'FTSE Global Equity Shariah (Yasaar)', decides: 'whether a share is compliant with the FTSE ground rules' },
  {
    name: 'insider-reporting',
    folder: 'insider-reporting',
    title: 'Reports of insiders',
    decides: 'whether the insiders of an issuer file Forms 3, 4 and 5 or report in another country',
    kind: 'law',
    operations: ['get_form4'],
    commands: [],
    keys: { sources: ['id'], exempt: ['jurisdiction'] },
    rules: ['exempt'],
  },
  {
    name: 'line-items',
    folder: 'line-items',
    title: 'Standard line items',
    decides: 'which XBRL concepts say what a standard line item holds',
    kind: 'product',
    operations: ['get_fundamentals', 'run_screener'],
    commands: [],
    keys: { items: ['item'] },
    rules: [],
  },
  { ...macro, name: 'macro-countries', title: 'Countries of the macro series', decides: 'which countries have series', operations: ['list_macro_countries'], keys: {} },
  {
    ...macro,
    name: 'macro-indicators',
    title: 'Indicators of the macro series',
    decides: 'which series of which source answers for an indicator',
    operations: ['get_macro_country', 'get_macro_series'],
    keys: { indicators: ['country', 'code'], 'indicators.sources': ['series'] },
  },
  {
    ...macro,
    name: 'macro-releases',
    title: 'Releases of statistical agencies',
    decides: 'whose a release is, at which time of day it comes, and which indicators it prints',
    operations: ['list_economic_events'],
    keys: { releases: ['country', 'titles'] },
  },
  {
    ...macro,
    name: 'macro-schedules',
    title: 'Schedules of the central banks',
    decides: 'on which days the central banks announce their rates',
    operations: ['list_economic_events'],
    keys: { schedules: ['id', 'valid_from'], 'schedules.events': ['date', 'title'] },
  },
  {
    ...macro,
    name: 'macro-world-bank',
    title: 'Annual indicators of the World Bank',
    decides: 'which annual indicators every country has',
    operations: ['get_macro_country', 'get_macro_series'],
    keys: { indicators: ['code'] },
  },
  { ...shariaStandard, name: 'msci-islamic', title: 'MSCI Islamic Index Series', decides: 'whether a share is compliant with the MSCI methodology' },
  {
    name: 'plans',
    folder: 'plans',
    title: 'Plans',
    decides: 'what each tier may ask, and how often',
    kind: 'product',
    operations: ['list_plans'],
    commands: [],
    keys: { plans: ['tier'] },
    rules: [],
  },
  {
    name: 'quotes',
    folder: 'quotes',
    title: 'Quotes',
    decides: 'which source speaks for a listing, and when a price is stale',
    kind: 'product',
    operations: ['get_quotes', 'get_quote', 'get_intraday'],
    commands: [],
    keys: {
      precedence: ['exchange'],
      extended_hours: ['exchange'],
      minor_units: ['printed'],
      'tracked.sources': ['source'],
      intraday_requests: ['source', 'exchanges', 'interval'],
    },
    rules: [],
  },
  {
    name: 'report-dates',
    folder: 'report-dates',
    title: 'Dates of reports',
    decides: 'which mark of which source says that an issuer set the day of its report',
    kind: 'product',
    operations: ['list_earnings_calendar', 'get_earnings'],
    commands: [],
    keys: { marks: ['source', 'mark'] },
    rules: [],
  },
  {
    name: 'rfdiff',
    folder: 'rfdiff',
    title: 'Differences of risk factors',
    decides: 'how the risk factors of two filings are aligned and classed',
    kind: 'product',
    operations: ['get_filing_diff'],
    commands: [],
    keys: {},
    rules: [],
  },
  {
    name: 'screener',
    folder: 'screener',
    title: 'Fields of the screener',
    decides: 'what each field says, in which unit and from which datasets',
    kind: 'product',
    operations: ['run_screener', 'list_screener_fields'],
    commands: [],
    keys: { benchmarks: ['country'], divisions: ['from_sic'], fields: ['name'] },
    rules: [],
  },
  {
    name: 'sharia-inputs',
    folder: 'sharia',
    title: 'Figures of the Sharia screens',
    decides: 'which facts stand for what a standard names',
    kind: 'product',
    operations: shariaStandard.operations,
    commands: [],
    keys: { items: ['item'] },
    rules: [],
  },
  {
    name: 'sharia-sic-prior',
    folder: 'sharia',
    title: 'Industries that fail a Sharia screen',
    decides: 'which industry codes fail a company that nobody has reviewed',
    kind: 'method',
    operations: shariaStandard.operations,
    commands: [],
    keys: { rows: ['sic'] },
    rules: ['rows'],
  },
  { ...shariaStandard, name: 'sp-shariah', title: 'S&P Shariah Indices', decides: 'whether a share is compliant with the S&P methodology' },
  {
    name: 'status',
    folder: 'status',
    title: 'Status of the service',
    decides: 'when a component counts as slow or late, and when an incident opens and closes',
    kind: 'product',
    operations: ['get_status', 'list_status_history', 'list_incidents'],
    commands: ['status'],
    keys: { impact: ['component'] },
    rules: [],
  },
  {
    name: 'themes',
    folder: 'themes',
    title: 'Themes',
    decides: 'which listings belong to a theme',
    kind: 'product',
    operations: ['list_themes'],
    commands: [],
    keys: { themes: ['id'], 'themes.rules': ['rule'] },
    rules: [],
  },
  {
    name: 'withholding',
    folder: 'withholding',
    title: 'Tax at source on dividends between Canada and the United States',
    decides: 'at which rate a payment is taxed at source, by payer, instrument, account and form',
    kind: 'law',
    operations: ['get_withholding'],
    commands: ['withholding'],
    keys: { sources: ['id'], countries: ['issuer_country'], accounts: ['holder_country', 'account_type'], rules: ['id'], 'rules.levels': ['level'] },
    rules: ['person', 'countries', 'accounts', 'rules'],
  },
]
