// Lean's daily US equity files: no header, raw prices times 10,000, `20040819 00:00,1359100,…`; the symbol is the file's name.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { csvCells, pathOf, stem } from '../csv/body.ts'
import { barTable } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

/** A price in ten-thousandths as a decimal: `1359100` is `135.91`. */
function price(text: string | undefined): string {
  if (!/^\d{1,15}$/.test(text ?? '')) return text ?? ''
  const digits = (text ?? '').padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`
}

function parse(document: RawDocument): Parsed {
  const symbol = parseSymbol(`US:${stem(pathOf(document.url))}`)?.symbol
  if (symbol === undefined) throw new Unreadable('symbol_not_stated', `lean ${document.url}: the file's name is no symbol; expected e.g. spy.csv`)
  const table = barTable()
  for (const { cells, at } of csvCells(document)) {
    const [time = '', open, high, low, close, volume] = cells
    const day = /^(\d{4})(\d\d)(\d\d) 00:00$/.exec(time.trim())
    if (!day) table.refuse('bad_date', symbol, `row ${at} starts with "${time.slice(0, 40)}", expected YYYYMMDD 00:00`, { cells })
    else
      table.add(
        { symbol, date: `${day[1]}-${day[2]}-${day[3]}`, open: price(open), high: price(high), low: price(low), close: price(close), volume },
        at,
      )
  }
  return table.parsed()
}

export const leanReader = reader('lean.daily', 'bars', {
  reads: () => false, // files only
  matches: head => /^\ufeff?\d{8} 00:00,\d+,\d+,\d+,\d+,\d+\r?\n/.test(head),
  parse,
})
