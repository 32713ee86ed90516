// `crossfile reproduce`: computes signed answers again, in bulk, from the database and its raw store, or from raw packs and bundles alone.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { utcDay } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { decodeBundle } from '#warehouse/store/receipts/bundle.ts'
import { keyRing } from '#warehouse/store/receipts/keys.ts'
import { drawSample, logSize, sampleRule, seedOf, sizeOfSeed } from '#warehouse/store/receipts/sample.ts'
import { verifyReceipt } from '#warehouse/store/receipts/verify.ts'
import { packSource } from '../ingest/document-source.ts'
import { findSubjects, installedTools, type ReExecuted, type RunTools, reproduceMany, type Subject } from '../ingest/reproduce.ts'
import { readers } from '../read/register.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withRuntime } from './database.ts'
import type { Io } from './io.ts'
import { count, duration, printJson, some } from './output.ts'
import { createProgress } from './progress.ts'

/** Receipts and bundles of one command. */
const mostSubjects = 100_000
const mostBundleBytes = 64 * 1024 * 1024

type Drawn = { readonly seed: string; readonly population: number } | null
type Summary = {
  readonly results: readonly ReExecuted[]
  readonly ms: number
  readonly counts: object
  readonly drawn: Drawn
  readonly damaged: readonly string[]
}

/** Exit code 0: no receipt differs; 1: one does, or none could be re-executed. */
export async function reproduceCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('reproduce', commands.reproduce.options, argv, { most: mostSubjects, what: 'a receipt id' })
  const bundles = [...(values.bundle?.split('\n') ?? []), ...rest.filter(isFile)].map(readBundle)
  const ids = rest.filter(word => !isFile(word)).map(id => id.trim().toLowerCase())
  const isDrawn = values.sample !== undefined || values.seed !== undefined
  if (isDrawn && values.raw !== undefined)
    throw new BadRequest('reproduce: a sample is drawn from the database, which --raw does without', { hint: 'give bundles with --raw' })
  if (values.raw !== undefined && ids.length > 0)
    throw new BadRequest(`reproduce: the statement of ${ids[0]} is in the database, which --raw does without`, {
      hint: 'give its bundle: crossfile receipt ID --out FILE on the other machine',
    })
  if (ids.length + bundles.length === 0 && !isDrawn)
    throw new BadRequest('reproduce: no receipt is named', { hint: 'give receipt ids, --bundle FILE or --sample N' })
  if (values.seed !== undefined && sizeOfSeed(values.seed) === null)
    throw new BadRequest(`reproduce: --seed ${values.seed} has no size of the log`, { hint: 'a seed is a text and /SIZE, such as 2026-11-28/1234' })
  const size = wholeNumber('--sample', values.sample, { from: 1, to: mostSubjects, otherwise: 100 })
  const summary =
    values.raw === undefined
      ? await withRuntime(io, async ({ tools, raw }) => {
          const seed = isDrawn ? (values.seed ?? seedOf(utcDay(io.now()), await logSize(tools.db))) : null
          const sample = seed === null ? null : await drawSample(tools.db, seed, size)
          const subjects = [...(await subjectsOf(tools.db, [...new Set([...ids, ...(sample?.receipt_ids ?? [])])])), ...bundles]
          const drawn = sample && { seed: sample.seed, population: sample.population }
          if (drawn) io.err(`sample of ${count(sample.receipt_ids.length)} of ${some(drawn.population, 'receipt')}, seed ${drawn.seed}`)
          return { ...(await run(io, installedTools(tools, raw), subjects)), drawn }
        })
      : { ...(await fromPacks(io, values.raw, bundles)), drawn: null }
  if (values.json) printJson(io, asJson(summary))
  else print(io, summary)
  return summary.results.some(each => each.result === 'different') || summary.results.every(each => each.result === 'not_possible') ? 1 : 0
}

/** As `findSubjects`; an unknown receipt is wrong use. */
async function subjectsOf(db: Db, ids: readonly string[]): Promise<Subject[]> {
  try {
    return await findSubjects(db, ids)
  } catch (cause) {
    throw cause instanceof NotFound ? new BadRequest(cause.message, { cause, hint: 'give receipts of other machines as --bundle FILE' }) : cause
  }
}

