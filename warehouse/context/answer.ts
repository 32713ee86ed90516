// Converts records to bytes: the members of every answer in a fixed order, with their digits. The same request to the same release gives
// the same payload, in the API, in a page and in a reproduction.
import type { Source } from '#schemas/answer.ts'
import { isCorrectable } from '#schemas/corrections.ts'
import type { DatasetName } from '#schemas/index.ts'
import { findCorrectionOrigins } from '../datasets/corrections/corrections.ts'
import type { PairBook } from '../datasets/dual-listings/pairs.ts'
import type { IssuerIndex } from '../datasets/filings/issuer-index.ts'
import type { FilingIndex } from '../datasets/filings/search-index.ts'
import type { QuarterReports } from '../datasets/holdings/quarter-reports.ts'
import type { SymbolIndex } from '../datasets/symbols/symbol-index.ts'
import type { TranscriptIndex } from '../datasets/transcripts/search-index.ts'
import type { DatasetRelease } from '../store/lake/catalogue.ts'
import type { Lake } from '../store/lake/lake.ts'
import type { Models } from './model-rows.ts'
import type { PriceModel } from './price-model.ts'
import { PrintedJson } from './print-json.ts'

declare global {
  interface JSON {
    /** A JSON number (or other primitive) printed with exactly this text (ECMA-262, JSON.rawJSON). */
    rawJSON(text: string): object
  }
}

/** The inputs of an answer: one release of the lake, and the listings of that release in memory. */
export type ReleaseContext = {
  readonly lake: Lake
  readonly symbols: SymbolIndex
  readonly issuers: IssuerIndex
  /** Lines of one issuer on both sides of the border: the curated ones and the operator's. */
  readonly pairs: PairBook
  /** The 13F reports of a quarter, as they were known at the context's instant. */
  readonly quarterReports: (quarter: string) => Promise<QuarterReports>
  /** Finds filings faster than the lake, with the same result; omitted if an answer must be made from the lake only. */
  readonly filingIndex?: FilingIndex
  /** Symbols of the request with stored bars that no directory lists: they have no issuer, but count as known. */
  readonly unlisted?: ReadonlySet<string>
  /** Finds chunks of calls faster than the lake, with the same result; omitted like filingIndex. */
  readonly transcriptIndex?: TranscriptIndex
  /** Builds of models; omitted if an answer must be made from the lake only, which computes them. */
  readonly models?: Models
  /** Prices of exactly this release, read faster than from the lake with the same result; omitted like filingIndex, and if there are none. */
  readonly prices?: PriceModel
}

/** The datasets of an answer, with those by which the index of issuers has found or missed its issuers until now. */
export const readDatasets = (context: ReleaseContext, datasets: readonly DatasetName[]): readonly DatasetName[] => [
  ...new Set([...datasets, ...context.issuers.datasets()]),
]

/** One raw document that rows came from. */
export type RowOrigin = { readonly source: string; readonly raw_sha256: string; readonly accession?: string | null; readonly url?: string | null }

export type Built = {
  /** The members of the specification, in the order in which they are printed. */
  readonly body: object
  readonly sources: readonly Source[]
  /** For the receipt: every raw document that the rows came from; a function if finding them needs a separate query. */
  readonly origins: readonly RowOrigin[] | (() => Promise<readonly RowOrigin[]>)
  /** The datasets that the answer reads: their newest release dates it. */
  readonly datasets: readonly DatasetName[]
  /** The answer's instant, if it is not its release: a quote's age is counted from it. */
  readonly as_of?: string
}

export type Payload = {
  readonly payload: Buffer
  readonly release: number
  readonly as_of: string
  /** The cursor of the next page of a list; null if there is none. */
  readonly next_cursor: string | null
  /** The datasets that it was read from: a release that changes none of them has the same answer. */
  readonly datasets: readonly DatasetName[]
  readonly origins: () => Promise<readonly RowOrigin[]>
}

/** A decimal as a JSON number with its digits; null stays null. */
export const digits = (decimal: string | null | undefined): object | null =>
  decimal === null || decimal === undefined ? null : JSON.rawJSON(decimal)

/** The answer's instant: the requested one, but never after the release. */
export function effectiveInstant(requested: string | null | undefined, version: DatasetRelease): string {
  if (!requested) return version.committed_at
  return Date.parse(requested) > Date.parse(version.committed_at) ? version.committed_at : requested
}

