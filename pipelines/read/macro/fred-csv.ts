// FRED's CSV: one column of days, one for each series; `.` and an empty cell mean a missing value. The file does not state
// its day, unless a column's name ends in one (`UNRATE_20240105`, a vintage of ALFRED).
import { csvCells } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { fredDayEnds, notThisKind, observationTable, publicationDay } from './observations.ts'

const dateColumn = /^(?:observation_date|date)$/i
const seriesColumn = /^([A-Z][A-Z0-9]{1,39})(?:_(\d{4})(\d\d)(\d\d))?$/
/** FRED draws a dozen series in one chart; a longer line is not a header. */
const mostColumns = 200
/** Columns of price files, which begin with a column of days too. */
const priceColumn = /^(?:OPEN|HIGH|LOW|CLOSE|VOLUME|ADJ.*|PRICE|SYMBOL|TICKER|CODE|TYPE|AMOUNT|CURRENCY)$/

function parse(document: RawDocument): Parsed {
  const [header, ...lines] = csvCells(document)
  const [first = '', ...names] = (header?.cells ?? []).map(cell => cell.trim())
  const columns = names.map(name => seriesColumn.exec(name))
  if (!dateColumn.test(first) || columns.length === 0 || columns.length > mostColumns || columns.some(column => column === null))
    return notThisKind(document, 'header of a day and series')
  const table = observationTable(document)
  for (const { cells, at } of lines) {
    const date = dayOf(cells[0])
    if (date === null) {
      table.refuse('bad_date', names.join(','), `line ${at} has date "${String(cells[0]).slice(0, 40)}", expected YYYY-MM-DD`, { cells })
      continue
    }
    for (const [index, column] of columns.entries()) {
      const [, id = '', year, month, day] = column ?? []
      const vintage = year === undefined ? null : publicationDay(dayOf(`${year}-${month}-${day}`))
      const cell = cells[index + 1]
      if (cell === undefined) {
        table.refuse('cut_row', `fred:${id}`, `line ${at} has ${cells.length} cells, expected ${columns.length + 1}`, { cells })
        break // the columns after it are truncated too
      }
      table.add(
        {
          series: `fred:${id}`,
          date,
          vintage,
          vintage_basis: vintage === null ? 'none' : 'seen',
          status: null,
          ...(vintage === null ? {} : { known_from: fredDayEnds(vintage), known_basis: 'published' as const }),
        },
        cell,
      )
    }
  }
  return table.parsed()
}

function isHeader(line: string): boolean {
  const [first = '', ...names] = line.split(',').map(cell => cell.trim())
  return dateColumn.test(first) && names.length > 0 && names.every(name => seriesColumn.test(name) && !priceColumn.test(name))
}

export const fredCsvReader: Reader = {
  name: 'fred.csv',
  source: 'fred-csv',
  dataset: 'macro_observations',
  reads: url => url.startsWith('https://fred.stlouisfed.org/graph/fredgraph.csv?'),
  recognise: (path, head) => {
    const [header = '', row = ''] = head.replace(/^\ufeff/, '').split(/\r?\n/, 2)
    return isHeader(header) && /^\d{4}-\d\d-\d\d,/.test(row) ? `recorded:${path}` : null
  },
  parse,
}
