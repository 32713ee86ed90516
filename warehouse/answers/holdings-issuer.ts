// Holders of an issuer by Form 13F: by CUSIP, ticker, CIK or name, over the effective filings of every manager of a quarter.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { Sum } from '#schemas/decimals.ts'
import { Broken } from '#schemas/errors.ts'
import { type Built, digits, type ReleaseContext, readDatasets } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { findCorrections } from '../datasets/corrections/corrections.ts'
import { effectiveRows } from '../datasets/holdings/effective.ts'
import { type FoundClose, type FoundHolder, findCloses, findHolders, findQuarters, isAsTraded } from '../datasets/holdings/holdings.ts'
import { lastDayOf, requestedQuarter } from '../datasets/holdings/quarter.ts'
import { noReports, type QuarterReport, type QuarterReports } from '../datasets/holdings/quarter-reports.ts'
import { type SymbolMatch, symbolMatcher } from '../datasets/holdings/symbol-match.ts'
import { median, movedValue, placesOff, priceRatio } from '../datasets/holdings/unit-check.ts'
import { distinctOrigins, printedMatch, sourcesOf } from './holdings.ts'
import type { Coverage } from './holdings-coverage.ts'
import { namesLike, newestQuarter, type Query, readIssuerQuery, type Selected, securitiesOf } from './holdings-issuer-question.ts'
import { byValue, filingUrl, managerName, originOf } from './holdings-quarter.ts'
import { findUnlisted } from './listed.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['holdings', 'holdings_reports', 'symbols', 'issuer_tickers', 'bars', 'bar_corrections'] as const

const nothing: Selected = { cusips: [], keys: [] }

async function buildIssuerHolders(context: ReleaseContext, question: QuestionOf<'get_13f_issuer'>): Promise<Built> {
  const { cursor, limit, release: _release, receipt: _receipt, ...filters } = question
  const asOf = question.as_of ?? null
  const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'get_13f_issuer', filters).after[0])
  const quarter = question.period === undefined ? await newestQuarter(context, asOf) : requestedQuarter(question.period)
  const requested = await readIssuerQuery(context, question.query.trim(), asOf)
  const { cusips, keys } = quarter === null ? nothing : await securitiesOf(context, quarter, requested, asOf)
  const isSelected = cusips.length > 0 || keys.length > 0
  // A symbol with stored bars is known even if no directory lists its issuer: then there are no holders to list.
  if (!isSelected && requested.kind === 'name' && quarter !== null && (await findUnlisted(context, question.query.trim())) === null) {
    const known = await namesLike(context, quarter, question.query, asOf)
    if (known !== null) throw known
  }
  const found = quarter === null ? [] : await findHolders(context.lake, quarter, cusips, keys, asOf)
  const reports = quarter === null || found.length === 0 ? noReports : await context.quarterReports(quarter)
  const held = effectiveHolders(found, reports)
  const priced = quarter === null ? noPrices : await pricesOf(context, quarter, held, asOf)
  const rows = byValue(held.map(row => valued(row, priced)))
  const page = rows.slice(from, from + limit)
  const shown = new Set(page.map(row => row.filing_id))
  const shownReports = [...new Set(page.map(row => row.manager_cik))].sort().flatMap(manager => reports.of(manager))
  const byFiling = new Map(shownReports.map(report => [report.filing_id, report]))
  const reportOf = ({ filing_id }: Held): QuarterReport => {
    const report = byFiling.get(filing_id)
    if (!report) throw new Broken(`the report ${filing_id} is in effect and is not among those of its manager`)
    return report
  }
  const counted = new Set(rows.map(row => row.manager_cik))
  const corrections = await findCorrections(context.lake, [...shown], asOf)
  return {
    body: {
      query: question.query,
      query_kind: requested.kind,
      symbol: requested.listing?.symbol ?? null,
      cik: requested.cik,
      issuer: requested.issuer ?? rows[0]?.issuer_name ?? null,
      quarter: quarter ?? 'unknown',
      coverage: await coverageFor(context, requested, quarter, rows.length, asOf),
      holders_count: counted.size,
      securities: summarised(rows, priced),
      holders: page.map(row => ({
        manager_cik: row.manager_cik,
        manager: managerName(reports.of(row.manager_cik)),
        accession: reportOf(row).accession,
        filing_id: row.filing_id,
        cusip: row.cusip,
        class_title: row.class_title,
        put_call: row.put_call,
        shares_type: row.shares_type,
        shares: digits(row.shares),
        value: digits(row.value),
        value_usd: digits(row.value_usd),
        unit_source: row.by_price === true ? 'price' : reportOf(row).unit_source,
        discretion: row.discretion,
        flags: row.flags,
        url: filingUrl(row.manager_cik, reportOf(row).accession),
        known_from: reportOf(row).known_from,
        ...corrections.of(row.filing_id, ['holdings', row.line]),
      })),
      next_cursor:
        from + limit < rows.length
          ? encodeCursor('get_13f_issuer', filters, context.lake.versionOf(readDatasets(context, datasets)).release, [from + limit])
          : null,
    },
    sources: sourcesOf(shownReports.filter(report => shown.has(report.filing_id))),
    origins: async () => distinctOrigins([...found.flatMap(row => reports.of(row.manager_cik)), ...priced.closes.values()].map(originOf)),
    datasets,
  }
}

