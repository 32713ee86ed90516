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
  const [old, now] = [keyed(before, identity), keyed(after, identity)]
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(key), now.get(key)]
    compare(`${path}[${key}]`, was, is, { before: was ?? null, after: is ?? null }, changes)
  }
}

type Identity = readonly string[] | undefined
/** Rows by what identifies them, as paths name them; by their position if nothing does. */
const keyed = (rows: readonly Row[], identity: Identity): Map<string, Row> =>
  new Map(rows.map((row, at) => [identity === undefined ? String(at) : identity.map(name => `${name}=${plain(row[name])}`).join(','), row]))

/** The members of a value with their paths; rows of a list by what identifies them in this list. */
function membersOf(path: string, value: unknown): (readonly [path: string, member: unknown])[] {
  if (isRow(value)) return Object.entries(value).map(([name, member]) => [path === '' ? name : `${path}.${name}`, member])
  if (!areRows(value)) return []
  const identity = identities.find(names => isUnique(value, names))
  return [...keyed(value, identity)].map(([key, row]) => [`${path}[${key}]`, row])
}

/** The value at a path as `changedValues` names it, as JSON with its digits; null if the answer has none. */
export function valueAt(answer: unknown, path: string): string | null {
  let [at, value] = ['', answer] as [string, unknown]
  while (at !== path) {
    const next = membersOf(at, value).find(([inside]) => path === inside || (path.startsWith(inside) && /[.[]/.test(path.charAt(inside.length))))
    if (next === undefined) return null
    ;[at, value] = next
  }
  return value === undefined ? null : textOf(value)
}

/** The path of a JSON Pointer (RFC 6901) into an answer; null if it has no such place, or the pointer leads into a list that has no rows. */
export function pathOfPointer(answer: unknown, pointer: string): string | null {
  let [at, value] = ['', answer] as [string, unknown]
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const members = membersOf(at, value)
    const next = Array.isArray(value)
      ? /^(0|[1-9]\d{0,8})$/.test(name)
        ? members[Number(name)]
        : undefined
      : members.find(([inside]) => inside === (at === '' ? name : `${at}.${name}`))
    if (next === undefined) return null
    ;[at, value] = next
  }
  return at
}

function isUnique(rows: readonly Row[], names: readonly string[]): boolean {
  if (!rows.every(row => names.every(name => name in row && (typeof row[name] !== 'object' || row[name] === null || !isRow(row[name]))))) return false
  return new Set(rows.map(row => names.map(name => plain(row[name])).join('\n'))).size === rows.length
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : textOf(value))
