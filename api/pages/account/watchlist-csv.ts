// The watchlist as CSV: reading rows to add, and writing the items so that they can be imported again.
import { readCsv } from '#schemas/csv.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { maxImported } from '#schemas/watchlist.ts'
import { rowLine } from '../../tables/text.ts'

type Item = AnswerOf<'list_watchlist'>['items'][number]
type Row = { readonly line: number; readonly ticker: string; readonly tags: readonly string[]; readonly note: string | null }

const names = { ticker: ['symbol', 'ticker'], tags: ['tags', 'tag'], note: ['note', 'notes'] } as const

export const tagsOf = (text: string): string[] =>
  text
    .split(/[,;]/)
    .map(tag => tag.trim())
    .filter(tag => tag !== '')

/** The rows of a CSV, or why it cannot be read. Without a header, the columns are symbol, tags and note. */
export function readWatchlist(csv: string): { readonly rows: readonly Row[] } | { readonly fault: string } {
  const { rows, broken } = readCsv(csv, [',', ';', '\t'])
  if (broken) return { fault: `Line ${broken.line}: a quoted cell does not end as it should.` }
  const [first] = rows
  if (!first) return { fault: 'Paste a CSV or symbols, one a line, or choose a file.' }
  const header = first.cells.map(cell => cell.trim().toLowerCase())
  const isHeader = header.some(cell => (names.ticker as readonly string[]).includes(cell))
  const columnOf = (name: keyof typeof names, otherwise: number): number =>
    isHeader ? header.findIndex(cell => (names[name] as readonly string[]).includes(cell)) : otherwise
  const [ticker, tags, note] = [columnOf('ticker', 0), columnOf('tags', 1), columnOf('note', 2)]
  const listed = (isHeader ? rows.slice(1) : rows).map(({ line, cells }) => {
    const text = (note < 0 ? '' : (cells[note] ?? '')).trim()
    return { line, ticker: (cells[ticker] ?? '').trim(), tags: tagsOf(tags < 0 ? '' : (cells[tags] ?? '')), note: text === '' ? null : text }
  })
  if (listed.length === 0) return { fault: 'The CSV has a header and no row.' }
  if (listed.length > maxImported) return { fault: `The CSV has ${listed.length} rows; import at most ${maxImported} at a time.` }
  return { rows: listed }
}

export const writeWatchlist = (items: readonly Item[]): string =>
  [['symbol', 'tags', 'note'], ...items.map(({ ticker, tags, note }) => [ticker, tags.join('; '), note])].map(cells => rowLine('csv', cells)).join('')
