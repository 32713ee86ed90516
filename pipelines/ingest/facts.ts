// Facts that need no evaluation: validated against their schema, merged with what is already known, and written if they differ.
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import type { Parameters } from '#warehouse/store/duckdb.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { type PackedRows, packRows, unpackRows } from '#warehouse/store/lake/packed-rows.ts'
import type { Parsed, Refused } from '../read/parsed.ts'
import { stableText } from './fingerprint.ts'
import { dataSetSource, filingColumn, isFromDataSet, precedenceOf } from './precedence.ts'
import type { CheckedFacts, CheckedRows, Origin, ParsedDocument, PlainDataset, RefusedBy, Row } from './types.ts'

const evaluated = new Set<DatasetName>(['bars', 'bar_corrections', 'symbols', 'directory_sightings', 'adjustment_factors', 'action_verdicts'])
export const plainDatasets = datasetNames.filter((name): name is PlainDataset => !evaluated.has(name))

type Known = Readonly<Record<string, unknown>>

function keyOf(name: DatasetName, row: Known): string {
  const [first, ...more] = datasetOf(name).key
  let key = String(row[first as string])
  for (const column of more) key += `|${String(row[column])}`
  return key
}
/** The content of a row, without where it was read. */
const factsText = (name: DatasetName, row: Known): string =>
  stableText(
    Object.keys(datasetOf(name).facts.shape)
      .filter(column => column !== 'documents')
      .map(column => row[column] ?? null),
  )

/** A row of a document: the facts, and since when they were public (as the document states, else its retrieval). */
export function rowOf(facts: Known, origin: Origin, source = origin.source): Row {
  const { known_from, known_basis } = facts
  return {
    ...facts,
    known_from: typeof known_from === 'string' ? known_from : origin.retrieved_at,
    known_basis: typeof known_from === 'string' && typeof known_basis === 'string' ? known_basis : 'retrieved',
    source,
    raw_sha256: origin.sha256,
    withdrawn: false,
  }
}

/** The rows of a document that fit the schema of their dataset, and those that do not. A pure function of the document. */
export function checkFacts(document: Omit<ParsedDocument, 'checked'>): CheckedFacts {
  const names = plainDatasets.filter(name => (document.parsed.facts[name]?.length ?? 0) > 0)
  return new Map(names.map(name => [name, checkedRows(name, document)]))
}

/**
 * The same, with large tables as text in place of their rows. `parsed`: without the facts that were checked, of which nothing but the rows is
 * needed. Both together are derived as the document itself is.
 */
export function packFacts(document: Omit<ParsedDocument, 'checked'>): { readonly parsed: Parsed; readonly checked: CheckedFacts } {
  const facts = { ...document.parsed.facts }
  const checked = new Map(checkFacts(document))
  for (const [name, { rows, refused }] of checked) {
    const packed = packRows(datasetOf(name), rows)
    if (packed !== null) checked.set(name, { rows: [], packed, refused })
    // Decisions of an operator name the actions of a document.
    if (name !== 'corporate_actions') delete facts[name]
  }
  return { parsed: { ...document.parsed, facts }, checked }
}

/** True if a document has facts of a dataset. */
export const hasFacts = (name: PlainDataset, { parsed, checked }: ParsedDocument): boolean =>
  checked === undefined ? (parsed.facts[name]?.length ?? 0) > 0 : checked.has(name)

function checkedRows(name: PlainDataset, { origin, parsed }: Omit<ParsedDocument, 'checked'>): CheckedRows {
  const dataset = datasetOf(name)
  const rows: Row[] = []
  const refused: RefusedBy[] = []
  const source = parsed.fills && filingColumn(name) !== null ? dataSetSource(origin.source) : origin.source
  for (const facts of parsed.facts[name] ?? []) {
    const row = rowOf(name === 'filings' ? { ...facts, documents: [origin.sha256] } : facts, origin, source)
    const checked = dataset.fits(row) ? null : dataset.record.safeParse(row)
    if (checked?.success === false) refused.push({ refused: schemaRefusal(name, row, checked.error.issues[0]), origin })
    else rows.push(row)
  }
  return { rows, refused }
}

