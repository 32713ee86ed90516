// The job that answers watched questions again. Every release sends it; the schedule also runs it, for questions that a run left over.

import { CrossfileError, Upstream } from '#schemas/errors.ts'
import { canonicalName } from '#schemas/operations/canonical.ts'
import type { Operation } from '#schemas/operations.ts'
import { answerOf, buildPayload, isLakeOperation, type LakeOperation } from '#warehouse/answers/index.ts'
import {
  type DiffTools,
  differenceOf,
  getSigned,
  isDifferent,
  namedOperation,
  type Signed,
  signedPayload,
  undifferedBy,
} from '#warehouse/answers/receipt-diff/receipt-diff.ts'
import { statementOf } from '#warehouse/answers/sign.ts'
import type { Payload, ReleaseContext } from '#warehouse/context/answer.ts'
import { screener } from '#warehouse/models/model.ts'
import { findNewestBuild } from '#warehouse/models/store.ts'
import { countDue, type DueQuestion, findDue, passUnchanged, recordCompared } from '#warehouse/people/receipt-watches/due.ts'
import { writeChanges } from '#warehouse/people/receipt-watches/fire.ts'
import { dataNow, findDataClock } from '#warehouse/store/data-clock.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { insertPages } from '#warehouse/store/pages.ts'
import { transaction } from '#warehouse/store/postgres.ts'
import { statementBytes } from '#warehouse/store/receipts/canonical.ts'
import { issueReceipt } from '#warehouse/store/receipts/receipt.ts'
import { checkSigning } from '#warehouse/store/receipts/rotation.ts'
import { receiptId } from '#warehouse/store/receipts/statement.ts'
import type { IngestTools } from '../../ingest/ingest.ts'
import { listingsComputed } from '../../ingest/reproduce-release.ts'
import { pageOf } from '../../ingest/sign-answer.ts'
import { findSigningLogged } from '../../ingest/signing.ts'

/** Questions of one round; what is left waits for the next round, in a fair order. */
const questionsOfRound = 100
/** Rounds of one run of the job. */
const roundsOfRun = 10
/** Watches whose change is written in one transaction. */
const watchesAtOnce = 200

export type WatchTools = Pick<IngestTools, 'db' | 'writer' | 'contexts' | 'models' | 'keysFolder' | 'log'> & { readonly baseUrl: string }
export type Evaluated = {
  readonly release: number
  readonly questions: number
  readonly changes: number
  /** Questions without an answer of the newest release yet: a damaged file, or a model that is still being built. */
  readonly left: number
  readonly waiting: number
}

type Round = WatchTools & {
  readonly now: string
  /** The current instant for market data, for what a question leaves open. */
  readonly dataNow: string
  readonly newest: number
  /** Of the newest release. */
  readonly lake: Lake
  readonly contextAt: DiffTools['contextOf']
  readonly crashPoint: (name: string) => void
}

/** Answers the watched questions whose datasets changed, until none is left or the bound of a run is reached. May be killed at any point. */
export async function evaluateWatches(tools: WatchTools, now: () => number, signal: AbortSignal): Promise<Evaluated> {
  const done = { release: 0, questions: 0, changes: 0 }
  const left: string[] = []
  for (let rounds = 0; rounds < roundsOfRun && !signal.aborted; rounds += 1) {
    const round = await beginRound(tools, new Date(now()).toISOString())
    done.release = round.newest
    const due = await findDue(tools.db, round.newest, questionsOfRound, left)
    if (due.length === 0) break
    // Without a key, no changed answer can be signed: everything stays due.
    if ((await checkSigning(tools.db, tools.keysFolder)).fault !== null) break
    for (const each of due) {
      if (signal.aborted) break
      done.questions += 1
      const outcome = await evaluateQuestion(round, each)
      if (outcome === 'left') left.push(`${each.question} ${each.receipt_id}`)
      else done.changes += outcome
    }
  }
  return { ...done, left: left.length, waiting: await countDue(tools.db, done.release) }
}

async function beginRound(tools: WatchTools, now: string): Promise<Round> {
  const { db, writer, contexts } = tools
  const catalogue = await loadCatalogue(db)
  const lakeAt = (release: number) => openLake(catalogue, writer.connections, writer.verifier, release)
  const lake = lakeAt(catalogue.release)
  await passUnchanged(db, lake, now)
  const contextAt = async (release: number, asOf: string | null): Promise<ReleaseContext> => {
    const known = await contexts(lakeAt(release), asOf)
    // An older release may have no build: a small model is computed, as in a reproduction.
    return tools.models && known.symbols.all.length > listingsComputed ? { ...known, models: tools.models } : known
  }
  const clock = dataNow(await findDataClock(db), new Date(now)).toISOString()
  return { ...tools, now, dataNow: clock, newest: catalogue.release, lake, contextAt, crashPoint: writer.crashPoint ?? (() => {}) }
}

