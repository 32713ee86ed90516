// The types that the parts of ingest share.
import type { DatasetName } from '#schemas/index.ts'
import type { PackedRows } from '#warehouse/store/lake/packed-rows.ts'
import type { Parsed, RawDocument, Refused } from '../read/parsed.ts'

export type { Decision, Decisions } from '#warehouse/store/raw/decisions.ts'

/** The origin of a row. */
export type Origin = Pick<RawDocument, 'sha256' | 'source' | 'url' | 'retrieved_at'>
export type ParsedDocument = {
  readonly origin: Origin
  readonly parsed: Parsed
  /** The rows of its facts, if they were checked before (`checkFacts`). */
  readonly checked?: CheckedFacts
}

/** Datasets whose facts become rows without an evaluation. */
export type PlainDataset = keyof Parsed['facts'] & DatasetName
/** Rows, or `packed` in place of them, and those that do not fit the schema. */
export type CheckedRows = { readonly rows: readonly Row[]; readonly packed?: PackedRows<Row>; readonly refused: readonly RefusedBy[] }
/** The rows of a document by dataset. */
export type CheckedFacts = ReadonlyMap<PlainDataset, CheckedRows>

/** A complete row: facts and provenance, without a release. */
export type Row = Readonly<Record<string, unknown>> & {
  readonly known_from: string
  readonly known_basis: string
  readonly source: string
  readonly raw_sha256: string
  readonly withdrawn: boolean
}
export type RowsByDataset = Map<DatasetName, Row[]>
/** Rows that are text already, by document. */
export type PackedByDataset = ReadonlyMap<DatasetName, readonly PackedRows<Row>[]>
export type RefusedBy = { readonly refused: Refused; readonly origin: Origin }

/** The result of a batch of documents, given what was known before. */
export type Derived = {
  readonly rows: RowsByDataset
  /** Datasets whose rows are text already; `rows` does not have them. */
  readonly packed: PackedByDataset
  readonly refused: readonly RefusedBy[]
  /** Subjects of actions that are not (or no longer) held, e.g. because a second source confirmed them. */
  readonly settled: readonly string[]
  /** Datasets whose state the result depends on: a commit after one of them changed must derive again. */
  readonly derivedFrom: readonly DatasetName[]
  readonly counts: Readonly<Record<string, number>>
}

export function addRows(rows: RowsByDataset, name: DatasetName, more: readonly Row[]): void {
  if (more.length === 0) return
  const list = rows.get(name)
  if (list) for (const row of more) list.push(row)
  else rows.set(name, [...more])
}