/**
 * An index line has less about a filing than its header. Values that the newer row leaves open are taken from the known one,
 * and a filing's acceptance time is never replaced by a day. A company's name is that of the filing: the header's (which alone states
 * the entity's role), else the first one reported, since lists by company print the present name.
 */
const completed = new Set<DatasetName>(['filings', 'issuer_tickers', 'issuers'])
function complete(name: DatasetName, row: Row, known: Known): Row {
  const merged: Record<string, unknown> = { ...row }
  for (const [column, value] of Object.entries(known)) {
    // The known title belongs to the known code.
    if (column === 'sic_title' && known['sic'] !== row['sic' as keyof Row]) continue
    const mine = merged[column]
    const open = mine === null || mine === undefined || (Array.isArray(mine) && mine.length === 0)
    if (open && value !== null && column in row) merged[column] = value
  }
  if (Array.isArray(merged['documents'])) {
    merged['documents'] = [...new Set([...(known['documents'] as string[]), ...(row['documents'] as string[])])].sort()
  }
  // Only a filing has an instant of acceptance. What a later document states about an issuer was not known before that document.
  if (name === 'filings' && row.known_basis !== 'accepted' && known['known_basis'] === 'accepted') {
    merged['known_from'] = known['known_from']
    merged['known_basis'] = 'accepted'
  }
  if ((row['role'] ?? null) === null && typeof known['company'] === 'string') merged['company'] = known['company']
  return merged as Row
}

/**
 * The days of a batch, where the day is a part of the key: rows of other days have other keys, so that a minute's quotes are
 * compared with the day's and not with those of all years.
 */
function timeRange(name: DatasetName, incoming: readonly Row[]): { type: string; earliest: string; latest: string } | null {
  const dataset = datasetOf(name)
  const type = dataset.columns.find(column => column.name === dataset.time)?.type
  if (type !== 'DATE' || !dataset.key.includes(dataset.time)) return null
  const days = incoming.map(row => row[dataset.time]).filter(day => typeof day === 'string')
  if (days.length < incoming.length) return null
  return { type, earliest: days.reduce((a, b) => (b < a ? b : a)), latest: days.reduce((a, b) => (b > a ? b : a)) }
}

/** A document is compared with values from documents, never with the operator's corrections. */
const asFiled = { as_filed: true }

/**
 * The stored rows of the incoming keys only: a quarter's index is merged with the quarter, not with all years. The keys are looked up
 * before the versions are ranked, because ranking a whole dataset would take longer with every batch. For a dataset that is appended once,
 * only the filings are looked up: their rows are never compared.
 */
async function knownRows(name: DatasetName, incoming: readonly Row[], lake: Lake): Promise<Known[]> {
  const dataset = datasetOf(name)
  const first = dataset.order[0] as string
  const leading = dataset.key[0] as string
  const ranges = [...new Set(incoming.map(row => String(row[first])))]
  const range = ranges.length > 2000 ? ('all' as const) : ranges
  const keys = [...new Set(incoming.map(row => String(row[leading])))]
  const within = timeRange(name, incoming)
  const found = `"${leading}" in (select unnest($keys))${within ? ` and "${dataset.time}" between $earliest::${within.type} and $latest::${within.type}` : ''}`
  const bounds: Parameters = within ? { earliest: within.earliest, latest: within.latest } : {}
  if (dataset.appended_once) {
    const columns = filingColumn(name) === null ? '*' : `distinct "${leading}", source`
    return await lake.query<Known>(`select ${columns} from ${name} where ${found}`, { keys, ...bounds }, { [name]: range }, asFiled)
  }
  const version = `row_number() over (partition by ${dataset.key.map(column => `"${column}"`).join(', ')} order by release_from desc, known_from desc, raw_sha256)`
  return await lake.query<Known>(
    `select * from (select * from ${name}_history where ${found} qualify ${version} = 1) where not withdrawn`,
    { keys, ...bounds },
    { [`${name}_history`]: range },
    asFiled,
  )
}

type ChangedFacts = { rows: Row[]; packed: readonly PackedRows<Row>[]; refused: RefusedBy[]; already: number }

