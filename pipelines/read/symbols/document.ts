// What every reader of symbol documents does first: bytes to text, and the errors that come disguised as a list.
import { readCsv } from '#schemas/csv.ts'
import { BadRequest, Unreadable } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { excerpt, isHtml } from '../../fetch/sources/sniff.ts'
import type { Listing, Parsed, RawDocument, Refused } from '../parsed.ts'

/** MICs of venues of the United States by the names that vendors print. */
export const usMics = {
  NYSE: 'XNYS',
  NASDAQ: 'XNAS',
  'NYSE ARCA': 'ARCX',
  'NYSE MKT': 'XASE',
  AMEX: 'XASE',
  BATS: 'BATS',
  IEX: 'IEXG',
  PINK: 'OTCM',
} as const

const mostBytes = 64 * 1024 * 1024 // the largest list known, 60,000 delisted symbols, has 6 MB

/** A listing with the days between which its source has prices for it, if the source states them. */
export type DatedListing = Listing & { readonly first_date?: string | null; readonly last_date?: string | null }

/** The document as text without a byte order mark. Throws `Unreadable` for an empty one, a web page and an oversized one. */
export function documentText(document: RawDocument, subject: string): string {
  if (document.body.byteLength > mostBytes) throw new Unreadable('too_large', `${subject}: ${document.body.byteLength} bytes, limit ${mostBytes}`)
  const text = new TextDecoder('utf-8', { ignoreBOM: false }).decode(document.body)
  if (text.trim() === '') throw new Unreadable('empty', `${subject}: no text`)
  if (isHtml(text)) throw new Unreadable('html_instead', `${subject}: a web page instead of a list: "${excerpt(text)}"`)
  return text
}

/** The document as JSON; throws `Unreadable` if it is not JSON, e.g. because it is truncated. */
export function documentJson(document: RawDocument, subject: string): unknown {
  const text = documentText(document, subject)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Unreadable('not_json', `${subject}: expected JSON, got "${excerpt(text)}" (${text.length} characters)`, { cause })
  }
}

/** The rows of a CSV as text, never guessed at: `NA`, `TRUE` and `000001` stay what they are. Rows may differ in length. */
export function csvRows(text: string, delimiter = ','): string[][] {
  return readCsv(text, delimiter).rows.map(({ cells }) => cells.map(cell => cell.trim()))
}

/** A JSON value as an object, or null. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
}
/** A JSON value as text without surrounding space; null for nothing, an empty text and anything that is no text. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

export const isDay = (text: string): boolean => IsoDate.safeParse(text).success

/** The day of a document that does not state it: a day in its address, else that of its retrieval in New York. */
export function dayOf(document: Pick<RawDocument, 'url' | 'retrieved_at'>): string {
  const named = /(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)/.exec(document.url.split('?')[0] ?? '')?.[1]
  if (named !== undefined && isDay(named)) return named
  if (Number.isNaN(Date.parse(document.retrieved_at)))
    throw new BadRequest(`${document.url}: retrieved at "${document.retrieved_at}", which is no instant`)
  return dateIn('America/New_York', document.retrieved_at)
}

/** Takes listings one by one and refuses the second of a symbol, so that a row never appears twice. */
export function listingBox(): {
  readonly add: (listing: DatedListing) => void
  readonly refuse: (reason: string, detail: string, subject: string, record: Readonly<Record<string, unknown>> | null) => void
  readonly skip: (reason: string) => void
  readonly listings: DatedListing[]
  readonly refused: Refused[]
  readonly skipped: Record<string, number>
} {
  const seen = new Map<string, DatedListing>()
  const listings: DatedListing[] = []
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  const refuse = (reason: string, detail: string, subject: string, record: Readonly<Record<string, unknown>> | null): void => {
    refused.push({ dataset: 'symbols', reason, detail, subject, record })
  }
  return {
    listings,
    refused,
    skipped,
    refuse,
    skip: reason => {
      skipped[reason] = (skipped[reason] ?? 0) + 1
    },
    add: listing => {
      const first = seen.get(listing.symbol)
      const again = first !== undefined && (listing.first_date ?? null) === (first.first_date ?? null)
      if (again) {
        refuse(
          'duplicate_symbol',
          `${listing.symbol}: twice in one list, as "${first.source_symbol}" and "${listing.source_symbol}"`,
          listing.symbol,
          {
            first: first.name,
            second: listing.name,
          },
        )
        return
      }
      seen.set(listing.symbol, listing)
      listings.push(listing)
    },
  }
}

/** A parsed document that contains only the given rows. */
export function parsedSymbols(given: Partial<Parsed>): Parsed {
  return { facts: {}, refused: [], skipped: {}, follow: [], ...given }
}
