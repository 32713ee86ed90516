// Lines of recent closes for the rows of a table: one request for 50 symbols, not one for each row.
import type { AnswerOf } from '#schemas/operations.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type Content, html } from '../html.ts'
import type { Ask } from '../page.ts'
import { day, price } from './format.ts'
import { sparkline } from './sparkline.ts'
import { plainText } from './table.ts'

/** Symbols of one request. */
const symbolsAtOnce = 50

export type CloseLines = {
  /** The line of a symbol; null if there are fewer than two closes. */
  readonly of: (symbol: string | null) => Content
  /** Why lines are missing; null if every request was answered. */
  readonly note: Content
}

/** Adjusted closes of the last 45 days of each symbol. Symbols that cannot be requested, such as one without its board, have no line. */
export async function closeLines(ask: Ask<'list_closes'>, symbols: readonly (string | null)[]): Promise<CloseLines> {
  const wanted = [...new Set(symbols)].filter(symbol => symbol !== null && parseSymbol(symbol)?.symbol === symbol)
  const groups = Array.from({ length: Math.ceil(wanted.length / symbolsAtOnce) }, (_, at) =>
    wanted.slice(at * symbolsAtOnce, (at + 1) * symbolsAtOnce),
  )
  const answers = await Promise.all(groups.map(group => ask('list_closes', { symbols: group.join(',') })))
  const rows = answers.flatMap(answer => (answer.ok ? answer.value.closes : []))
  const bySymbol = Map.groupBy(rows, row => row.symbol)
  return {
    of: symbol => line(symbol === null ? [] : (bySymbol.get(symbol) ?? [])),
    note: answers.every(answer => answer.ok)
      ? null
      : html`<p class="small">Lines of closes are not available for every row at the moment. Load the page again in a moment.</p>`,
  }
}

function line(closes: AnswerOf<'list_closes'>['closes']): Content {
  const [first, last] = [closes[0], closes.at(-1)]
  if (first === undefined || last === undefined) return null
  return sparkline({
    label: `Adjusted closes of ${first.symbol} in ${first.currency}, ${plainText(day(first.date))} to ${plainText(day(last.date))}`,
    values: closes.map(each => each.adjusted_close),
    show: price,
  })
}
