// The operator's actions: `symbol,ex_date,kind,numerator,denominator,amount,currency`, further dates if known, or
// one symbol per file named <SYMBOL>.csv. Mergers, delistings and renames are in the same table, with `successor` and `terms`.
import { earliestDay } from '#schemas/days.ts'
import { Unreadable } from '#schemas/errors.ts'
import { exchangeOf, parseSymbol } from '#schemas/spelling.ts'
import { type ActionTable, actionTable, ratioParts } from '../bars/action-table.ts'
import { csvRows, pathOf, stem, type TableRow } from '../csv/body.ts'
import { dayOf, isMissing } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument, Rename } from '../parsed.ts'
import { dropInReader } from '../reader.ts'
import { eventTable } from './events.ts'
import { eventNamed, kindNamed } from './kinds.ts'

function parse(document: RawDocument): Parsed {
  const rows = csvRows(document, ['exdate', 'kind'])
  const table = actionTable('csv')
  const events = eventTable('csv')
  const histories: Fact<'split_histories'>[] = []
  const perRow = rows[0] !== undefined && 'symbol' in rows[0].cells
  // A folder may keep RY.TO.csv for the bars and RY.TO.actions.csv next to it.
  const named = perRow ? null : (parseSymbol(stem(pathOf(document.url)).replace(/[.-]actions$/i, ''))?.symbol ?? null)
  if (!perRow && named === null && rows.length > 0) {
    throw new Unreadable('symbol_not_stated', `csv ${document.url}: no column symbol, and the file is not named <SYMBOL>.csv, e.g. RY.TO.csv`)
  }
  for (const { cells, at } of rows) {
    const symbol = named ?? parseSymbol(cells['symbol'] ?? '')?.symbol
    const kind = kindNamed(cells['kind'] ?? '')
    const event = eventNamed(cells['kind'] ?? '')
    if (symbol === undefined)
      table.refuse('bad_symbol', `line ${at}`, `has symbol "${cells['symbol']?.slice(0, 40)}", expected e.g. AAPL, RY.TO or XYZ.V`, { ...cells })
    else if (isSplitHistory(cells['kind'] ?? '')) addHistory(histories, table, symbol, cells, at)
    else if (event !== null) events.add(symbol, event, cells, at)
    else if (kind === null || kind === 'no_action') {
      table.refuse(
        'unknown_kind',
        symbol,
        `line ${at} has kind "${cells['kind']?.slice(0, 40)}", expected e.g. split, dividend, special_dividend or spinoff`,
        { ...cells },
      )
    } else if (cells['currency'] && !/^[A-Z]{3}$/.test(cells['currency'])) {
      table.refuse('bad_currency', symbol, `line ${at} has currency "${cells['currency'].slice(0, 20)}", expected e.g. CAD`, { ...cells })
    } else {
      const ratio = isMissing(cells['denominator']) && !isMissing(cells['numerator']) ? ratioParts(cells['numerator']) : null
      const basis = cells['amountbasis'] === 'pre_split' ? ('pre_split' as const) : ('post_split' as const)
      table.add(
        {
          symbol,
          kind,
          ex_date: cells['exdate'],
          // `0.005263` without a second number is 1 for 190, `3:2` is 3 for 2.
          numerator: ratio?.numerator ?? cells['numerator'],
          denominator: ratio?.denominator ?? cells['denominator'],
          amount: cells['amount'],
          currency: cells['currency'] || null,
          record_date: cells['recorddate'],
          pay_date: cells['paydate'],
          declared_date: cells['declareddate'],
          amount_basis: basis,
          cancelled: /^(?:true|yes|1)$/i.test(cells['cancelled'] ?? ''),
        },
        at,
      )
    }
  }
  const parsed = table.parsed()
  const complete = histories.length === 0 ? {} : { split_histories: histories }
  const renames = renamesOf(events.facts().listing_events ?? [])
  return {
    ...(renames.length === 0 ? {} : { renames }),
    ...parsed,
    facts: { ...parsed.facts, ...events.facts(), ...complete },
    refused: [...parsed.refused, ...events.refused],
  }
}

/**
 * A rename row is the exchange's statement, copied from its bulletin. Even if a consolidation came with the new symbol, the new symbol
 * continues the same instrument. Only directories link a listing that moves to another exchange.
 */
const renamesOf = (events: readonly Fact<'listing_events'>[]): Rename[] =>
  events.flatMap(({ kind, symbol, successor, date, cancelled }) =>
    kind === 'rename' && successor !== null && !cancelled && exchangeOf(symbol) === exchangeOf(successor)
      ? [{ exchange: exchangeOf(symbol), from: symbol, to: successor, date, name: null }]
      : [],
  )

/** A row which states that the table lists every split of the symbol up to its `ex_date`, from its `from_date` on if that is given. */
const isSplitHistory = (kind: string): boolean => kind.toLowerCase().replace(/[^a-z]/g, '') === 'splitscomplete'

function addHistory(histories: Fact<'split_histories'>[], table: ActionTable, symbol: string, cells: TableRow['cells'], at: number): void {
  const [from_date, to_date] = [isMissing(cells['fromdate']) ? earliestDay : dayOf(cells['fromdate']), dayOf(cells['exdate'])]
  if (from_date === null || to_date === null || from_date > to_date)
    table.refuse('bad_date', symbol, `line ${at} is splits_complete from "${cells['fromdate'] ?? ''}" to "${cells['exdate']?.slice(0, 40)}"`, {
      ...cells,
    })
  else histories.push({ symbol, source_name: 'csv', from_date, to_date })
}

export const csvActionsReader = dropInReader(
  'csv.actions',
  'corporate_actions',
  header => header.includes('exdate') && header.includes('kind'),
  parse,
)