const isFile = (word: string): boolean => word.endsWith('.json') || word.includes('/')

/** A bundle whose id and signature are right by its own keys; throws `BadRequest` for any other file. */
function readBundle(path: string): Subject {
  if (!existsSync(path)) throw new BadRequest(`${path}: there is no such file`, { hint: 'crossfile receipt ID --out FILE writes a bundle' })
  const bytes = readFileSync(path)
  if (bytes.length > mostBundleBytes) throw new BadRequest(`${path}: ${bytes.length} bytes are no receipt bundle`)
  const { receipt, keySet, payload, proof } = decodeBundle(bytes)
  const { valid, reason } = verifyReceipt(receipt, keyRing(keySet), { proof, ...(payload ? { payload } : {}) })
  if (!valid) throw new BadRequest(`${path}: the receipt is not valid: ${reason}`, { hint: 'node verify-offline.mjs FILE shows each check' })
  return { receipt_id: receipt.receipt_id, statement_bytes: receipt.statement_bytes, payload }
}

async function fromPacks(io: Io, folder: string, subjects: readonly Subject[]): Promise<Omit<Summary, 'drawn'>> {
  const stageFolder = mkdtempSync(join(tmpdir(), 'crossfile-reproduce-'))
  try {
    const source = await packSource(folder, readers)
    io.err(`${some(source.count, 'document')} in ${folder}${source.damaged.length === 0 ? '' : `; ${some(source.damaged.length, 'damaged record')}`}`)
    return await run(io, { readers, stageFolder, source, fromRelease: null }, subjects)
  } finally {
    rmSync(stageFolder, { recursive: true, force: true })
  }
}

async function run(io: Io, tools: RunTools, subjects: readonly Subject[]): Promise<Omit<Summary, 'drawn'>> {
  const progress = createProgress(io, 'reproduce', 'receipts')
  const begun = performance.now()
  const results: ReExecuted[] = []
  let different = 0
  progress.update({ done: 0, total: subjects.length })
  const counts = await reproduceMany(
    tools,
    subjects,
    (result, done) => {
      results.push(result)
      if (result.result === 'different') different += 1
      const rate = (done * 1000) / Math.max(1, performance.now() - begun)
      progress.update({ done, total: subjects.length, note: `${rate.toFixed(1)} a second${different === 0 ? '' : `, ${different} different`}` })
    },
    io.interrupted(),
  )
  progress.end()
  return { results, ms: Math.round(performance.now() - begun), counts, damaged: tools.source.damaged ?? [] }
}

const numberOf = (results: readonly ReExecuted[], result: ReExecuted['result']): number => results.filter(each => each.result === result).length

function asJson({ results, ms, counts, drawn, damaged }: Summary): object {
  const [equal, different, not_possible] = [numberOf(results, 'equal'), numberOf(results, 'different'), numberOf(results, 'not_possible')]
  const sample = drawn === null ? null : { ...drawn, rule: sampleRule }
  return { count: results.length, equal, different, not_possible, milliseconds: ms, work: counts, sample, damaged, receipts: results }
}

function print(io: Io, { results, ms, drawn, damaged }: Summary): void {
  for (const { receipt_id, result, reason, difference } of results) {
    if (result === 'equal') io.out(`${receipt_id}  equal`)
    else io.out(`${receipt_id}  ${result === 'different' ? 'DIFFERENT' : 'not possible'}: ${reason}`)
    if (difference) io.out(`    ${difference.path}: ${shown(difference.before)} -> ${shown(difference.after)}`)
    else if (result === 'different') io.out('    the place is not known, because the signed answer is not stored')
  }
  for (const each of damaged) io.err(each)
  const total = `${count(numberOf(results, 'equal'))} equal, ${count(numberOf(results, 'different'))} different, ${count(numberOf(results, 'not_possible'))} not possible`
  io.out(`${total}; ${some(results.length, 'receipt')} in ${duration(ms)}${drawn === null ? '' : `, seed ${drawn.seed}`}`)
}

/** A row is shown by its beginning. */
const shown = (value: string | null): string => (value === null ? '(absent)' : value.length > 120 ? `${value.slice(0, 120)}…` : value)
