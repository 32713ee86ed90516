// Which of two documents speaks for a filing: its own, or a table of the SEC's that repeats it. A filing that was read from its own
// document is never touched by a data set; one that a data set brought gives way, whole, to its own document when that comes.
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Row } from './types.ts'

type Known = Readonly<Record<string, unknown>>

/** What the column `source` says of a row that a data set brought. */
export const dataSetSource = (source: string): string => `${source}-data-set`
export const isFromDataSet = (row: Known): boolean => String(row['source']).endsWith('-data-set')

/** The column that names the filing of a row, where the dataset has rows of filings; null: its rows stand by themselves. */
export function filingColumn(name: DatasetName): string | null {
  const dataset = datasetOf(name)
  // A row of `filings` is completed from every document that names the filing.
  if (name === 'filings') return null
  const [leading] = dataset.key
  return leading === 'filing_id' || leading === 'accession' ? leading : null
}

export type Precedence = {
  /** False where a document that goes before this one has spoken for the filing. */
  readonly takes: (row: Row) => boolean
  /**
   * Rows of a data set whose filing now came itself and does not have them: lines are numbered by the document, and a data set
   * cannot know its order. `isRestated` and `keyOf` go by the row's key.
   */
  readonly withdrawn: (isRestated: (key: string) => boolean, keyOf: (row: Known) => string) => Row[]
}

/** `held`: what the lake has of the filings of `incoming`. */
export function precedenceOf(name: DatasetName, held: readonly Known[], incoming: readonly Row[]): Precedence {
  const column = filingColumn(name)
  if (column === null) return { takes: () => true, withdrawn: () => [] }
  const filingOf = (row: Known): string => String(row[column])
  const once = datasetOf(name).appended_once === true
  const heldThemselves = new Set<string>()
  const heldAtAll = new Set<string>()
  for (const row of held) {
    heldAtAll.add(filingOf(row))
    if (!isFromDataSet(row)) heldThemselves.add(filingOf(row))
  }
  /** Of each filing that came itself in this batch, the document that came first. */
  const itself = new Map<string, Row>()
  for (const row of incoming) if (!isFromDataSet(row) && !itself.has(filingOf(row))) itself.set(filingOf(row), row)
  const firstOf = new Map<string, string>()
  return {
    takes: row => {
      const filing = filingOf(row)
      if (isFromDataSet(row) && (heldThemselves.has(filing) || itself.has(filing))) return false
      if (!once) return true
      // Rows that are appended once have no second version: the first document of the filing gave them all.
      if (heldAtAll.has(filing)) return false
      const first = firstOf.get(filing) ?? row.raw_sha256
      firstOf.set(filing, first)
      return first === row.raw_sha256
    },
    withdrawn: (isRestated, keyOf) =>
      once
        ? []
        : held.flatMap(row => {
            const by = isFromDataSet(row) ? itself.get(filingOf(row)) : undefined
            if (by === undefined || isRestated(keyOf(row))) return []
            const { release_from: _release, ...facts } = row
            const { known_from, known_basis, source, raw_sha256 } = by
            return [{ ...facts, known_from, known_basis, source, raw_sha256, withdrawn: true }]
          }),
  }
}
