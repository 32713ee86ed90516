// The difference of two answers to one question, value by value. Rows of a list are matched by what identifies them, so that a row that
// was inserted in front of others changes only itself. Numbers keep their digits: 1.50 and 1.5 differ, as their signed bytes do.

export type ValueChange = {
  /** `bars[date=2026-05-15].adjusted_close` */
  readonly path: string
  readonly kind: 'changed' | 'added' | 'removed'
  /** The value as JSON text; null if it is not in that answer. */
  readonly before: string | null
  readonly after: string | null
  /** The rows that the value belongs to; null outside of lists. */
  readonly row: { readonly before: object | null; readonly after: object | null } | null
}

/** Members that every answer of another release changes, or that are compared separately: sources, position in a list. */
const notCompared = new Set(['as_of', 'release', 'sources', 'receipt_id', 'next_cursor'])

/** What identifies a row, most specific first. */
const identities: readonly (readonly string[])[] = [
  ['filing_id', 'line', 'derivative'],
  ['accession', 'line', 'derivative'],
  ['filing_id', 'line'],
  ['accession', 'line'],
  ['ex_date', 'kind', 'source', 'ordinal'],
  ['ex_date', 'actions'],
  ['period', 'concept', 'unit'],
  ['symbol', 'date'],
  ['accession'],
  ['filing_id'],
  ['date'],
  ['id'],
  ['symbol'],
  ['cusip'],
  ['cik'],
  ['code'],
  ['name'],
]

type Row = Readonly<Record<string, unknown>>
const raw = JSON as unknown as { isRawJSON(value: unknown): boolean }
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value) && !raw.isRawJSON(value)
const textOf = (value: unknown): string => JSON.stringify(value)

/** Every value that differs between two answers that were parsed with their digits (`parseExactly`). */
export function changedValues(before: unknown, after: unknown): ValueChange[] {
  const changes: ValueChange[] = []
  compare('', before, after, null, changes)
  return changes
}

function compare(path: string, before: unknown, after: unknown, row: ValueChange['row'], changes: ValueChange[]): void {
  if (before === undefined && after === undefined) return
  if (before === undefined) changes.push({ path, kind: 'added', before: null, after: textOf(after), row })
  else if (after === undefined) changes.push({ path, kind: 'removed', before: textOf(before), after: null, row })
  else if (isRow(before) && isRow(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (path === '' && notCompared.has(name)) continue
      compare(path === '' ? name : `${path}.${name}`, before[name], after[name], row, changes)
    }
  } else if (areRows(before) && areRows(after)) compareRows(path, before, after, changes)
  else if (textOf(before) !== textOf(after)) changes.push({ path, kind: 'changed', before: textOf(before), after: textOf(after), row })
}

const areRows = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRow)

function compareRows(path: string, before: readonly Row[], after: readonly Row[], changes: ValueChange[]): void {
  const identity = identities.find(names => isUnique(before, names) && isUnique(after, names))
  const keyed = (rows: readonly Row[]): Map<string, Row> =>
    new Map(rows.map((row, at) => [identity === undefined ? String(at) : identity.map(name => `${name}=${plain(row[name])}`).join(','), row]))
  const [old, now] = [keyed(before), keyed(after)]
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(key), now.get(key)]
    compare(`${path}[${key}]`, was, is, { before: was ?? null, after: is ?? null }, changes)
  }
}

function isUnique(rows: readonly Row[], names: readonly string[]): boolean {
  if (!rows.every(row => names.every(name => name in row && (typeof row[name] !== 'object' || row[name] === null || !isRow(row[name]))))) return false
  return new Set(rows.map(row => names.map(name => plain(row[name])).join('\n'))).size === rows.length
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : textOf(value))
