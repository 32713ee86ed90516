// Which of two documents has precedence for a filing: its own document, or a table of the SEC that repeats it. A data set never changes
// a filing that was read from its document. A filing from a data set is replaced, completely, when its document arrives.
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Row } from './types.ts'

type Known = Readonly<Record<string, unknown>>

/** The value of the column `source` in a row from a data set. */
export const dataSetSource = (source: string): string => `${source}-data-set`
export const isFromDataSet = (row: Known): boolean => String(row['source']).endsWith('-data-set')

/** The column that names the filing of a row, if the dataset has rows of filings; null: its rows are independent. */
export function filingColumn(name: DatasetName): string | null {
  const dataset = datasetOf(name)
  // A row of `filings` is completed from every document that names the filing.
  if (name === 'filings') return null
  const [leading] = dataset.key
  return leading === 'filing_id' || leading === 'accession' ? leading : null
}

export type Precedence = {
  /** False if a document with higher precedence already gave the filing. */
  readonly takes: (row: Row) => boolean
  /**
   * Rows of a data set whose filing has now arrived and does not have them: the document numbers the lines, and a data set
   * cannot know its order. `isRestated` and `keyOf` use the row's key.
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
  /** For each filing that arrived in this batch, the document that came first. */
  const itself = new Map<string, Row>()
  for (const row of incoming) if (!isFromDataSet(row) && !itself.has(filingOf(row))) itself.set(filingOf(row), row)
  const firstOf = new Map<string, string>()
  return {
    takes: row => {
      const filing = filingOf(row)
      if (isFromDataSet(row) && (heldThemselves.has(filing) || itself.has(filing))) return false
      if (!once) return true
      // Append-only rows have no second version: the first document of the filing gave all of them.
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
