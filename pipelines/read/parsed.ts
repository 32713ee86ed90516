// The input and output of a pure parser. No clock, no network, no randomness: the same document gives the same records.
import type { z } from 'zod'
import type { BarFacts } from '#schemas/bars.ts'
import type { KnownBasis } from '#schemas/dataset.ts'
import type { DatasetName, datasets } from '#schemas/index.ts'
import type { RawDocument } from '#schemas/raw.ts'

export type { RawDocument }

export type FactsOf<D extends DatasetName> = z.infer<(typeof datasets)[D]['facts']>
/** Facts (ingest adds their documents), with the instant from which they were public if the document states it; else ingest uses the retrieval. */
export type Fact<D extends DatasetName> = Omit<FactsOf<D>, 'documents'> & {
  readonly known_from?: string
  readonly known_basis?: z.infer<typeof KnownBasis>
}

/** What the submission's header states to a reader of an ownership document; all but the id is null for a bare document. */
export type FilingContext = {
  readonly filing_id: string // accession, or `sha256:` and the document's hash
  readonly accession: string | null
  readonly filed_date: string | null
  readonly form: string | null
  /** For a document that leaves its own out. */
  readonly issuer_cik: string | null
}

/** A listing as one directory shows it on one day. */
export type Listing = {
  readonly symbol: string // canonical
  readonly source_symbol: string
  readonly exchange: 'US' | 'TO' | 'V'
  readonly mic: string | null
  readonly name: string
  readonly issuer: string | null
  readonly type: FactsOf<'symbols'>['type']
  readonly currency: string
  readonly cik: string | null
  readonly etf: boolean
}
/** A directory file: every listing of some venues on one day, so that a symbol that is missing is an event. */
export type Directory = {
  readonly date: string
  /** The venues (or the exchange code) that this file claims to list completely, e.g. ['XNAS'] or ['TO']. */
  readonly scope: readonly string[]
  readonly listings: readonly Listing[]
}
/** A change of symbol that a source states outright. */
export type Rename = {
  readonly exchange: 'US' | 'TO' | 'V'
  readonly from: string
  readonly to: string
  readonly date: string
  readonly name: string | null
}

/** A part of a document that was not taken. Nothing is dropped without one of these or a count in `skipped`. */
export type Refused = {
  readonly dataset: DatasetName
  readonly reason: string // snake_case, stable: quarantine groups by it
  readonly detail: string // subject, fact and limit, for the operator
  readonly subject: string // symbol, accession, line …: the subject
  readonly record: Readonly<Record<string, unknown>> | null // the row as read
}

export type Parsed = {
  /** Stateless facts, stored unchanged. `bars` pass the restatement guard, `symbols` come from `directories`. */
  readonly facts: {
    readonly [D in Exclude<
      DatasetName,
      'bars' | 'symbols' | 'directory_sightings' | 'bar_corrections' | 'adjustment_factors' | 'action_verdicts'
    >]?: readonly Fact<D>[]
  }
  readonly bars?: readonly BarFacts[]
  /** Set if the document repeats others with less detail (a data set): its rows only fill gaps. */
  readonly fills?: true
  /** Set if the source prints volume in shares of the day of the request, adjusted for its own splits; ingest reverses the adjustment. */
  readonly volumes?: 'split_adjusted'
  readonly directories?: readonly Directory[]
  readonly renames?: readonly Rename[]
  readonly refused: readonly Refused[]
  /** Rows skipped by a rule of the format (test issues, other exchanges), counted by reason. */
  readonly skipped: Readonly<Record<string, number>>
  /** Addresses that this document points to and a job may want next, e.g. an index's filings. */
  readonly follow: readonly string[]
}

/** One kind of document of one upstream: how to recognise and how to read it. */
export type Reader = {
  readonly name: string // `<source>.<kind>`, e.g. `edgar.submissions`
  readonly source: string
  /** The dataset that this kind of document feeds first: the quarantine row of a document that cannot be read names it. */
  readonly dataset: DatasetName
  /** True for addresses that answer with this kind of document. */
  readonly reads: (url: string) => boolean
  /**
   * For a recorded file: the address it was downloaded from (credentials removed), `recorded:<path>` if the file does not state it, or null
   * if this is not its kind. `path` is relative to the recorded folder; `head` the first 64 KiB as text.
   */
  readonly recognise: (path: string, head: string) => string | null
  /** Throws `Unreadable` if the bytes are not that kind of document at all. */
  readonly parse: (document: RawDocument) => Parsed
  /**
   * For documents too large to be read whole: the same in parts, each committed separately. Also pure, and in a fixed order. `parse` then
   * throws, because the whole must not be in memory.
   */
  readonly parts?: (document: RawDocument) => AsyncIterable<Parsed>
}

export const nothing: Parsed = { facts: {}, refused: [], skipped: {}, follow: [] }
