// The operator's correction of one value of a filing: its rows as filed and as corrected, the check of a new value, and the commit. The
// correction is stored as a raw document first and read like any other, so that it is signed with the answers and survives a rebuild.
import type { Transaction } from 'kysely'
import { correctableFields, filingKey, isCorrectable, whyFixed } from '#schemas/corrections.ts'
import { outsideDays } from '#schemas/days.ts'
import { BadRequest, Broken, NotFound } from '#schemas/errors.ts'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import { nearest } from '#schemas/nearest-name.ts'
import { decimalText } from '#schemas/values.ts'
import { type CorrectionVersion, findCorrectionVersions } from '#warehouse/datasets/corrections/corrections.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Scope } from '#warehouse/store/lake/scope.ts'
import type { Database } from '#warehouse/store/postgres.ts'
import { loadDecisions } from '#warehouse/store/raw/decisions.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { changesOf, type FilingRow, rowKeyOf } from '../read/corrections/derive-changes.ts'
import { type Change, type CorrectionDocument, correctionSource, correctionUrl } from '../read/corrections/document.ts'
import { codeClass } from '../read/insider/codes.ts'
import type { RawDocument } from '../read/parsed.ts'
import { type IngestTools, ingest } from './ingest.ts'

const correctable = datasetNames.filter(isCorrectable)
const most = { text: 10_000, reason: 1000, evidence: 2000, digits: 40 }

/** What the inputs are called where they were given: options of the command, or members of a request. Errors use them. */
export type InputNames = {
  readonly line: string
  readonly dataset: string
  readonly reason: string
  readonly evidence: string
  readonly list: string
}
export type CorrectionTools = { readonly raw: RawStore; readonly ingest: IngestTools }

/** The lake as its newest release has it. */
export async function newestLake({ db, writer }: IngestTools): Promise<Lake> {
  return openLake(await loadCatalogue(db), writer.connections, writer.verifier)
}

type Values = Readonly<Record<string, unknown>>

/** The rows of a filing in every dataset that can be corrected: as filed, and as corrected. Throws `NotFound` if there are none. */
export async function findFilingRows(lake: Lake, filing: string): Promise<FilingRow[]> {
  const versions = await findCorrectionVersions(lake, filing)
  const newest = new Map<string, CorrectionVersion>()
  for (const version of versions) {
    const key = `${version.dataset}|${version.row_key}|${version.field}`
    if (!newest.has(key)) newest.set(key, version)
  }
  const rows: FilingRow[] = []
  let quarters: readonly string[] = []
  for (const name of correctable) {
    const column = filingKey(datasetOf(name)).filing
    // The report quarter locates a 13F table, so that the whole dataset is not read.
    const range = name === 'holdings' && quarters.length > 0 ? quarters : ('all' as const)
    const sql = `select * from ${name} where "${column}" = $filing order by ${datasetOf(name)
      .key.map(each => `"${each}"`)
      .join(', ')}`
    const scope = { [name]: range } as Scope
    const filed = await lake.query<Values>(sql, { filing }, scope, { as_filed: true })
    if (filed.length === 0) continue
    if (name === 'holdings_reports') quarters = [...new Set(filed.map(row => String(row['quarter'])))]
    const current = new Map((await lake.query<Values>(sql, { filing }, scope)).map(row => [rowKeyOf(name, row), row]))
    for (const row of filed) {
      const row_key = rowKeyOf(name, row)
      const own = [...newest.values()].filter(each => each.dataset === name && each.row_key === row_key && !each.undone)
      rows.push({
        dataset: name,
        row_key,
        filed: row,
        current: current.get(row_key) ?? row,
        corrected: new Map(own.map(each => [each.field, each.follows])),
      })
    }
  }
  if (rows.length === 0)
    throw new NotFound(`filing ${filing} has no stored row that can be corrected`, {
      hint: `give the accession number (0000320193-24-000123) or filing_id of a filing in ${correctable.join(', ')}`,
    })
  return rows
}

export type CorrectionPlace = { readonly filing: string; readonly dataset: DatasetName | null; readonly row: string | null }

