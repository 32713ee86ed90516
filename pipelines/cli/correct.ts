// `crossfile correct`: the operator's correction of one value of a filing. It is stored as a raw document first and read like any other.
// It therefore takes effect in a commit, is signed with the answers, and survives a rebuild.
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
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { loadDecisions } from '../ingest/decisions.ts'
import { ingest } from '../ingest/ingest.ts'
import type { Runtime } from '../ingest/runtime.ts'
import { changesOf, type FilingRow, rowKeyOf } from '../read/corrections/derive-changes.ts'
import { type Change, type CorrectionDocument, correctionSource, correctionUrl } from '../read/corrections/document.ts'
import { codeClass } from '../read/insider/codes.ts'
import type { RawDocument } from '../read/parsed.ts'
import { oneOf, readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, printJson, printTable, some } from './output.ts'
import { rewriteWarehouseFile } from './warehouse-file.ts'

const correctable = datasetNames.filter(isCorrectable)
const most = { text: 10_000, reason: 1000, evidence: 2000, digits: 40 }

/** Exit codes: 0 done or shown, 2 input that does not fit (nothing is written). */
export async function correct(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('correct', commands.correct.options, argv, { least: 0, most: 3, what: 'the filing' })
  const [filing, field, value] = rest
  if (values.list) {
    if (field !== undefined)
      throw new BadRequest('correct --list takes at most one filing', { hint: 'crossfile correct --list 0000320193-24-000123' })
    return await withRuntime(io, async runtime => listCorrections(await lakeOf(runtime), filing ?? null, values.json, io))
  }
  if (filing === undefined)
    throw new BadRequest('correct: the filing is missing', { hint: 'give its accession number, or --list for all corrections' })
  const place = { filing, dataset: values.dataset === undefined ? null : oneOf('--dataset', values.dataset, correctable), row: values.line ?? null }
  if (field === undefined) return await withRuntime(io, async runtime => await showFiling(await lakeOf(runtime), place, values.json, io))
  if (values.undo && value !== undefined) throw new BadRequest('correct --undo takes no value: the filed value applies again')
  if (!values.undo && value === undefined)
    throw new BadRequest(`correct: the value of ${field} is missing`, {
      hint: 'give the correct value, null for none, or --undo; -- before a value that begins with a dash',
    })
  const reason = oneLineOf('--reason', values.reason, most.reason, 'why the filed value is wrong')
  const evidence = values.undo && values.evidence === undefined ? '' : evidenceOf(values.evidence)
  return await withRuntime(io, async runtime => {
    const rows = await readFiling(await lakeOf(runtime), filing)
    const row = rowAt(rows, place, field)
    const changes = values.undo ? undoing(rows, row, field) : changesOf(rows, row, field, newValue(row, field, value ?? ''))
    const at = io.now().toISOString()
    const release = values['dry-run']
      ? null
      : await commitCorrection(runtime, { crossfile: 'correction', version: 1, filing, corrected_at: at, reason, evidence, changes })
    if (values.json)
      printJson(io, {
        filing,
        dry_run: values['dry-run'],
        release,
        reason,
        evidence,
        changes: changes.map(change => ({ ...change, before: currentOf(rows, change) })),
      })
    else {
      for (const change of changes) io.out(lineOf(filing, change, currentOf(rows, change)))
      io.out(values['dry-run'] ? 'nothing was written (--dry-run)' : `applied in release ${release}; an as_of before now gives the previous value`)
    }
    return 0
  })
}

async function lakeOf(runtime: Runtime): Promise<Lake> {
  const { db, writer } = runtime.tools
  return openLake(await loadCatalogue(db), writer.connections, writer.verifier)
}

type Values = Readonly<Record<string, unknown>>