/** The number of changes that were written; `left`: the question stays due, because the newest release has no answer yet. */
async function evaluateQuestion(round: Round, due: DueQuestion): Promise<number | 'left'> {
  const record = (release: number, datasets: readonly string[] | null, problem: string | null): Promise<void> =>
    recordCompared(round.db, due, { release, datasets, problem, now: round.now })
  try {
    const before = await getSigned(round.db, due.receipt_id)
    const found = await answerAgain(round, before, due.checked_release)
    if (found === null) return 'left'
    round.crashPoint('watches-answered')
    if ('problem' in found) {
      await record(round.newest, null, found.problem)
      return 0
    }
    const { answer, release } = found
    const payload = answer.release > before.statement.predicate.release ? ((await signedPayload(diffTools(round), before))?.payload ?? null) : null
    const isSame = answer.release <= before.statement.predicate.release || (payload !== null && !isDifferent(payload, answer.payload))
    if (isSame) {
      await record(release, answer.datasets, null)
      // An answer from a model that is older than the newest data is due again when the model is built.
      return release < round.newest ? 'left' : 0
    }
    return await writeChanged(round, due, before, payload, found)
  } catch (error) {
    if (!(error instanceof CrossfileError)) {
      // One question must not stop those behind it. If the database is the reason, recording it fails too, and the job is retried.
      await record(round.newest, null, 'the service failed to answer it; its log has the reason')
      round.log(
        'error',
        `the watched question ${due.question} was not answered: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
      return 0
    }
    const isTemporary = error instanceof Upstream
    await record(isTemporary ? 0 : round.newest, null, error.message)
    return isTemporary ? 'left' : 0
  }
}

const diffTools = ({ db, contextAt }: Round): DiffTools => ({ db, contextOf: contextAt })

type Again = {
  readonly operation: Operation & { readonly id: LakeOperation }
  readonly question: Readonly<Record<string, unknown>>
  readonly context: ReleaseContext
  readonly answer: Payload
  /** The release that was asked: the newest, or that of the newest build of its model. */
  readonly release: number
}

/** The answer to the question of a receipt at the newest release; null if no model is newer than `checked`, the release that was compared. */
async function answerAgain(round: Round, { statement }: Signed, checked: number): Promise<Again | { readonly problem: string } | null> {
  const named = namedOperation(statement)
  if (named === null || !isLakeOperation(named.operation.id)) return { problem: 'this version of the service does not have the operation any more' }
  const operation = named.operation as Again['operation']
  const parsed = named.operation.question.safeParse(named.parameters)
  if (!parsed.success) return { problem: `this version of the service reads the question differently: ${parsed.error.issues[0]?.message ?? ''}` }
  const question = parsed.data as Again['question']
  if (canonicalName(operation.method, operation.path, question) !== statement.subject[0]?.name)
    return { problem: 'this version of the service names the question differently: watch a new answer to it' }
  const { from_model } = answerOf(operation.id)
  const release = from_model ? await modelRelease(round) : round.newest
  if (release <= checked) return null
  const context = await round.contextAt(release, typeof question['as_of'] === 'string' ? question['as_of'] : null)
  const answer = await buildPayload(operation.id, context, question as never, round.dataNow)
  if (answer === null) return { problem: 'nothing is known of what the question names' }
  return { operation, question, context, answer, release }
}

/** The release that models answer: the newest if its build is there, else that of the newest build. A build belongs to the last release that changed an input. */
async function modelRelease({ db, newest, lake }: Round): Promise<number> {
  const build = await findNewestBuild(db, screener, newest)
  return build !== null && build.release < lake.versionOf(screener.inputs).release ? build.release : newest
}

/** Signs the new answer and writes the change of all watches of the question. `payload`: of before; null: it is not known any more. */
async function writeChanged(round: Round, due: DueQuestion, before: Signed, payload: Buffer | null, again: Again): Promise<number> {
  const { db, keysFolder, log, now, baseUrl, crashPoint } = round
  const { operation, question, context, answer, release } = again
  const statement = await statementOf(operation, question, answer)
  const after = { id: receiptId(statementBytes(statement)), statement, payload: answer.payload }
  const difference =
    payload === null
      ? undifferedBy(before, after, `the answer of ${before.id} is not stored, and making it again gives other bytes`)
      : await differenceOf(diffTools(round), { ...before, payload }, after)
  let written = 0
  for (let from = 0; from < due.watch_ids.length; from += watchesAtOnce) {
    written += await transaction(db, async trx => {
      const { signer, fault } = await findSigningLogged(trx, { db, keysFolder, log })
      if (signer === null) throw new Upstream(`the new answer could not be signed: ${fault.message}`, { hint: fault.hint })
      await insertPages(trx, [pageOf(operation, question, answer, context, issueReceipt(statement, signer))])
      const ids = due.watch_ids.slice(from, from + watchesAtOnce)
      return await writeChanges(trx, ids, difference, { datasets: answer.datasets, release }, { now, baseUrl, crashPoint })
    })
    crashPoint('watches-changed')
  }
  return written
}
