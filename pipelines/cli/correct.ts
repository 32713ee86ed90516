// `crossfile correct`: the operator's correction of one value of a filing. It is stored as a raw document first and read like any other.
// It therefore takes effect in a commit, is signed with the answers, and survives a rebuild.
import { correctableFields, isCorrectable } from '#schemas/corrections.ts'
import { BadRequest } from '#schemas/errors.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { findCorrectionVersions } from '#warehouse/datasets/corrections/corrections.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import {
  type CorrectionPlace,
  checkReason,
  commitCorrection,
  currentOf,
  findFilingRows,
  type InputNames,
  linesOf,
  newestLake,
  planCorrection,
  shownRow,
} from '../ingest/correct-value.ts'
import type { Change } from '../read/corrections/document.ts'
import { oneOf, readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, printJson, printTable, some } from './output.ts'
import { rewriteWarehouseFile } from './warehouse-file.ts'

const correctable = datasetNames.filter(isCorrectable)
const names: InputNames = { line: '--line', dataset: '--dataset', reason: '--reason', evidence: '--evidence', list: 'crossfile correct --list' }

/** Exit codes: 0 done or shown, 2 input that does not fit (nothing is written). */
export async function correct(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('correct', commands.correct.options, argv, { least: 0, most: 3, what: 'the filing' })
  const [filing, field, value] = rest
  if (values.list) {
    if (field !== undefined)
      throw new BadRequest('correct --list takes at most one filing', { hint: 'crossfile correct --list 0000320193-24-000123' })
    return await withRuntime(io, async runtime => listCorrections(await newestLake(runtime.tools), filing ?? null, values.json, io))
  }
  if (filing === undefined)
    throw new BadRequest('correct: the filing is missing', { hint: 'give its accession number, or --list for all corrections' })
  const place = { filing, dataset: values.dataset === undefined ? null : oneOf('--dataset', values.dataset, correctable), row: values.line ?? null }
  if (field === undefined) return await withRuntime(io, async runtime => await showFiling(await newestLake(runtime.tools), place, values.json, io))
  if (values.undo && value !== undefined) throw new BadRequest('correct --undo takes no value: the filed value applies again')
  if (!values.undo && value === undefined)
    throw new BadRequest(`correct: the value of ${field} is missing`, {
      hint: 'give the correct value, null for none, or --undo; -- before a value that begins with a dash',
    })
  const wanted = { place, field, value: values.undo ? undefined : value, reason: values.reason, evidence: values.evidence }
  const { reason, evidence } = checkReason(wanted, names)
  return await withRuntime(io, async runtime => {
    const rows = await findFilingRows(await newestLake(runtime.tools), filing)
    const changes = planCorrection(rows, wanted, names)
    const at = io.now().toISOString()
    const correction = { crossfile: 'correction', version: 1, filing, corrected_at: at, reason, evidence, changes } as const
    const release = values['dry-run'] ? null : await commitCorrection({ raw: runtime.raw, ingest: runtime.tools }, correction, names)
    if (release !== null) await rewriteWarehouseFile(runtime)
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

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
function lineOf(filing: string, { dataset, row_key, field, filed, value, undone, follows }: Change, before: unknown): string {
  const now = undone ? filed : (value ?? 'null')
  const was = JSON.stringify(before)
  const filedToo = was === filed ? ' (as filed)' : `, filed ${cut(filed)}`
  return `${filing} ${dataset}${row_key === '' ? '' : ` line ${row_key}`}: ${field} ${cut(was)}${filedToo} -> ${cut(now)}${undone ? ' (as filed)' : ''}${follows === null ? '' : `; follows from ${follows}`}`
}

/** What a filing has: its datasets and rows. For a single row: each field with its filed and its present value. */
async function showFiling(lake: Lake, place: CorrectionPlace, asJson: boolean, io: Io): Promise<number> {
  const rows = await findFilingRows(lake, place.filing)
  const shown = rows.filter(row => (place.dataset === null || row.dataset === place.dataset) && (place.row === null || row.row_key === place.row))
  if (shown.length === 0) throw new BadRequest(`filing ${place.filing} has no such row`, { hint: `it has ${linesOf(rows)}` })
  if (asJson) printJson(io, { filing: place.filing, rows: shown.map(shownRow) })
  else if (shown.length === 1) {
    const [row] = shown.map(shownRow)
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
