// Closes of many symbols within some days: those of the end-of-day answers, for the lines of a list.
import { addDays } from '#schemas/days.ts'
import { type Built, effectiveInstant, originsOf, type ReleaseContext } from '../context/answer.ts'
import { factorOrigins, findBars, spansOf, splitOrigins } from '../datasets/bars/bars.ts'
import { checkedWindow } from '../rules/calendars/window.ts'
import { convention, eodDatasets, printedBars, sourcesOf } from './eod.ts'
import { findPriceRows, seriesOf } from './price-series.ts'
import type { Answers, QuestionOf } from './types.ts'

/** Days before the last one, if the request gives no first day. */
const defaultDays = 45

type Question = QuestionOf<'list_closes'>

async function buildCloses(context: ReleaseContext, question: Question): Promise<Built> {
  const { lake, symbols } = context
  const asOf = question.as_of ?? null
  const asOfDay = effectiveInstant(asOf, lake.versionOf(eodDatasets)).slice(0, 10)
  // A first day after the answer's, as before the first release, has no close and is no fault.
  const to = question.to ?? (question.from !== undefined && question.from > asOfDay ? question.from : asOfDay)
  const days = checkedWindow(question.from ?? addDays(to, -defaultDays), to)
  const requested = question.symbols.map(symbol => ({ symbol, spans: spansOf(symbols, symbol) }))
  const every = requested.flatMap(({ spans }) => spans)
  const rows = await findPriceRows(context, every, days, asOfDay, asOf)
  const instruments = requested.map(each => ({ ...each, ...seriesOf(rows, each.spans, days, asOfDay) }))
  const closes = instruments.flatMap(({ symbol, bars, factors }) =>
    printedBars(bars, factors, 'none', asOfDay).map(({ date, close, adjusted_close, basis }, at) => ({
      symbol,
      date,
      close,
      adjusted_close,
      currency: bars.currency[at] as string,
      ...(basis === undefined ? {} : { basis }),
    })),
  )
  const empty = instruments.filter(({ bars }) => bars.date.length === 0).map(({ symbol }) => symbol)
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
      { source: instruments.flatMap(({ bars }) => bars.source), known_us: instruments.flatMap(({ bars }) => bars.known_us) },
      instruments.flatMap(({ factors, held }) => [...factors, ...held]),
    ),
    origins: async () => {
      const perInstrument = await Promise.all(
        instruments.map(async ({ spans, factors, held }) => {
          const found = await findBars(lake, spans, days, asOf)
          const explained = found.some(bar => bar.basis === 'reconstructed') ? await splitOrigins(lake, spans, asOf) : []
          const applied = [...factors, ...held.map(({ ex_date }) => ({ ex_date, fx_rate_date: null }))]
          return [...found, ...explained, ...held, ...(await factorOrigins(lake, spans, applied, asOf))]
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
