// Polygon's daily bars: the whole US market of one day (grouped), or one symbol's days. Only unadjusted responses are bars:
// an adjusted one is divided by every split up to the day of the request.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { barTable } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

const grouped = /^https:\/\/api\.polygon\.io\/v2\/aggs\/grouped\/locale\/us\/market\/stocks\/\d{4}-\d\d-\d\d(?:\?|$)/
const daily = /^https:\/\/api\.polygon\.io\/v2\/aggs\/ticker\/[^/?]+\/range\/1\/day\//

function parse(document: RawDocument): Parsed {
  const subject = `polygon ${document.url}`
  const value = jsonOf(document)
  if (!isObject(value)) throw new Unreadable('not_aggregates', `${subject}: an object with results was expected`)
  const rows = objectsOf(value['results'] ?? [], subject)
  const table = barTable()
  if (value['adjusted'] !== false) {
    table.refuse('adjusted_prices', textIn(value, 'ticker') ?? 'US', `${rows.length} rows are adjusted for splits; ask with adjusted=false`)
    table.skip('adjusted_prices', rows.length)
    return table.parsed()
  }
  for (const [at, row] of rows.entries()) {
    const read = parseSymbol(`US:${textIn(row, 'T') ?? textIn(value, 'ticker') ?? ''}`)
    const time = Number(textIn(row, 't') ?? Number.NaN)
    if (row['otc'] === true || !read) table.skip(read ? 'over_the_counter' : 'unreadable_symbol')
    else if (!Number.isFinite(time) || Math.abs(time) > 1e14) table.refuse('bad_date', read.symbol, `row ${at + 1} has no time in t`, row)
    else {
      const date = dateIn('America/New_York', new Date(time).toISOString())
      const cell = (name: string): string | null => textIn(row, name)
      table.add({ symbol: read.symbol, date, open: cell('o'), high: cell('h'), low: cell('l'), close: cell('c'), volume: cell('v') }, at + 1)
    }
  }
  return table.parsed()
}

export const polygonBarsReader = reader('polygon.bars', 'bars', {
  reads: url => grouped.test(url) || daily.test(url),
  matches: (head, path) => {
    const bars = /^\s*\{/.test(head) && /"adjusted"\s*:\s*(?:true|false)/.test(head.slice(0, 2000)) && head.includes('"results"')
    return bars && (/grouped/.test(path) || /range__?1__?day/.test(path) || /"T"\s*:/.test(head.slice(0, 4000)))
  },
  parse,
})