/** The one row that field, dataset and line select. Throws `BadRequest` that lists the rows. */
function rowAt(rows: readonly FilingRow[], { filing, dataset, row }: CorrectionPlace, field: string, names: InputNames): FilingRow {
  const inDataset = rows.filter(each => dataset === null || each.dataset === dataset)
  if (inDataset.length === 0)
    throw new BadRequest(`filing ${filing} has no row in ${dataset}`, {
      hint: `it has rows in ${[...new Set(rows.map(each => each.dataset))].join(', ')}`,
    })
  const having = inDataset.filter(each => Object.hasOwn(datasetOf(each.dataset).facts.shape, field))
  if (having.length === 0) throw new BadRequest(`filing ${filing} has no field ${field}`, { hint: fieldsHint(inDataset, field) })
  const free = having.filter(each => whyFixed(datasetOf(each.dataset), field) === null)
  if (free.length === 0) {
    const name = having[0]?.dataset as DatasetName
    throw new BadRequest(`${name}.${field} cannot be corrected: it ${whyFixed(datasetOf(name), field)}`, { hint: fieldsHint(inDataset, field) })
  }
  const found = free.filter(each => row === null || each.row_key === row)
  const [only] = found
  if (only && found.length === 1) return only
  if (found.length === 0) throw new BadRequest(`filing ${filing} has no line ${row} with ${field}`, { hint: `it has ${linesOf(free)}` })
  const inDatasets = [...new Set(found.map(each => each.dataset))]
  throw new BadRequest(`filing ${filing} has ${field} in ${found.length} rows`, {
    hint: `name one with ${names.line}${inDatasets.length > 1 ? ` or ${names.dataset} (${inDatasets.join(', ')})` : ''}: ${linesOf(found)}`,
  })
}

const fieldsHint = (rows: readonly FilingRow[], requested: string): string => {
  const names = [...new Set(rows.map(row => row.dataset))]
  const all = [...new Set(names.flatMap(name => correctableFields(datasetOf(name))))]
  const near = nearest(requested, all)
  return `${near === null || near === requested ? '' : `did you mean ${near}? `}fields: ${names.map(name => `${name}: ${correctableFields(datasetOf(name)).join(', ')}`).join('; ')}`
}

export function linesOf(rows: readonly FilingRow[]): string {
  const byDataset = Map.groupBy(rows, row => row.dataset)
  return [...byDataset]
    .map(([name, own]) => {
      const keys = own.map(row => row.row_key)
      return `${name} ${keys.length <= 12 ? keys.join(', ') : `${keys.slice(0, 6).join(', ')} … ${keys.at(-1)}`}`.trim()
    })
    .join('; ')
}

/** The value as the field's type. Throws `BadRequest` if it does not fit the schema of the field, or already applies. */
function newValue(row: FilingRow, field: string, text: string, names: InputNames): unknown {
  const dataset = datasetOf(row.dataset)
  const name = `${row.dataset}.${field}`
  const column = dataset.columns.find(each => each.name === field)
  if (!column) throw new Broken(`${name} is no column`)
  if (text.length > most.text) throw new BadRequest(`${name}: the value has ${text.length} characters, the limit is ${most.text}`)
  if (text.trim() === '') throw new BadRequest(`${name}: the value is empty`, { hint: 'write null if the filing gives none' })
  const value = text === 'null' ? null : typed(name, column, text)
  const checked = dataset.facts.shape[field]?.safeParse(value)
  if (!checked?.success) {
    const issue = checked?.error.issues[0]
    throw new BadRequest(`${name} cannot be ${text.slice(0, 80)}: ${issue?.message ?? 'not valid'}`, {
      hint: `filed is ${JSON.stringify(row.filed[field] ?? null)}`,
    })
  }
  if (column.type === 'DATE' && typeof value === 'string') {
    const beyond = outsideDays(Date.parse(value))
    if (beyond !== null) throw new BadRequest(`${name} cannot be ${value}: it ${beyond}`)
  }
  if (field === 'code' && typeof value === 'string' && codeClass(value) === 'unknown')
    throw new BadRequest(`${name} cannot be ${value}: not a transaction code of Forms 3, 4 and 5`, { hint: 'A C D E F G H I J K L M O P S U W X Z' })
  if (JSON.stringify(value) === JSON.stringify(row.current[field] ?? null))
    throw new BadRequest(`${name} is ${text.slice(0, 80)} already`, {
      hint: row.corrected.has(field) ? `${names.list} shows the correction` : 'the filing gives this value',
    })
  return value
}

type Column = { readonly type: string; readonly decimal: boolean }
function typed(name: string, { type, decimal }: Column, text: string): unknown {
  if (decimal) {
    const plain = text.length > most.digits ? null : decimalText(text)
    if (plain === null)
      throw new BadRequest(`${name} cannot be ${text.slice(0, 80)}: expected a decimal number of at most ${most.digits} characters`, {
        hint: 'such as 1250.50',
      })
    return plain
  }
  if (type === 'VARCHAR' || type === 'DATE') {
    if (hasControls(text)) throw new BadRequest(`${name}: the value has control characters`)
    return text
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    const expected = type === 'BOOLEAN' ? 'true or false' : type === 'BIGINT' || type === 'DOUBLE' ? 'a number' : 'JSON'
    throw new BadRequest(`${name} cannot be ${text.slice(0, 80)}: expected ${expected}`, { cause })
  }
}

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text)

