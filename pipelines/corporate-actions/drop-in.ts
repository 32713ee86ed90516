// The operator's own actions: `symbol,ex_date,kind,numerator,denominator,amount,currency`, further dates where known, or
// one symbol per file named <SYMBOL>.csv. Mergers, delistings and renames stand in the same table, with `successor` and `terms`.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { csvRows, headerOf, pathOf, stem } from '../bars/body.ts'
import { isMissing } from '../bars/cells.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { eventTable } from './events.ts'
import { eventNamed, kindNamed } from './kinds.ts'
import { actionTable, ratioParts } from './table.ts'

function parse(document: RawDocument): Parsed {
  const rows = csvRows(document, ['exdate', 'kind'])
  const table = actionTable('csv')
  const events = eventTable('csv')
  const perRow = rows[0] !== undefined && 'symbol' in rows[0].cells
  // A folder may keep RY.TO.csv for the bars and RY.TO.actions.csv beside it.
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
          // `0.005263` alone is 1 for 190, `3:2` is 3 for 2.
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
  return { ...parsed, facts: { ...parsed.facts, ...events.facts() }, refused: [...parsed.refused, ...events.refused] }
}

export const csvActionsReader: Reader = {
  name: 'csv.actions',
  source: 'csv',
  reads: () => false, // files of the drop-in folder are known by their header
  recognise: (path, head) => {
    const header = headerOf(head)
    return header.includes('exdate') && header.includes('kind') ? `recorded:${path}` : null
  },
  parse,
}
