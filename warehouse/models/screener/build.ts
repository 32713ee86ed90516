// Computes the screener: one row per listing of a release, in steps that each leave a table (the .sql files in this folder and functions
// over the rules that other operations use). The same release gives the same rows, digit for digit.
import type { ReleaseContext } from '../../context/answer.ts'
import { type ScreenerField, screenerFields, screenerRules } from '../../rulesets/screener/fields.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'
import { fillEarnings } from './earnings.ts'
import { fillFinancials } from './financials.ts'
import { fillHolders } from './holders.ts'
import { fillFactors, fillListings, fillSpans, type IdSpan, type Listed } from './listings.ts'
import { type Moment, momentOf } from './moment.ts'
import { fillRates } from './rates.ts'
import { sqlOf } from './sql.ts'

/** Creates the tables `screener` (its rows, by code) and `origins` (their documents) in the scratch database. */
export async function buildScreener(
  shop: ScratchDatabase,
  context: ReleaseContext,
  asOf: string | null,
  report: (line: string) => void = () => {},
): Promise<void> {
  const moment = await momentOf(shop, asOf)
  const listed = await fillListings(shop, context, moment)
  const spans = await fillSpans(shop, context, listed)
  await fillFactors(shop, spans, moment)
  await fillPrices(shop, listed, spans, moment, report)
  await fillMarket(shop, listed)
  await fillRates(shop, moment)
  await shop.table('dividends', sqlOf('dividends'))
  await shop.table('declared', sqlOf('declared'), { date: moment.date, oldest: moment.oldest, as_of: asOf }, { corporate_actions: 'all' })
  await fillFinancials(shop, listed, moment)
  await fillHolders(shop, context, listed, moment)
  await fillEarnings(shop, listed, moment)
  await fillFilings(shop, moment)
  await shop.table('wide', sqlOf('screener'), { date: moment.date })
  await shop.table('screener', `select ${screenerFields.map(columnOf).join(', ')} from wide order by id`)
  await shop.table('origins', sqlOf('origins'), { from: moment.oldest, date: moment.date, as_of: asOf }, originScope)
}

const originScope = {
  symbols: 'all',
  bars: 'all',
  bar_corrections: 'all',
  adjustment_factors: 'all',
  corporate_actions: 'all',
  fx_rates: 'all',
  filings: 'all',
  issuer_tickers: 'all',
  issuers: 'all',
  dual_listings: 'all',
  insider_filings: 'all',
  holdings_reports: 'all',
  company_facts: 'all',
  earnings_evidence: 'all',
} as const

/** Listings between two lines about the progress. */
const reportedListings = 7_500
const grouped = (count: number): string => count.toLocaleString('en-US')

/** Everything computed from bars, for some listings at a time, so that only their bars are in memory. */
async function fillPrices(
  shop: ScratchDatabase,
  listed: readonly Listed[],
  spans: readonly IdSpan[],
  moment: Moment,
  report: (line: string) => void,
): Promise<void> {
  let computed = 0
  let reported = 0
  const steps = ['prices:last-session', 'returns', 'trend', 'risk', 'liquidity', 'daily_returns:daily-returns']
  const buckets = Map.groupBy(listed, row => row.bucket)
  const spansOf = Map.groupBy(spans, span => span.bucket)
  // A lake without listings has the tables too, without rows.
  for (const [bucket, own] of buckets.size > 0 ? buckets : new Map([[0, [] as Listed[]]])) {
    const [first, last] = [own[0]?.code ?? '', own.at(-1)?.code ?? '']
    const parameters = { date: moment.date, oldest: moment.oldest, as_of: moment.asOf, bucket }
    // Only the files of these symbols are verified and opened: of the whole market, it would be all files for each bucket.
    const symbols = [...new Set(spansOf.get(bucket)?.map(span => span.symbol))]
    const within = symbols.filter(symbol => symbol >= first && symbol <= last)
    await shop.table('found_bars', sqlOf('bars'), { ...parameters, first, last }, { bars: within, bar_corrections: within })
    // Bars of an earlier symbol of a listing are elsewhere in the alphabet.
    const others = symbols.filter(symbol => symbol < first || symbol > last)
    if (others.length > 0)
      await shop.table('found_bars', sqlOf('bars'), { ...parameters, first: '', last: '~' }, { bars: others, bar_corrections: others })
    await shop.table('adjusted', sqlOf('adjusted'))
    await shop.drop('found_bars')
    await shop.table('days', sqlOf('days'), { date: moment.date })
    for (const step of steps) {
      const [table, sql] = step.split(':') as [string, string?]
      await shop.table(table, sqlOf(sql ?? table), { date: moment.date })
    }
    await shop.drop('days')
    await shop.drop('adjusted')
    computed += own.length
    if (computed - reported >= reportedListings) {
      report(`screener: the prices of ${grouped(computed)} of ${grouped(listed.length)} listings are computed`)
      reported = computed
    }
  }
}