/**
 * As `changedFacts`, for documents whose rows are packed, each of another filing: their keys differ, and a filing is held whole or not at
 * all. Null for others.
 */
async function changedPacked(name: PlainDataset, documents: readonly ParsedDocument[], lake: Lake): Promise<ChangedFacts | null> {
  const column = filingColumn(name)
  const checked = documents.filter(document => hasFacts(name, document)).map(document => document.checked?.get(name))
  const packed = checked.flatMap(each => each?.packed ?? [])
  const heads = packed.map(({ first }) => first)
  const isOfFilings = datasetOf(name).appended_once === true && column !== null && new Set(heads.map(row => row[column])).size === heads.length
  if (packed.length === 0 || packed.length < checked.length || !isOfFilings) return null
  const precedence = precedenceOf(name, await knownRows(name, heads, lake), heads)
  const taken = packed.filter(({ first }) => precedence.takes(first))
  const countOf = (some: readonly PackedRows<Row>[]): number => some.reduce((sum, { rows }) => sum + rows, 0)
  return { rows: [], packed: taken, refused: checked.flatMap(each => each?.refused ?? []), already: countOf(packed) - countOf(taken) }
}

/** The rows of one dataset that change what the lake holds: of each key one version per instant at which it became known. */
export async function changedFacts(name: PlainDataset, documents: readonly ParsedDocument[], lake: Lake): Promise<ChangedFacts> {
  const whole = await changedPacked(name, documents, lake)
  if (whole !== null) return whole
  const refused: RefusedBy[] = []
  const incoming: Row[] = []
  for (const document of documents) {
    const checked = document.checked ? document.checked.get(name) : checkedRows(name, document)
    for (const row of checked?.packed ? unpackRows(datasetOf(name), checked.packed) : (checked?.rows ?? [])) incoming.push(row)
    for (const each of checked?.refused ?? []) refused.push(each)
  }
  if (incoming.length === 0) return { rows: [], packed: [], refused, already: 0 }
  const held = await knownRows(name, incoming, lake)
  const known = new Map<string, Known>(held.map(row => [keyOf(name, row), row]))
  const precedence = precedenceOf(name, held, incoming)
  const changed = new Map<string, Row[]>()
  let already = 0
  for (const row of incoming) {
    if (!precedence.takes(row)) {
      already += 1
      continue
    }
    const key = keyOf(name, row)
    const versions = changed.get(key) ?? []
    const newest = versions.at(-1)
    const lying = known.get(key)
    // A row of a data set with fewer fields is replaced, regardless of its content and date.
    const before = newest ?? (lying && isFromDataSet(lying) && !isFromDataSet(row) ? undefined : lying)
    const next = before && completed.has(name) ? complete(name, row, before) : row
    const same = before && factsText(name, before) === factsText(name, next) && (name !== 'filings' || before['known_basis'] === next.known_basis)
    // A document received before the one that wrote the row adds nothing new.
    const older = before && name !== 'filings' && Date.parse(String(before['known_from'])) > Date.parse(next.known_from)
    if (same || older) already += 1
    else if (newest && (name === 'filings' || Date.parse(newest.known_from) === Date.parse(next.known_from)))
      changed.set(key, [...versions.slice(0, -1), next])
    else changed.set(key, [...versions, next])
  }
  return {
    rows: [
      ...[...changed.values()].flat(),
      ...precedence.withdrawn(
        key => changed.has(key),
        row => keyOf(name, row),
      ),
    ],
    packed: [],
    refused,
    already,
  }
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string } | undefined

/** A row that does not match its schema, for quarantine. */
export function schemaRefusal(dataset: DatasetName, row: Row, issue: Issue): Refused {
  const subject = keyOf(dataset, row)
  const column = issue?.path.join('.') ?? ''
  return {
    dataset,
    reason: 'does_not_fit_schema',
    subject,
    detail: `${dataset} ${subject}: ${column}: ${issue?.message ?? 'not valid'}; got ${JSON.stringify(row[String(issue?.path[0] ?? '')] ?? null)?.slice(0, 120)}`,
    record: row,
  }
}
