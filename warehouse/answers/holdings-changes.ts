// A manager's quarter against the one before: effective view against effective view, shares counted as after the splits between.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { factorOrigins, spansOf } from '../bars/bars.ts'
import { type Change, compareQuarters, type Position, type PositionRow, positionsOf } from '../holdings/changes.ts'
import { type FoundSplit, findSplits } from '../holdings/holdings.ts'
import { lastDayOf, quarterAsked, quarterBefore } from '../holdings/quarter.ts'
import { symbolMatcher } from '../holdings/symbol-match.ts'
import { numberOf, one, type Ratio, ratio, ratioOf, times } from '../prices/ratio.ts'
import { type Built, digits, type Ground, type RowOrigin, rounded } from './answer.ts'
import { distinctOrigins, printedMatch, sourcesOf, unknownManager } from './holdings.ts'
import { coverageOf } from './holdings-coverage.ts'
import { managerName, managerQuarter, originOf, reportsAndQuarter, type ValuedRow } from './holdings-quarter.ts'
import type { QuestionOf } from './types.ts'

const datasets = [
  'holdings',
  'holdings_reports',
  'symbols',
  'issuer_tickers',
  'bars',
  'bar_corrections',
  'adjustment_factors',
  'corporate_actions',
  'fx_rates',
] as const
const labels = ['new', 'added', 'reduced', 'sold_out', 'unchanged'] as const

export async function buildManagerChanges(ground: Ground, question: QuestionOf<'get_13f_changes'>): Promise<Built> {
  const { cursor, limit, release: _release, receipt: _receipt, ...filters } = question
  const asOf = question.as_of ?? null
  const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'get_13f_changes', filters).after[0])
  const asked = question.period === undefined ? null : quarterAsked(question.period)
  const { reports, quarter } = await reportsAndQuarter(ground, question.cik, asked, asOf)
  if (quarter === null) throw unknownManager(question.cik)
  const earlier = quarterBefore(quarter)
  const now = await managerQuarter(ground, question.cik, quarter, reports, 'effective', asOf)
  const before = await managerQuarter(ground, question.cik, earlier, reports, 'effective', asOf)
  const coverage = coverageOf(now.placed, quarter)
  const status =
    coverage.status !== 'reported' ? 'no_report' : coverageOf(before.placed, earlier).status !== 'reported' ? 'no_report_before' : 'compared'
  const splits = status === 'compared' ? await splitsBetween(ground, [...now.rows, ...before.rows], earlier, quarter, asOf) : noSplits
  const changes = status === 'compared' ? compareQuarters(held(now.rows), held(before.rows), splits.of).sort(byWeight) : []
  const page = changes.slice(from, from + limit)
  const matcher = symbolMatcher(ground)
  const own = [...before.placed, ...now.placed].map(({ report }) => report)
  return {
    body: {
      cik: question.cik,
      manager: managerName(own) ?? managerName(reports),
      quarter,
      quarter_before: earlier,
      status,
      coverage,
      counts: Object.fromEntries(labels.map(label => [label, changes.filter(each => each.change === label).length])),
      changes: page.map(change => printed(change, matcher)),
      next_cursor:
        from + limit < changes.length ? encodeCursor('get_13f_changes', filters, ground.lake.versionOf(datasets).release, [from + limit]) : null,
    },
    sources: sourcesOf(own),
    origins: async () => distinctOrigins([...now.origins, ...before.origins, ...reports.map(originOf), ...(await splits.origins())]),
    datasets,
  }
}

const held = (rows: readonly ValuedRow[]): Position[] => positionsOf(rows.filter(row => !row.placeholder) as readonly PositionRow[])

type Splits = { readonly of: (position: Position) => Ratio; readonly origins: () => Promise<readonly RowOrigin[]> }
const noSplits: Splits = { of: () => one, origins: async () => [] }

/** The splits between two quarters' ends of every listing that the rows mean, under whatever symbol it wore. */
async function splitsBetween(ground: Ground, rows: readonly ValuedRow[], earlier: string, quarter: string, asOf: string | null): Promise<Splits> {
  const matcher = symbolMatcher(ground)
  const symbols = [...new Set(rows.flatMap(row => row.match?.symbol ?? []))].sort()
  const worn = new Map(symbols.map(symbol => [symbol, spansOf(ground.symbols, symbol)]))
  const spans = [...worn.values()].flat()
  const found = await findSplits(ground.lake, [...new Set(spans.map(span => span.symbol))].sort(), lastDayOf(earlier), lastDayOf(quarter), asOf)
  const bySymbol = Map.groupBy(found, split => split.symbol)
  const ratios = new Map([...worn].map(([symbol, own]) => [symbol, own.map(span => product(bySymbol.get(span.symbol) ?? [])).reduce(times, one)]))
  return {
    of: position => ratios.get(matcher.match(position.issuer_name, position.class_title)?.symbol ?? '') ?? one,
    origins: async () => {
      if (found.length === 0) return []
      const split = new Set(found.map(each => each.symbol))
      const factors = found.map(each => ({ ...each, cash_amount: null, price_factor: 1, fx_rate_date: null, spinoff: false }))
      const behind = await factorOrigins(
        ground.lake,
        spans.filter(span => split.has(span.symbol)),
        factors,
        asOf,
      )
      return [...found, ...behind].map(originOf)
    },
  }
}
const product = (splits: readonly FoundSplit[]): Ratio =>
  splits.reduce((all, { split_numerator, split_denominator }) => {
    const [top, bottom] = [ratioOf(split_numerator), ratioOf(split_denominator)]
    return times(all, ratio(top.numerator * bottom.denominator, top.denominator * bottom.numerator))
  }, one)

const weight = ({ now, before }: Change): number => Math.abs(Number(now?.value_usd ?? 0) - Number(before?.value_usd ?? 0))
const nameOf = ({ now, before }: Change): string =>
  `${(now ?? before)?.cusip ?? ''}${(now ?? before)?.issuer_key ?? ''}${(now ?? before)?.put_call ?? ''}${(now ?? before)?.shares_type ?? ''}`
const byWeight = (a: Change, b: Change): number => weight(b) - weight(a) || (nameOf(a) < nameOf(b) ? -1 : 1)

function printed(change: Change, matcher: ReturnType<typeof symbolMatcher>): object {
  const position = change.now ?? change.before
  const match = position === null ? null : matcher.match(position.issuer_name, position.class_title)
  const was = change.sharesBefore
  return {
    change: change.change,
    issuer_name: position?.issuer_name ?? null,
    class_title: position?.class_title ?? null,
    cusip: position?.cusip ?? null,
    cusip_before: change.cusipChanged ? (change.before?.cusip ?? null) : null,
    put_call: position?.put_call ?? null,
    shares_type: position?.shares_type ?? null,
    symbol: match?.symbol ?? null,
    match: printedMatch(match),
    split_numerator: digits(String(change.split.numerator)),
    split_denominator: digits(String(change.split.denominator)),
    shares: digits(change.now?.shares ?? '0'),
    value_usd: digits(change.now === null ? '0' : change.now.value_usd),
    shares_before: digits(was),
    shares_before_filed: digits(change.before?.shares),
    value_before_usd: digits(change.before?.value_usd),
    shares_change: digits(change.sharesChange),
    shares_change_pct: was === null || Number(was) === 0 ? null : rounded((numberOf(ratioOf(change.sharesChange)) / Number(was)) * 100),
  }
}