/** Minimum number of sessions for a fund's year to represent its market. */
const benchmarkSessions = 120

async function fillMarket(shop: ScratchDatabase, listed: readonly Listed[]): Promise<void> {
  const idOf = new Map(listed.map(row => [row.code, row.id]))
  const held = new Map(
    (
      await shop.query<{ id: number; n: number }>(
        'select id, count(*) as n from daily_returns where id in (select id from listings where code in (select unnest($codes))) group by id',
        { codes: screenerRules.benchmarks.flatMap(each => each.codes) },
      )
    ).map(row => [row.id, row.n]),
  )
  const benchmarks = screenerRules.benchmarks.flatMap(({ country, codes }) => {
    const code = codes.find(each => (held.get(idOf.get(each) ?? -1) ?? 0) >= benchmarkSessions)
    return code === undefined ? [] : [{ country, code, id: idOf.get(code) as number }]
  })
  await shop.fill('benchmarks', { country: 'VARCHAR', code: 'VARCHAR', id: 'INTEGER' }, benchmarks)
  await shop.table('market', sqlOf('market'))
  await shop.table('betas', sqlOf('beta'))
  await shop.drop('daily_returns')
}

async function fillFilings(shop: ScratchDatabase, { date, asOf }: Moment): Promise<void> {
  await shop.table('reports', sqlOf('filings'), { date, as_of: asOf }, { filings: 'all' })
  await shop.table('insiders', sqlOf('insiders'), { date, as_of: asOf }, { insider_filings: 'all', insider_transactions: 'all' })
  await shop.table(
    'issuer_facts',
    'select cik, sic, sic_title, state_of_incorporation, fiscal_year_end from issuers',
    { as_of: asOf },
    { issuers: 'all' },
  )
  await shop.fill('divisions', { from_sic: 'VARCHAR', to_sic: 'VARCHAR', sector: 'VARCHAR' }, screenerRules.divisions)
}

const amounts = new Set(['USD', 'currency', 'report currency', 'shares'])
/** Digits that a number keeps: amounts and counts to the cent or share, computed ratios without the noise of the last bits. */
const digitsOf = (field: ScreenerField): number => (amounts.has(field.unit ?? '') ? 15 : 12)

/** A field's column of the wide table, as its type, rounded, null if it is not a finite number. */
function columnOf(field: ScreenerField): string {
  const column = `"${field.name}"`
  if (field.type === 'integer') return `${column}::bigint as ${column}`
  if (field.type !== 'number') return `${column}::${{ text: 'varchar', date: 'date', boolean: 'boolean' }[field.type]} as ${column}`
  const digits = digitsOf(field)
  return `case when ${column} = 0 then 0.0 when isfinite(${column}) then round(${column}::double, ${digits - 1} - floor(log10(abs(${column})))::integer) end as ${column}`
}