type Held = FoundHolder

/** The rows in effect, as the reports of each manager decide; rows are sorted by manager. */
function effectiveHolders(rows: readonly FoundHolder[], reports: QuarterReports): Held[] {
  const held: Held[] = []
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const manager = (rows[from] as FoundHolder).manager_cik
    while (rows[to]?.manager_cik === manager) to += 1
    for (const row of effectiveRows(reports.placedOf(manager), rows.slice(from, to))) held.push(row)
  }
  return held
}

type Prices = {
  readonly closes: ReadonlyMap<string, FoundClose>
  readonly matches: ReadonlyMap<string, SymbolMatch | null>
  /** Of a CUSIP: a price in dollars and its origin. */
  readonly of: ReadonlyMap<string, { readonly price: number; readonly basis: 'close' | 'median_of_holders' }>
}
const noPrices: Prices = { closes: new Map(), matches: new Map(), of: new Map() }
const securityOf = (row: { readonly cusip: string | null; readonly issuer_key: string }): string => row.cusip ?? `name:${row.issuer_key}`
/** How many holders must agree on a price before a filing is reported as a thousand times off. */
const consensus = 5

/** The price of each security at the quarter's end: the close of its listing, else the price that most holders imply. */
async function pricesOf(context: ReleaseContext, quarter: string, rows: readonly Held[], asOf: string | null): Promise<Prices> {
  const matcher = symbolMatcher(context)
  const groups = Map.groupBy(rows, securityOf)
  const matches = new Map([...groups].map(([key, own]) => [key, commonMatch(own, matcher)]))
  const symbols = [...new Set([...matches.values()].flatMap(match => (match !== null && match.confidence >= 0.85 ? [match.symbol] : [])))].sort()
  const closes = new Map((await findCloses(context.lake, symbols, lastDayOf(quarter), asOf)).map(close => [close.symbol, close]))
  const of = new Map<string, { price: number; basis: 'close' | 'median_of_holders' }>()
  for (const [key, own] of groups) {
    const close = closes.get(matches.get(key)?.symbol ?? '')
    const implied = own.flatMap(row => (row.value_usd === null ? [] : (priceRatio(row, 1) ?? [])))
    const middle = implied.length >= consensus ? median(implied) : null
    if (close !== undefined && isAsTraded(close)) of.set(key, { price: close.close, basis: 'close' })
    else if (middle !== null) of.set(key, { price: middle, basis: 'median_of_holders' })
  }
  return { closes, matches, of }
}

/** The listing that most of the names under a CUSIP match. */
function commonMatch(rows: readonly Held[], matcher: ReturnType<typeof symbolMatcher>): SymbolMatch | null {
  const counts = new Map<string, { match: SymbolMatch; rows: number }>()
  for (const row of rows) {
    const match = matcher.match(row.issuer_name, row.class_title)
    if (match === null) continue
    const held = counts.get(match.symbol)
    if (held) {
      held.rows += 1
      if (match.confidence > held.match.confidence) held.match = match
    } else counts.set(match.symbol, { match, rows: 1 })
  }
  return [...counts.values()].sort((a, b) => b.rows - a.rows || (a.match.symbol < b.match.symbol ? -1 : 1))[0]?.match ?? null
}

