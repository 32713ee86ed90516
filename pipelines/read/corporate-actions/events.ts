// Cells of a table become listing events: mergers with what holders received, delistings with their value, renames and moves.
import type { z } from 'zod'
import type { ListingEventKind } from '#schemas/corporate-actions.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { dayOf, decimalOf, isMissing } from '../csv/cells.ts'
import type { Fact, Parsed, Refused } from '../parsed.ts'

type EventKind = z.infer<typeof ListingEventKind>
type Cells = Readonly<Record<string, string>>
export type EventTable = {
  readonly refused: Refused[]
  readonly add: (symbol: string, kind: EventKind, cells: Cells, at: number) => void
  readonly facts: () => Parsed['facts']
}
const longestTerms = 1000

/** Collects the events that `source` reports in one document; the second of a kind and day of a symbol is refused. */
export function eventTable(source: string): EventTable {
  const events = new Map<string, Fact<'listing_events'>>()
  const refused: Refused[] = []
  const refuse = (reason: string, symbol: string, detail: string, cells: Cells): void => {
    refused.push({ dataset: 'listing_events', reason, detail: `${symbol}: ${detail}`, subject: symbol, record: { ...cells } })
  }
  return {
    refused,
    add: (symbol, kind, cells, at) => {
      const date = dayOf(cells['exdate'] ?? cells['date'])
      const named = cells['successor'] || cells['newsymbol'] || ''
      const successor = named === '' ? null : (parseSymbol(named)?.symbol ?? null)
      const [numerator, denominator, amount] = ['numerator', 'denominator', 'amount'].map(name =>
        isMissing(cells[name]) ? null : decimalOf(cells[name]),
      )
      const negative = [numerator, denominator, amount].some(number => number?.startsWith('-'))
      const unread = ['numerator', 'denominator', 'amount'].find(name => !isMissing(cells[name]) && decimalOf(cells[name]) === null)
      if (date === null) refuse('bad_date', symbol, `line ${at} has ex_date "${cells['exdate']?.slice(0, 40)}", expected YYYY-MM-DD`, cells)
      else if (named !== '' && successor === null) refuse('bad_symbol', symbol, `line ${at} has successor "${named.slice(0, 40)}"`, cells)
      else if (unread !== undefined || negative)
        refuse(
          'bad_number',
          symbol,
          `line ${at} has ${unread ?? 'a number'} "${cells[unread ?? 'amount']?.slice(0, 40)}", expected a decimal of 0 or more`,
          cells,
        )
      else if (kind === 'rename' && successor === null)
        refuse('no_successor', symbol, `line ${at} is a rename without the new symbol in successor`, cells)
      else if (events.has(`${symbol} ${kind} ${date}`)) refuse('repeated_row', symbol, `line ${at} repeats the ${kind} of ${date}`, cells)
      else
        events.set(`${symbol} ${kind} ${date}`, {
          symbol,
          kind,
          date,
          source_name: source,
          successor,
          numerator: numerator ?? null,
          denominator: denominator ?? null,
          amount: amount ?? null,
          currency: /^[A-Z]{3}$/.test(cells['currency'] ?? '') ? (cells['currency'] ?? null) : null,
          terms: cells['terms']?.slice(0, longestTerms) || null,
          cancelled: /^(?:true|yes|1)$/i.test(cells['cancelled'] ?? ''),
        })
    },
    facts: () => (events.size === 0 ? {} : { listing_events: [...events.values()] }),
  }
}
