// Closes of many symbols within some days: those of the end-of-day answers, for the lines of a list.
import { addDays } from '#schemas/days.ts'
import { type Built, effectiveInstant, originsOf, type ReleaseContext } from '../context/answer.ts'
import {
  type Days,
  type Factor,
  type FoundPrices,
  factorOrigins,
  findBars,
  findFactorsOf,
  findPricesOf,
  ofSpans,
  orderedPrices,
  rowsOfSymbols,
  spansOf,
  splitOrigins,
} from '../datasets/bars/bars.ts'
import { findHeldOf, type HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'
import type { Span } from '../datasets/symbols/symbol-index.ts'
import { checkedWindow } from '../rules/calendars/window.ts'
import { convention, eodDatasets, printedBars, sourcesOf } from './eod.ts'
import type { Answers, QuestionOf } from './types.ts'

/** Days before the last one, if the request gives no first day. */
const defaultDays = 45

type Question = QuestionOf<'list_closes'>
type Rows = { readonly prices: FoundPrices; readonly factors: readonly Factor[]; readonly held: readonly HeldAction[] }

/** What is stored of all symbols: from the model of prices, else by one query for each table. */
async function findRows(
  { lake, prices }: ReleaseContext,
  symbols: readonly string[],
  days: Days,
  asOfDay: string,
  asOf: string | null,
): Promise<Rows> {
  const found = asOf === null ? await prices?.read(symbols, days) : null
  if (found) return found
  const [bars, factors, held] = await Promise.all([
    findPricesOf(lake, symbols, days, asOf),
    findFactorsOf(lake, symbols, asOfDay, asOf),
    findHeldOf(lake, symbols, days.from ?? '0001-01-01', asOfDay, asOf),
  ])
  return { prices: bars, factors, held }
}

/** Prices, factors and held actions of one instrument among them. */
function pickInstrument(rows: Rows, spans: readonly Span[], from: string, asOfDay: string) {
  return {
    prices: orderedPrices(rowsOfSymbols(rows.prices, new Set(spans.map(span => span.symbol))), spans),
    factors: ofSpans(rows.factors, spans).filter(factor => factor.ex_date <= asOfDay),
    held: ofSpans(rows.held, spans).filter(action => action.ex_date > from && action.ex_date <= asOfDay),
  }
}

async function buildCloses(context: ReleaseContext, question: Question): Promise<Built> {
  const { lake, symbols } = context
  const asOf = question.as_of ?? null
  const asOfDay = effectiveInstant(asOf, lake.versionOf(eodDatasets)).slice(0, 10)
  // A first day after the answer's, as before the first release, has no close and is no fault.
  const to = question.to ?? (question.from !== undefined && question.from > asOfDay ? question.from : asOfDay)
  const days = checkedWindow(question.from ?? addDays(to, -defaultDays), to)
  const requested = question.symbols.map(symbol => ({ symbol, spans: spansOf(symbols, symbol) }))
  const keys = [...new Set(requested.flatMap(({ spans }) => spans.map(span => span.symbol)))]
  const rows = await findRows(context, keys, days, asOfDay, asOf)
  const instruments = requested.map(each => ({ ...each, ...pickInstrument(rows, each.spans, days.from, asOfDay) }))
  const closes = instruments.flatMap(({ symbol, prices, factors }) =>
    printedBars(prices, factors, 'none', asOfDay).map(({ date, close, adjusted_close, basis }, at) => ({
      symbol,
      date,
      close,
      adjusted_close,
      currency: prices.currency[at] as string,
      ...(basis === undefined ? {} : { basis }),
    })),
  )
  const empty = instruments.filter(({ prices }) => prices.date.length === 0).map(({ symbol }) => symbol)
  return {
    body: {
      ...days,
      convention,
      count: closes.length,
      closes,
      held: instruments.filter(({ held }) => held.length > 0).map(({ symbol }) => symbol),
      unknown: empty.filter(symbol => symbols.find(symbol) === null),
      without_bars: empty.filter(symbol => symbols.find(symbol) !== null),
    },
    sources: sourcesOf(
      { source: instruments.flatMap(({ prices }) => prices.source), known_us: instruments.flatMap(({ prices }) => prices.known_us) },
      instruments.flatMap(({ factors, held }) => [...factors, ...held]),
    ),
    origins: async () => {
      const perInstrument = await Promise.all(
        instruments.map(async ({ spans, factors, held }) => {
          const bars = await findBars(lake, spans, days, asOf)
          const explained = bars.some(bar => bar.basis === 'reconstructed') ? await splitOrigins(lake, spans, asOf) : []
          const applied = [...factors, ...held.map(({ ex_date }) => ({ ex_date, fx_rate_date: null }))]
          return [...bars, ...explained, ...held, ...(await factorOrigins(lake, spans, applied, asOf))]
        }),
      )
      return originsOf(perInstrument.flat())
    },
    datasets: eodDatasets,
  }
}

export const closesAnswers = {
  list_closes: { build: buildCloses },
} satisfies Answers