/** `by_price`: the price, and not the report, decided on the unit of the value. */
type Valued = Held & { readonly by_price?: true }
function valued(row: Held, prices: Prices): Valued {
  const price = prices.of.get(securityOf(row))?.price ?? null
  const ratio = priceRatio(row, price)
  const places = ratio === null ? 0 : placesOff(ratio)
  return places === 0 ? row : { ...row, value_usd: movedValue(row.value_usd ?? row.value, places), by_price: true }
}

/** One row per security: shares, principal and options separately, never summed over securities. */
function summarised(rows: readonly Valued[], prices: Prices): object[] {
  return [...Map.groupBy(rows, securityOf)]
    .map(([key, own]) => {
      const sumOf = (pick: (row: Valued) => string | null, of: readonly Valued[]): string => {
        const sum = new Sum()
        for (const row of of) sum.add(pick(row) ?? '0')
        return sum.toString()
      }
      const plain = own.filter(row => row.put_call === null)
      const [puts, calls] = [own.filter(row => row.put_call === 'put'), own.filter(row => row.put_call === 'call')]
      const price = prices.of.get(key)
      const match = prices.matches.get(key) ?? null
      const value = sumOf(row => row.value_usd, plain)
      return {
        weight: Number(value),
        printed: {
          cusip: own[0]?.cusip ?? null,
          issuer_name: commonest(own.map(row => row.issuer_name)),
          class_title: commonest(own.map(row => row.class_title)),
          symbol: match?.symbol ?? null,
          match: printedMatch(match),
          holders: new Set(own.map(row => row.manager_cik)).size,
          shares: digits(
            sumOf(
              row => row.shares,
              plain.filter(row => row.shares_type !== 'PRN'),
            ),
          ),
          principal: digits(
            sumOf(
              row => row.shares,
              plain.filter(row => row.shares_type === 'PRN'),
            ),
          ),
          value_usd: digits(value),
          put_shares: digits(sumOf(row => row.shares, puts)),
          put_value_usd: digits(sumOf(row => row.value_usd, puts)),
          call_shares: digits(sumOf(row => row.shares, calls)),
          call_value_usd: digits(sumOf(row => row.value_usd, calls)),
          price_usd: price === undefined ? null : rounded(price.price),
          price_basis: price?.basis ?? null,
          ...(isUsable(prices.closes.get(match?.symbol ?? '')) ? {} : { price_note: priceNote }),
        },
        key,
      }
    })
    .sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1))
    .map(each => each.printed)
}

/** False if the stored close cannot be compared with what the filings print. */
const isUsable = (close: FoundClose | undefined): boolean => close === undefined || isAsTraded(close)
const priceNote = 'The close that is held was divided by its source by splits that are not all known (split_adjusted_unknown): it is not used.'

function commonest(texts: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]?.[0] ?? null
}

async function coverageFor(context: ReleaseContext, requested: Query, quarter: string | null, rows: number, asOf: string | null): Promise<Coverage> {
  if (rows > 0)
    return {
      status: 'reported',
      note: `Holders by the effective 13F filings of ${quarter}. Managers below the threshold, and positions that may be left out, are not in it.`,
    }
  const quarters = quarter === null ? [] : await findQuarters(context.lake, asOf)
  if (!quarters.some(each => each.quarter === quarter))
    return { status: 'not_read', note: `No 13F of ${quarter ?? 'any quarter'} has been read yet: an empty list says nothing.` }
  if (
    requested.listing !== null &&
    requested.listing.exchange !== 'US' &&
    context.symbols.byCik(requested.cik ?? '').every(each => each.exchange !== 'US')
  )
    return { status: 'not_13f_security', note: 'Form 13F lists securities that trade in the United States; this one is listed in Canada only.' }
  return { status: 'no_holder', note: `13Fs of ${quarter} were read, and none of them names the security.` }
}

export const holdingsIssuerAnswers = {
  get_13f_issuer: { build: buildIssuerHolders },
} satisfies Answers
