// Requests of administrators about corrections of filings: the values that can be corrected, a correction or its preview, and the list.
import { sql } from 'kysely'
import { correctableFields } from '#schemas/corrections.ts'
import { BadRequest } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import { type CorrectionVersion, findCorrectionVersions } from '#warehouse/datasets/corrections/corrections.ts'
import { audit } from '#warehouse/people/users/audit.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { OperatorRequest } from '#warehouse/store/queue.ts'
import {
  type CorrectionPlace,
  checkReason,
  commitCorrection,
  currentOf,
  findFilingRows,
  type InputNames,
  newestLake,
  planCorrection,
  shownRow,
} from '../../ingest/correct-value.ts'
import type { Change } from '../../read/corrections/document.ts'
import type { RequestTools } from './request-tools.ts'

type Of<Kind extends OperatorRequest['kind']> = Extract<OperatorRequest, { kind: Kind }>
const rowsShown = 50
const names: InputNames = {
  line: 'line',
  dataset: 'dataset',
  reason: 'reason',
  evidence: 'evidence',
  list: 'GET /api/v1/admin/corrections',
}
const placeOf = ({ filing, dataset, line }: { readonly filing: string; readonly dataset: string | null; readonly line: string | null }) =>
  ({ filing, dataset, row: line }) as CorrectionPlace

/** The datasets of a filing with the fields that can be corrected, and the rows that the request names. */
export async function readFilingValues({ ingest }: RequestTools, request: Of<'filing_values'>): Promise<object> {
  const { filing, dataset, row } = placeOf(request)
  const rows = await findFilingRows(await newestLake(ingest), filing)
  const named = rows.filter(each => (dataset === null || each.dataset === dataset) && (row === null || each.row_key === row))
  const datasets = [...Map.groupBy(rows, each => each.dataset)].map(([name, own]) => ({
    dataset: name,
    rows: own.length,
    first_line: own[0]?.row_key ?? '',
    last_line: own.at(-1)?.row_key ?? '',
    fields: correctableFields(datasetOf(name)),
  }))
  const shown = named.slice(0, rowsShown).map(shownRow)
  return { filing, datasets, count: shown.length, of: named.length, rows: shown }
}

/** Every correction and withdrawal, newest first. */
export async function listCorrections({ ingest }: RequestTools, { filing, limit }: Of<'corrections'>): Promise<object> {
  const versions = await findCorrectionVersions(await newestLake(ingest), filing)
  const corrections = versions.slice(0, limit).map(each => ({
    filing: each.filing,
    ...changeOf(each),
    reason: each.reason,
    evidence: each.evidence,
    known_from: each.known_from,
    release: each.release_from,
  }))
  return { count: corrections.length, of: versions.length, corrections }
}

/**
 * Applies a correction, or only plans it (`dry_run`). Its row of the audit chain is written in the transaction of the commit. `again`: a
 * second attempt of the same request, whose first one may have applied it.
 */
export async function correctValue({ ingest, raw, now, onRelease }: RequestTools, request: Of<'correct'>, again: boolean): Promise<object> {
  const { filing, field, at, dry_run } = request
  const lake = await newestLake(ingest)
  const wanted = {
    place: placeOf(request),
    field,
    value: request.value ?? undefined,
    reason: request.reason,
    evidence: request.evidence ?? undefined,
  }
  const { reason, evidence } = checkReason(wanted, names)
  if (again) {
    const [first, ...more] = appliedBy({ ...request, reason }, await findCorrectionVersions(lake, filing))
    if (first) {
      // After a stop between storing and committing, the sweep of unread documents commits it, without this request's row in the chain.
      const release = first.release_from
      await ingest.db.transaction().execute(async trx => {
        if (!(await isAudited(trx, request))) await auditCorrection(trx, request, first, release, now())
      })
      return { filing, release, changes: [first, ...more].map(changeOf) }
    }
  }
  const rows = await findFilingRows(lake, filing)
  const changes = planCorrection(rows, wanted, names)
  const shown = changes.map(change => ({ ...changeOf(change), before: currentOf(rows, change) }))
  if (dry_run) return { filing, release: null, changes: shown }
  const [first] = changes
  if (first === undefined) throw new BadRequest(`${field} of ${filing} would not change`)
  const correction = { crossfile: 'correction', version: 1, filing, corrected_at: at, reason, evidence, changes } as const
  const release = await commitCorrection({ raw, ingest }, correction, names, async (trx, committed) => {
    await auditCorrection(trx, request, first, committed, now())
  })
  onRelease(release)
  return { filing, release, changes: shown }
}

/** The corrections of the document that this request stored, the requested one first; another request of the same millisecond has its own. */
function appliedBy({ at, field, reason, dataset, line }: Of<'correct'>, versions: readonly CorrectionVersion[]): CorrectionVersion[] {
  const first = versions.find(
    each =>
      Date.parse(each.known_from) === Date.parse(at) &&
      each.follows === null &&
      each.field === field &&
      each.reason === reason &&
      (dataset === null || each.dataset === dataset) &&
      (line === null || each.row_key === line),
  )
  return first === undefined ? [] : [first, ...versions.filter(each => each !== first && each.raw_sha256 === first.raw_sha256)]
}

const act = 'filing.correct'
async function auditCorrection(
  trx: Db,
  { filing, field, reason, at, actor }: Of<'correct'>,
  { dataset, row_key, undone }: Pick<Stored, 'dataset' | 'row_key' | 'undone'>,
  release: number,
  now: Date,
): Promise<void> {
  await audit(trx, { actor, act, subject: filing, details: { dataset, line: row_key, field, undone, reason, at, release } }, now)
}
/** True if the chain has the row of this request. */
const isAudited = async (trx: Db, { filing, field, at }: Of<'correct'>): Promise<boolean> =>
  (await trx
    .selectFrom('audit_entry')
    .select('seq')
    .where('act', '=', act)
    .where('subject', '=', filing)
    .where(sql<string>`details->>'at'`, '=', at)
    .where(sql<string>`details->>'field'`, '=', field)
    .executeTakeFirst()) !== undefined

type Stored = Pick<CorrectionVersion | Change, 'dataset' | 'row_key' | 'field' | 'filed' | 'value' | 'undone' | 'follows'>
const changeOf = ({ dataset, row_key, field, filed, value, undone, follows }: Stored) => ({
  dataset,
  line: row_key,
  field,
  filed: JSON.parse(filed) as unknown,
  value: JSON.parse(undone ? filed : (value ?? 'null')) as unknown,
  undone,
  follows,
})