function undoing(rows: readonly FilingRow[], row: FilingRow, field: string, names: InputNames): Change[] {
  const follows = row.corrected.get(field)
  if (follows === undefined)
    throw new BadRequest(`${row.dataset}.${field} of this row is not corrected: nothing to undo`, {
      hint: `${names.list} shows the corrections`,
    })
  if (follows !== null) throw new BadRequest(`${row.dataset}.${field} follows from the correction of ${follows}`, { hint: `undo ${follows}` })
  return changesOf(rows, row, field, undefined)
}

function oneLineOf(option: string, text: string | undefined, longest: number, what: string): string {
  if (text === undefined || text.trim() === '') throw new BadRequest(`correct: ${option} is missing`, { hint: `${option}: ${what}` })
  if (text.length > longest) throw new BadRequest(`${option} has ${text.length} characters, at most ${longest} are kept`)
  if (hasControls(text)) throw new BadRequest(`${option} has control characters`, { hint: 'write it in one line' })
  return text
}

function evidenceOf(text: string | undefined, name: string): string {
  const given = oneLineOf(name, text, most.evidence, 'the address of a document that shows the correct value')
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadRequest(`${name} ${given.slice(0, 80)} is not a web address`, { hint: 'such as https://www.sec.gov/Archives/edgar/data/…' })
  if (url.username !== '' || url.password !== '')
    throw new BadRequest(`${name} has a user name or password in its address`, { hint: 'it is shown in answers: leave them out' })
  return url.href
}

/** What is to be corrected, and why. `value`: the new value as text, `null` for none; undefined: the filed value applies again. */
export type WantedCorrection = {
  readonly place: CorrectionPlace
  readonly field: string
  readonly value: string | undefined
  readonly reason: string | undefined
  readonly evidence: string | undefined
}
/** Reason and evidence as they are stored. Throws `BadRequest` if one is missing or unfit. An undoing needs no evidence. */
export function checkReason(
  { value, reason, evidence }: WantedCorrection,
  names: InputNames,
): { readonly reason: string; readonly evidence: string } {
  const why = oneLineOf(names.reason, reason, most.reason, 'why the filed value is wrong')
  return { reason: why, evidence: value === undefined && evidence === undefined ? '' : evidenceOf(evidence, names.evidence) }
}

/** The changes of one correction, with those that follow from it by rule. Throws `BadRequest` if row, field or value do not fit. */
export function planCorrection(rows: readonly FilingRow[], { place, field, value }: WantedCorrection, names: InputNames): Change[] {
  const row = rowAt(rows, place, field, names)
  return value === undefined ? undoing(rows, row, field, names) : changesOf(rows, row, field, newValue(row, field, value, names))
}

/** A row with the fields that can be corrected: the filed value and the present one. */
export const shownRow = (row: FilingRow) => ({
  dataset: row.dataset,
  line: row.row_key,
  fields: correctableFields(datasetOf(row.dataset)).map(field => ({
    field,
    filed: row.filed[field] ?? null,
    value: row.current[field] ?? null,
    corrected: row.corrected.has(field),
  })),
})

/**
 * Stores the correction as a raw document, reads it and commits its rows; returns the release. `along` runs in the transaction of the commit.
 * Throws `BadRequest` if it was not applied.
 */
export async function commitCorrection(
  { raw, ingest: tools }: CorrectionTools,
  correction: CorrectionDocument,
  names: InputNames,
  along?: (trx: Transaction<Database>, release: number) => Promise<void>,
): Promise<number> {
  const body = Buffer.from(`${JSON.stringify(correction)}\n`)
  const document: RawDocument = {
    sha256: sha256Hex(body),
    source: correctionSource,
    url: correctionUrl(correction.filing, correction.corrected_at),
    retrieved_at: correction.corrected_at,
    status: 200,
    headers: { 'content-type': 'application/json' },
    body,
  }
  const [kept] = await raw.keep([document])
  if (!kept) throw new Broken('the correction was not stored')
  const decisions = await loadDecisions(tools.db)
  const outcome = await ingest(tools, {
    job: 'correct',
    partition: document.url,
    documents: [{ raw_id: kept.raw_id, document }],
    decisions,
    fence: null,
    ...(along === undefined ? {} : { along: (trx, done) => (done.release === null ? Promise.resolve() : along(trx, done.release)) }),
  })
  if (outcome.release === null) {
    const why = outcome.refused[0]?.detail ?? outcome.readings[0]?.detail ?? 'a later correction of the same value exists'
    throw new BadRequest(`the correction was not applied: ${why}`, { hint: `${names.list} shows the corrections` })
  }
  return outcome.release
}

/** The value of a field before its change; null if the row has none. */
export const currentOf = (rows: readonly FilingRow[], change: Change): unknown =>
  rows.find(row => row.dataset === change.dataset && row.row_key === change.row_key)?.current[change.field] ?? null