/** The rows of a filing in every dataset that can be corrected: as filed, and as corrected. Throws `NotFound` if there are none. */
async function readFiling(lake: Lake, filing: string): Promise<FilingRow[]> {
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

type Place = { readonly filing: string; readonly dataset: DatasetName | null; readonly row: string | null }

/** The one row that field, `--dataset` and `--line` select. Throws `BadRequest` that lists the rows. */
function rowAt(rows: readonly FilingRow[], { filing, dataset, row }: Place, field: string): FilingRow {
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
  const names = [...new Set(found.map(each => each.dataset))]
  throw new BadRequest(`filing ${filing} has ${field} in ${some(found.length, 'row')}`, {
    hint: `name one with --line${names.length > 1 ? ` or --dataset (${names.join(', ')})` : ''}: ${linesOf(found)}`,
  })
}

const fieldsHint = (rows: readonly FilingRow[], requested: string): string => {
  const names = [...new Set(rows.map(row => row.dataset))]
  const all = [...new Set(names.flatMap(name => correctableFields(datasetOf(name))))]
  const near = nearest(requested, all)
  return `${near === null || near === requested ? '' : `did you mean ${near}? `}fields: ${names.map(name => `${name}: ${correctableFields(datasetOf(name)).join(', ')}`).join('; ')}`
}

function linesOf(rows: readonly FilingRow[]): string {
  const byDataset = Map.groupBy(rows, row => row.dataset)
  return [...byDataset]
    .map(([name, own]) => {
      const keys = own.map(row => row.row_key)
      return `${name} ${keys.length <= 12 ? keys.join(', ') : `${keys.slice(0, 6).join(', ')} … ${keys.at(-1)}`}`.trim()
    })
    .join('; ')
}

/** The value as the field's type. Throws `BadRequest` if it does not fit the schema of the field, or already applies. */
function newValue(row: FilingRow, field: string, text: string): unknown {
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
      hint: row.corrected.has(field) ? 'crossfile correct --list shows the correction' : 'the filing gives this value',
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

function undoing(rows: readonly FilingRow[], row: FilingRow, field: string): Change[] {
  const follows = row.corrected.get(field)
  if (follows === undefined)
    throw new BadRequest(`${row.dataset}.${field} of this row is not corrected: nothing to undo`, {
      hint: 'crossfile correct --list shows the corrections',
    })
  if (follows !== null) throw new BadRequest(`${row.dataset}.${field} follows from the correction of ${follows}`, { hint: `undo ${follows}` })
  return changesOf(rows, row, field, undefined)
}

function oneLineOf(option: string, text: string | undefined, longest: number, what: string): string {
  if (text === undefined || text.trim() === '') throw new BadRequest(`correct: ${option} is missing`, { hint: `${option} TEXT: ${what}` })
  if (text.length > longest) throw new BadRequest(`${option} has ${text.length} characters, at most ${longest} are kept`)
  if (hasControls(text)) throw new BadRequest(`${option} has control characters`, { hint: 'write it in one line' })
  return text
}

function evidenceOf(text: string | undefined): string {
  const given = oneLineOf('--evidence', text, most.evidence, 'the address of a document that shows the correct value')
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadRequest(`--evidence ${given.slice(0, 80)} is not a web address`, { hint: 'such as https://www.sec.gov/Archives/edgar/data/…' })
  if (url.username !== '' || url.password !== '')
    throw new BadRequest('--evidence has a user name or password in its address', { hint: 'it is shown in answers: leave them out' })
  return url.href
}

/** Keeps the document raw, reads it and commits its rows; returns the release. */
async function commitCorrection(runtime: Runtime, correction: CorrectionDocument): Promise<number> {
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
  const [kept] = await runtime.raw.keep([document])
  if (!kept) throw new Broken('the correction was not stored')
  const decisions = await loadDecisions(runtime.postgres.db)
  const outcome = await ingest(runtime.tools, {
    job: 'correct',
    partition: document.url,
    documents: [{ raw_id: kept.raw_id, document }],
    decisions,
    fence: null,
  })
  if (outcome.release === null) {
    const why = outcome.refused[0]?.detail ?? outcome.readings[0]?.detail ?? 'a later correction of the same value exists'
    throw new BadRequest(`the correction was not applied: ${why}`, { hint: 'crossfile correct --list shows the corrections' })
  }
  await rewriteWarehouseFile(runtime)
  return outcome.release
}

const currentOf = (rows: readonly FilingRow[], change: Change): unknown =>
  rows.find(row => row.dataset === change.dataset && row.row_key === change.row_key)?.current[change.field] ?? null

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
function lineOf(filing: string, { dataset, row_key, field, filed, value, undone, follows }: Change, before: unknown): string {
  const now = undone ? filed : (value ?? 'null')
  const was = JSON.stringify(before)
  const filedToo = was === filed ? ' (as filed)' : `, filed ${cut(filed)}`
  return `${filing} ${dataset}${row_key === '' ? '' : ` line ${row_key}`}: ${field} ${cut(was)}${filedToo} -> ${cut(now)}${undone ? ' (as filed)' : ''}${follows === null ? '' : `; follows from ${follows}`}`
}

/** What a filing has: its datasets and rows. For a single row: each field with its filed and its present value. */
async function showFiling(lake: Lake, place: Place, asJson: boolean, io: Io): Promise<number> {
  const rows = await readFiling(lake, place.filing)
  const shown = rows.filter(row => (place.dataset === null || row.dataset === place.dataset) && (place.row === null || row.row_key === place.row))
  if (shown.length === 0) throw new BadRequest(`filing ${place.filing} has no such row`, { hint: `it has ${linesOf(rows)}` })
  const printedRow = (row: FilingRow) => ({
    dataset: row.dataset,
    line: row.row_key,
    fields: correctableFields(datasetOf(row.dataset)).map(field => ({
      field,
      filed: row.filed[field] ?? null,
      value: row.current[field] ?? null,
      corrected: row.corrected.has(field),
    })),
  })
  if (asJson) printJson(io, { filing: place.filing, rows: shown.map(printedRow) })
  else if (shown.length === 1) {
    const [row] = shown.map(printedRow)
    const cells = (row?.fields ?? []).map(each => [
      each.field,
      cut(JSON.stringify(each.filed)),
      each.corrected ? cut(JSON.stringify(each.value)) : '',
    ])
    printTable(io, columnsOf('field', '*filed', 'corrected'), cells)
  } else {
    for (const [name, own] of Map.groupBy(shown, row => row.dataset)) {
      io.out(
        `${name}: ${own[0]?.row_key === '' ? some(own.length, 'row') : `${some(own.length, 'row')} (line ${linesOf(own).slice(name.length + 1)})`}`,
      )
      io.out(`  fields: ${correctableFields(datasetOf(name)).join(', ')}`)
    }
    io.out('--line N or --dataset NAME shows the values of one row')
  }
  return 0
}

async function listCorrections(lake: Lake, filing: string | null, asJson: boolean, io: Io): Promise<number> {
  const versions = await findCorrectionVersions(lake, filing)
  if (asJson)
    printJson(io, {
      corrections: versions.map(each => ({ ...each, filed: JSON.parse(each.filed), value: each.value === null ? null : JSON.parse(each.value) })),
    })
  else if (versions.length === 0) io.out(filing === null ? 'no filing has a correction' : `filing ${filing} has no correction`)
  else {
    const cells = versions.map(each => [
      moment(each.known_from),
      each.filing,
      `${each.dataset}${each.row_key === '' ? '' : ` ${each.row_key}`}`,
      each.field,
      cut(each.filed),
      each.undone ? 'undone' : cut(each.value ?? 'null'),
      each.follows === null ? each.reason : `follows from ${each.follows}`,
    ])
    const columns = ['since', 'filing', 'row', 'field', 'filed', 'corrected', 'reason'].map(head => ({ head, wide: head === 'reason' }))
    printTable(io, columns, cells)
  }
  return 0
}
