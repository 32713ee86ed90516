// Nasdaq Trader's symbol directory: nasdaqlisted.txt, otherlisted.txt, nasdaqtraded.txt. Pipe-separated, one header, one line per
// listing, and a last line `File Creation Time: MMDDYYYYHH:MM` (New York) without which the file was cut.
// Fields: nasdaqtrader.com, "Symbol Look-Up/Directory Data Fields & Definitions".
import { Unreadable } from '#schemas/errors.ts'
import { type ParsedSymbol, splitSymbol } from '#schemas/spelling.ts'
import { cqs, nasdaqAct, nasdaqIntegrated } from '#schemas/vendor-spelling.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { documentText, isDay, listingBox, parsedSymbols } from './document.ts'
import { issuerInName, usType } from './names.ts'

const venueLetters: Readonly<Record<string, string>> = { Q: 'XNAS', N: 'XNYS', A: 'XASE', P: 'ARCX', Z: 'BATS', V: 'IEXG' }
const headers = {
  nasdaqlisted: 'Symbol|Security Name|Market Category|Test Issue|',
  otherlisted: 'ACT Symbol|Security Name|Exchange|CQS Symbol|',
  nasdaqtraded: 'Nasdaq Traded|Symbol|Security Name|Listing Exchange|',
} as const
type File = keyof typeof headers
const files = Object.keys(headers) as readonly File[]
const scopes: Readonly<Record<File, readonly string[]>> = {
  nasdaqlisted: ['XNAS'],
  otherlisted: ['XNYS', 'XASE', 'ARCX', 'BATS', 'IEXG'],
  nasdaqtraded: ['XNAS', 'XNYS', 'XASE', 'ARCX', 'BATS', 'IEXG'],
}

/** The day of the last line; throws `Unreadable` if the file has no such line. */
function creationDay(lastLine: string, subject: string): string {
  const match = /^File Creation Time: ?(\d\d)(\d\d)(\d{4})\d\d:?\d\d/.exec(lastLine)
  const day = match ? `${match[3]}-${match[1]}-${match[2]}` : ''
  if (!isDay(day))
    throw new Unreadable('no_trailer', `${subject}: the last line is "${lastLine.slice(0, 60)}", not the file's creation time: the file was cut`)
  return day
}

/** The canonical symbol by the least ambiguous column that the row has. */
function symbolOf(row: Readonly<Record<string, string>>): ParsedSymbol | null {
  const act = row['ACT Symbol'] ?? row['Symbol'] ?? ''
  const integrated = row['NASDAQ Symbol'] ?? ''
  const tape = row['CQS Symbol'] ?? ''
  // nasdaqlisted.txt has no suffix column: its fifth letters are part of the symbol.
  const read = integrated === '' ? null : nasdaqIntegrated.read(integrated)
  return read ?? (tape === '' ? null : cqs.read(tape)) ?? nasdaqAct.read(act)
}

function parseDirectory(file: File, document: RawDocument): Parsed {
  const subject = `nasdaqtrader ${file}`
  const lines = documentText(document, subject).trimEnd().split(/\r?\n/)
  const header = lines[0] ?? ''
  if (!header.startsWith(headers[file])) throw new Unreadable('wrong_header', `${subject}: the first line is "${header.slice(0, 80)}"`)
  const date = creationDay(lines.at(-1) ?? '', subject)
  const columns = header.split('|').map(column => column.trim())
  const box = listingBox()
  for (const [index, line] of lines.slice(1, -1).entries()) {
    if (line === '') {
      box.skip('empty_line')
      continue
    }
    const cells = line.split('|').map(cell => cell.trim())
    const where = `${subject} line ${index + 2}`
    if (cells.length !== columns.length) {
      box.refuse('column_count', `${where}: ${cells.length} columns, the header has ${columns.length}`, line.slice(0, 40), {
        line: line.slice(0, 400),
      })
      continue
    }
    const row = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']))
    if (row['Test Issue'] === 'Y') {
      box.skip('test_issue')
      continue
    }
    const printed = row['ACT Symbol'] ?? row['Symbol'] ?? ''
    const parsed = symbolOf(row)
    const mic = file === 'nasdaqlisted' ? 'XNAS' : venueLetters[row['Exchange'] ?? row['Listing Exchange'] ?? '']
    if (parsed === null) box.refuse('unreadable_symbol', `${where}: "${printed}" is no symbol`, printed, row)
    else if (mic === undefined)
      box.refuse('unknown_venue', `${where}: ${printed} is listed on "${row['Exchange'] ?? row['Listing Exchange']}"`, printed, row)
    else {
      const name = row['Security Name'] ?? ''
      const issuer = issuerInName(name)
      const etf = row['ETF'] === 'Y'
      const type = usType({ marks: splitSymbol(parsed.symbol).marks, name, issuer }, { etf, nextShares: row['NextShares'] === 'Y' })
      box.add({ ...parsed, source_symbol: printed, mic, name, issuer, type, currency: 'USD', cik: null, etf })
    }
  }
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: [{ date, scope: scopes[file], listings }], refused, skipped })
}

export const nasdaqTraderReaders: readonly Reader[] = files.map(file =>
  reader(`nasdaqtrader.${file}`, 'symbols', {
    reads: url => new RegExp(`(?:^|[/:])${file}[^/]*\\.txt$`).test(url.split(/[?#]/)[0] ?? ''),
    matches: head => head.replace(/^\uFEFF/, '').startsWith(headers[file]),
    parse: document => parseDirectory(file, document),
  }),
)