/** Body, as_of, release and sources as the payload that is signed; `receipt_id` is appended when it is served. */
export function renderPayload(built: Built, lake: Lake, asOf: string | null): Payload {
  const version = lake.versionOf(built.datasets)
  const as_of = built.as_of ?? effectiveInstant(asOf, version)
  const payload = jsonOf({ ...built.body, as_of, release: version.release, sources: built.sources })
  const { origins } = built
  return {
    payload,
    release: version.release,
    as_of,
    next_cursor: (built.body as { readonly next_cursor?: string | null }).next_cursor ?? null,
    datasets: built.datasets,
    origins: async () => {
      const own = typeof origins === 'function' ? await origins() : origins
      if (!built.datasets.some(isCorrectable)) return own
      return [...own, ...(await findCorrectionOrigins(lake, own, asOf))]
    },
  }
}

/**
 * The output of JSON.stringify, built member by member: a single rope string (an instant, a composed symbol) disables V8's fast path for
 * the whole value, which takes three times as long for a history of bars. A member that is printed already keeps its bytes, and the others
 * are written around the first one of them.
 */
function jsonOf(members: object): Buffer {
  const printed = Object.values(members).find(value => value instanceof PrintedJson)
  let [before, behind] = [null as string | null, '{']
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    const isPrinted = printed !== undefined && value === printed
    const json = isPrinted ? '' : value instanceof PrintedJson ? value.bytes.toString() : (JSON.stringify(value) as string | undefined)
    if (json === undefined) continue
    behind += `${before === null && behind === '{' ? '' : ','}${JSON.stringify(name)}:${json}`
    if (isPrinted) [before, behind] = [behind, '']
    else if (value instanceof PrintedJson) value.release()
  }
  behind += '}'
  if (printed === undefined || before === null) return Buffer.from(behind)
  const whole = printed.within(before, behind) ?? Buffer.concat([Buffer.from(before), printed.bytes, Buffer.from(behind)])
  printed.release()
  return whole
}

type Provenance = { readonly source: string; readonly known_from: string; readonly raw_sha256: string }
type Retrieved = Omit<Provenance, 'raw_sha256'>

const titles: Readonly<Record<string, string>> = {
  edgar: 'SEC EDGAR',
  nasdaqtrader: 'Nasdaq Trader symbol directory',
  tsx: 'TSX company directory',
  'bank-of-canada': 'Bank of Canada Valet',
  fred: 'FRED, Federal Reserve Bank of St. Louis',
  'fred-csv': 'FRED, Federal Reserve Bank of St. Louis',
  statcan: 'Statistics Canada',
  worldbank: 'World Bank Indicators',
  bls: 'Bureau of Labor Statistics, release calendar',
  bea: 'Bureau of Economic Analysis, release calendar',
  eodhd: 'EODHD',
  tiingo: 'Tiingo',
  yahoo: 'Yahoo Finance',
  csv: 'CSV drop-in',
  operator: 'Correction by the operator',
  transcripts: 'Transcripts folder',
  nasdaq: 'nasdaq.com calendars',
  tmx: 'TMX Money',
  alphavantage: 'Alpha Vantage',
}
/** The upstream's name for readers. */
export const sourceTitle = (name: string): string => titles[name] ?? name

/** One source per upstream, with the newest retrieval: for answers from many documents. */
export function upstreamSources(rows: readonly Retrieved[]): Source[] {
  const newest = new Map<string, Retrieved>()
  for (const row of rows) {
    const held = newest.get(row.source)
    if (!held || held.known_from < row.known_from) newest.set(row.source, row)
  }
  return [...newest.values()]
    .sort((a, b) => (a.source < b.source ? -1 : 1))
    .map(row => ({ name: sourceTitle(row.source), accession: null, url: null, retrieved_at: row.known_from, sha256: null }))
}

/** The distinct raw documents of rows, in a fixed order. */
export function originsOf(rows: readonly (Omit<Provenance, 'known_from'> & { readonly accession?: string | null })[]): RowOrigin[] {
  const distinct = new Map(rows.map(row => [row.raw_sha256, { source: row.source, raw_sha256: row.raw_sha256, accession: row.accession ?? null }]))
  return [...distinct.values()].sort((a, b) => (a.raw_sha256 < b.raw_sha256 ? -1 : 1))
}
