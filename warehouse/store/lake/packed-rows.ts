// The rows of one document as text, in columns: a table of a 13F is written as soon as it is read, and its tens of thousands of rows are not
// kept as objects until their commit. A line of the text has the rows of up to `rowsOfLine`: the columns that are the same in all rows of
// the document once, every other column as a list.
import { createHash, subtle } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { jsonSql, type Spooled } from './json-lines.ts'
import type { Relation } from './relation.ts'

type Row = Readonly<Record<string, unknown>>
export type PackedRows<R extends Row = Row> = {
  readonly rows: number
  readonly first: R
  readonly lines: Uint8Array
  /** Bytes of the longest line. */
  readonly longest: number
}

const rowsOfLine = 500

type Layout = { readonly shared: readonly string[]; readonly own: readonly string[]; readonly counter: string }
const layouts = new WeakMap<DatasetDefinition, Layout | null>()

/** The columns of a packed dataset; null if its rows are not packed. `counter`: the column that numbers the rows of a document. */
function layoutOf(dataset: DatasetDefinition): Layout | null {
  const known = layouts.get(dataset)
  if (known !== undefined) return known
  const shared: readonly string[] | undefined = dataset.same_in_document
  const [counter, ...more] = dataset.key.filter(name => shared?.includes(name) !== true)
  const own = dataset.columns.map(({ name }) => name).filter(name => name !== 'release_from' && shared?.includes(name) !== true)
  const isNumbered = counter !== undefined && more.length === 0 && dataset.order.at(-1) === counter
  const layout = shared !== undefined && isNumbered ? { shared, own, counter } : null
  layouts.set(dataset, layout)
  return layout
}

/** Null if the dataset is not packed, or if the rows differ in a column that is the same in the documents of the dataset, or have no order. */
export function packRows<R extends Row>(dataset: DatasetDefinition, rows: readonly R[]): PackedRows<R> | null {
  const layout = layoutOf(dataset)
  const [first] = rows
  if (layout === null || first === undefined || !areAlike(layout, rows, first)) return null
  const heading = Object.fromEntries(layout.shared.map(name => [name, first[name]]))
  const lines: string[] = []
  for (let from = 0; from < rows.length; from += rowsOfLine) {
    const some = rows.slice(from, from + rowsOfLine)
    lines.push(JSON.stringify({ ...heading, ...Object.fromEntries(layout.own.map(name => [name, some.map(row => row[name])])) }))
  }
  // In a buffer of their own, which can be moved to another thread.
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`)
  return {
    rows: rows.length,
    first,
    lines: bytes,
    longest: lines.length === 1 ? bytes.length : Math.max(...lines.map(line => Buffer.byteLength(line))) + 1,
  }
}

function areAlike({ shared, counter }: Layout, rows: readonly Row[], first: Row): boolean {
  let before = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    for (const name of shared) if (row[name] !== first[name]) return false
    const number = row[counter]
    if (typeof number !== 'number' || !(number > before)) return false
    before = number
  }
  return true
}

/** The rows that were packed. */
export function unpackRows<R extends Row>(dataset: DatasetDefinition, packed: PackedRows<R>): R[] {
  const layout = layoutOf(dataset)
  if (layout === null) throw new TypeError(`${dataset.name}: its rows are not packed`)
  const names = Object.keys(packed.first)
  const rows: R[] = []
  for (const line of Buffer.from(packed.lines).toString('utf8').trimEnd().split('\n')) {
    const columns = JSON.parse(line) as Record<string, unknown>
    const count = (columns[layout.counter] as unknown[]).length
    const valueOf = (name: string, at: number): unknown => (layout.own.includes(name) ? (columns[name] as unknown[])[at] : columns[name])
    for (let at = 0; at < count; at += 1) rows.push(Object.fromEntries(names.map(name => [name, valueOf(name, at)])) as R)
  }
  return rows
}

/** Bytes from which the rows go on in another file: DuckDB reads several files in several threads, and small ones in less processor time. */
const bytesOfFile = 3 * 1024 * 1024

/**
 * Writes the rows of documents into files; `pathOf` gives the path of each by its number. A path is added to `files` before it is written: the
 * caller deletes them, after a failure too.
 */
export async function spoolPacked(documents: readonly PackedRows[], pathOf: (file: number) => string, files: string[]): Promise<Spooled> {
  const whole = createHash('sha256')
  let [rows, longest, next] = [0, 0, 0]
  while (next < documents.length) {
    const path = pathOf(files.length)
    files.push(path)
    const file = await open(path, 'w')
    try {
      for (let bytes = 0; next < documents.length && bytes < bytesOfFile; next += 1) {
        const document = documents[next] as PackedRows
        const [digest] = await Promise.all([subtle.digest('SHA-256', document.lines as Uint8Array<ArrayBuffer>), file.appendFile(document.lines)])
        whole.update(new Uint8Array(digest))
        bytes += document.lines.length
        rows += document.rows
        longest = Math.max(longest, document.longest)
      }
    } finally {
      await file.close()
    }
  }
  return { rows, sha256: whole.digest('hex'), longest }
}

/** Files of `spoolPacked` as a table expression with the dataset's columns. */
export function readPackedSql(dataset: DatasetDefinition, files: readonly string[], longest: number): Relation {
  const layout = layoutOf(dataset)
  if (layout === null) throw new TypeError(`${dataset.name}: its rows are not packed`)
  const isOwn = (name: string): boolean => layout.own.includes(name)
  const lines = jsonSql(
    dataset.columns.map(({ name, type }) => ({ name, type: isOwn(name) ? `${type}[]` : type })),
    `${dataset.name}_spool`,
    longest,
  )
  const columns = dataset.columns.map(({ name }) => (isOwn(name) ? `unnest("${name}") as "${name}"` : `"${name}"`))
  return { sql: `(select ${columns.join(', ')} from ${lines})`, parameters: { [`${dataset.name}_spool`]: files } }
}
