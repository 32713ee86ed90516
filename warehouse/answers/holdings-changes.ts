// A manager's quarter compared with the previous one: effective views, with shares adjusted for the splits in between.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { type Built, digits, type ReleaseContext, type RowOrigin } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { factorOrigins, spansOf } from '../datasets/bars/bars.ts'
import { type Corrections, findCorrections } from '../datasets/corrections/corrections.ts'
import { type Change, compareQuarters, type Position, type PositionRow, positionsOf } from '../datasets/holdings/changes.ts'
import { securityKey } from '../datasets/holdings/effective.ts'
import { type FoundSplit, findSplits } from '../datasets/holdings/holdings.ts'
import { lastDayOf, quarterBefore, requestedQuarter } from '../datasets/holdings/quarter.ts'
import { symbolMatcher } from '../datasets/holdings/symbol-match.ts'
import { numberOf, one, type Ratio, ratio, ratioOf, times } from '../datasets/prices/ratio.ts'
import { distinctOrigins, printedMatch, sourcesOf, unknownManager } from './holdings.ts'
import { coverageOf } from './holdings-coverage.ts'
import { managerName, managerQuarter, originOf, reportsAndQuarter, type ValuedRow } from './holdings-quarter.ts'
import { changesPage } from './paged/holdings.ts'
import type { Answers, QuestionOf } from './types.ts'

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

async function buildManagerChanges(context: ReleaseContext, question: QuestionOf<'get_13f_changes'>): Promise<Built> {
  const { cursor, limit, release: _release, receipt: _receipt, ...filters } = question
  const asOf = question.as_of ?? null
  const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'get_13f_changes', filters).after[0])
  const requested = question.period === undefined ? null : requestedQuarter(question.period)
  const { reports, quarter } = await reportsAndQuarter(context, question.cik, requested, asOf)
  if (quarter === null) throw unknownManager(question.cik)
  const earlier = quarterBefore(quarter)
  const now = await managerQuarter(context, question.cik, quarter, reports, 'effective', asOf)
  const before = await managerQuarter(context, question.cik, earlier, reports, 'effective', asOf)
  const coverage = coverageOf(now.placed, quarter)
  const status =
    coverage.status !== 'reported' ? 'no_report' : coverageOf(before.placed, earlier).status !== 'reported' ? 'no_report_before' : 'compared'
  const splits = status === 'compared' ? await splitsBetween(context, [...now.rows, ...before.rows], earlier, quarter, asOf) : noSplits
  const changes = status === 'compared' ? compareQuarters(held(now.rows), held(before.rows), splits.of).sort(byWeight) : []
  const page = changes.slice(from, from + limit)
  const matcher = symbolMatcher(context)
  const own = [...before.placed, ...now.placed].map(({ report }) => report)
  const corrections = await findCorrections(
    context.lake,
    own.map(report => report.filing_id),
    asOf,
  )
  const lines = Map.groupBy([...now.rows, ...before.rows], securityKey)
  return {
    body: {
      cik: question.cik,
      manager: managerName(own) ?? managerName(reports),
      quarter,
      quarter_before: earlier,
      status,
      coverage,
      counts: Object.fromEntries(labels.map(label => [label, changes.filter(each => each.change === label).length])),
      changes: page.map(change => printed(change, matcher, correctedOf(change, lines, corrections))),
      next_cursor:
        from + limit < changes.length ? encodeCursor('get_13f_changes', filters, context.lake.versionOf(datasets).release, [from + limit]) : null,
    },
    sources: sourcesOf(own),
    origins: async () => distinctOrigins([...now.origins, ...before.origins, ...reports.map(originOf), ...(await splits.origins())]),
    datasets,
  }
}

const held = (rows: readonly ValuedRow[]): Position[] => positionsOf(rows.filter(row => !row.placeholder) as readonly PositionRow[])

type Splits = { readonly of: (position: Position) => Ratio; readonly origins: () => Promise<readonly RowOrigin[]> }
const noSplits: Splits = { of: () => one, origins: async () => [] }

/** The splits between two quarters' ends of every listing in the rows, under every symbol that it had. */
async function splitsBetween(
  context: ReleaseContext,
  rows: readonly ValuedRow[],
  earlier: string,
  quarter: string,
  asOf: string | null,
): Promise<Splits> {
  const matcher = symbolMatcher(context)
  const symbols = [...new Set(rows.flatMap(row => row.match?.symbol ?? []))].sort()
  const spansBySymbol = new Map(symbols.map(symbol => [symbol, spansOf(context.symbols, symbol)]))
  const spans = [...spansBySymbol.values()].flat()
  const found = await findSplits(context.lake, [...new Set(spans.map(span => span.symbol))].sort(), lastDayOf(earlier), lastDayOf(quarter), asOf)
  const bySymbol = Map.groupBy(found, split => split.symbol)
  const ratios = new Map(
    [...spansBySymbol].map(([symbol, own]) => [symbol, own.map(span => product(bySymbol.get(span.symbol) ?? [])).reduce(times, one)]),
  )
  return {
    of: position => ratios.get(matcher.match(position.issuer_name, position.class_title)?.symbol ?? '') ?? one,
    origins: async () => {
      if (found.length === 0) return []
      const split = new Set(found.map(each => each.symbol))
      const factors = found.map(each => ({ ...each, cash_amount: null, price_factor: 1, fx_rate_date: null, spinoff: false }))
      const behind = await factorOrigins(
        context.lake,
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

/** The corrections of the lines of both quarters that a change is made of. */
function correctedOf(change: Change, lines: ReadonlyMap<string, readonly ValuedRow[]>, corrections: Corrections): object {
  const keys = [...new Set([change.before, change.now].flatMap(position => (position === null ? [] : securityKey(position))))]
  const behind = keys.flatMap(key => lines.get(key) ?? [])
  return corrections.ofLines(behind.map(row => ({ dataset: 'holdings', filing: row.filing_id, line: row.line })))
}

function printed(change: Change, matcher: ReturnType<typeof symbolMatcher>, corrected: object): object {
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
    ...corrected,
  }
}

export const holdingsChangesAnswers = {
  get_13f_changes: { build: buildManagerChanges, page: changesPage },
} satisfies Answers
