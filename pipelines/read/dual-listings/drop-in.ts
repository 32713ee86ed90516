// The operator's own pairs in the drop-in folder: a CSV with the columns
// tsx_symbol,us_symbol[,issuer,ratio,us_mic,valid_from,valid_to,tracked,evidence,last_verified,note] in any order. Symbols in any usual
// spelling; ratio is Toronto shares per one US share (default 1); tracked defaults to yes. A row replaces the curated pair of the same two
// symbols: with valid_to it ends the pair.
import { z } from 'zod'
import { parseSymbol, parseSymbolOn } from '#schemas/spelling.ts'
import { Decimal, IsoDate } from '#schemas/values.ts'
import { csvRows, type TableRow } from '../csv/body.ts'
import type { Fact, Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { dropInReader } from '../reader.ts'

const yes = /^(?:y|yes|true|1)$/i
const no = /^(?:n|no|false|0)$/i

const Mic = z.string().regex(/^[A-Z]{4}$/)

type Cells = TableRow['cells']
type Fault = { readonly fault: string; readonly detail: string }

/** A Toronto symbol, also without a suffix, because the column states the exchange. */
function canadian(text: string): string | null {
  const parsed = /\.|:/.test(text) ? parseSymbol(text) : parseSymbolOn('TO', text)
  return parsed && parsed.exchange !== 'US' ? parsed.symbol : null
}
function american(text: string): string | null {
  const parsed = parseSymbol(text)
  return parsed?.exchange === 'US' ? parsed.symbol : null
}

function pairOf(cells: Cells): Fact<'dual_listings'> | Fault {
  const cell = (name: string): string | null => cells[name] || null
  const tsx_symbol = canadian(cells['tsxsymbol'] ?? '')
  const us_symbol = american(cells['ussymbol'] ?? '')
  const ratio = cell('ratio') ?? '1'
  const days = { valid_from: cell('validfrom'), valid_to: cell('validto'), last_verified: cell('lastverified') }
  const badDay = Object.entries(days).find(([, day]) => day !== null && !IsoDate.safeParse(day).success)
  const tracked = cell('tracked') ?? 'yes'
  const mic = cell('usmic')
  if (tsx_symbol === null)
    return { fault: 'bad_symbol', detail: `has tsx_symbol "${cells['tsxsymbol']?.slice(0, 40)}", expected e.g. RY.TO or XYZ.V` }
  if (us_symbol === null) return { fault: 'bad_symbol', detail: `has us_symbol "${cells['ussymbol']?.slice(0, 40)}", expected e.g. RY or BRK-B` }
  if (!Decimal.safeParse(ratio).success || Number(ratio) <= 0)
    return { fault: 'bad_ratio', detail: `has ratio "${ratio.slice(0, 40)}", expected a decimal above 0` }
  if (badDay) return { fault: 'bad_date', detail: `has ${badDay[0]} "${badDay[1]?.slice(0, 40)}", expected YYYY-MM-DD` }
  if (days.valid_from !== null && days.valid_to !== null && days.valid_to < days.valid_from)
    return { fault: 'bad_date', detail: `ends on ${days.valid_to}, before it begins on ${days.valid_from}` }
  if (!yes.test(tracked) && !no.test(tracked)) return { fault: 'bad_flag', detail: `has tracked "${tracked.slice(0, 20)}", expected yes or no` }
  if (mic !== null && !Mic.safeParse(mic).success)
    return { fault: 'bad_mic', detail: `has us_mic "${mic.slice(0, 20)}", expected four capitals such as XNYS` }
  return {
    tsx_symbol,
    us_symbol,
    us_mic: mic,
    issuer: cell('issuer'),
    ratio,
    ...days,
    tracked: yes.test(tracked),
    evidence: cell('evidence'),
    note: cell('note'),
  }
}

function parse(document: RawDocument): Parsed {
  const pairs = new Map<string, Fact<'dual_listings'>>()
  const refused: Refused[] = []
  const refuse = (reason: string, subject: string, detail: string, record: Cells): void => {
    refused.push({ dataset: 'dual_listings', reason, subject, detail: `csv ${document.url}: ${detail}`, record })
  }
  for (const { cells, at } of csvRows(document, ['tsxsymbol', 'ussymbol'])) {
    const subject = `${cells['tsxsymbol']?.slice(0, 20)}/${cells['ussymbol']?.slice(0, 20)}`
    const pair = pairOf(cells)
    if ('fault' in pair) refuse(pair.fault, subject, `line ${at} ${pair.detail}`, cells)
    else {
      const key = `${pair.tsx_symbol} ${pair.us_symbol}`
      if (pairs.has(key))
        refuse('pair_twice', subject, `line ${at} names ${pair.tsx_symbol} and ${pair.us_symbol} again; the first row is kept`, cells)
      else pairs.set(key, pair)
    }
  }
  return { facts: pairs.size === 0 ? {} : { dual_listings: [...pairs.values()] }, refused, skipped: {}, follow: [] }
}

export const dualListingReaders: readonly Reader[] = [
  dropInReader('csv.dual-listings', 'dual_listings', header => header.includes('tsxsymbol') && header.includes('ussymbol'), parse),
]
