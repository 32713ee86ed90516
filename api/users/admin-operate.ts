// The running service for administrators: what the command line shows and steers, over HTTP. Every action has a row in the audit chain.
import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { BackfillIn } from '#schemas/admin.ts'
import { type DecisionIn, type LiftIn, type RedriveIn, type RunIn, shownCharacters } from '#schemas/admin-operate.ts'
import { utcDay } from '#schemas/days.ts'
import { BadRequest, Broken, NotFound, StoreUnavailable } from '#schemas/errors.ts'
import { printable } from '#schemas/operations/parameters.ts'
import { readOverview } from '#warehouse/people/admin/overview.ts'
import { checkBackfill } from '#warehouse/store/jobs/backfills.ts'
import { findDeadLetters, redriveIn } from '#warehouse/store/jobs/dead-letters.ts'
import { countFindings, findFindingDocument, findFindings, type QuarantineFilter } from '#warehouse/store/quarantine.ts'
import { rawPlace } from '#warehouse/store/raw/place.ts'
import { openRawStore } from '#warehouse/store/raw/raw.ts'
import { findUpstreamStops, liftUpstreamStop } from '#warehouse/store/upstream-stops.ts'
import type { Handler, Handlers } from '../handler.ts'
import { acted, administrator, afterCursor, paged } from './admin.ts'
import { jobsOf, symbolsOf } from './admin-jobs.ts'
import { answerOfWorker, askWorker, sendToWorker } from './operator-requests.ts'
import { jsonAnswer, type UserTools } from './tools.ts'

const Cost = z.object({ windows: z.int(), off: z.string().nullable(), routes: z.array(z.looseObject({})), taken: z.array(z.looseObject({})) })
const Run = z.object({ partition: z.string(), joined: z.boolean() })
const Effect = z.object({ release: z.int().nullable(), rows: z.record(z.string(), z.int()), newly_held: z.int() })

type Found = Awaited<ReturnType<typeof findFindings>>[number]
const shownFinding = ({ quarantine_id: id, ...rest }: Found) => ({ id, ...rest })

export function adminOperateHandlers(tools: UserTools) {
  const overview: Handler<'get_admin_overview'> = async (_question, context) => {
    await administrator(tools, context)
    return jsonAnswer(await readOverview(tools.db, tools.config.dataFolder, await jobsOf(tools).all(), context.now()))
  }
  return {
    get_admin_overview: overview,
    ...upstreamHandlers(tools),
    ...quarantineHandlers(tools),
    ...workHandlers(tools),
  } satisfies Partial<Handlers>
}

function upstreamHandlers(tools: UserTools) {
  const { db } = tools
  const list: Handler<'list_upstream_stops'> = async (_question, context) => {
    await administrator(tools, context)
    const upstreams = await findUpstreamStops(db)
    return jsonAnswer({ count: upstreams.length, upstreams })
  }
  const lift: Handler<'lift_upstream_stop'> = async (_question, context) => {
    const session = await administrator(tools, context)
    const { name } = context.body as z.output<typeof LiftIn>
    return await acted(tools, context, session, async trx => {
      const stop = await liftUpstreamStop(trx, name)
      if (stop === null) throw new NotFound(`${printable(name)} is not stopped`, { hint: 'GET /api/v1/admin/upstreams lists those that are' })
      const { stopped_until, reason, failing_since, failures } = stop
      return {
        body: { name, stopped_until, reason },
        act: { act: 'upstream.lift', subject: name, details: { stopped_until, reason, failing_since, failures } },
      }
    })
  }
  return { list_upstream_stops: list, lift_upstream_stop: lift }
}

function quarantineHandlers(tools: UserTools) {
  const { db, queue, config, serving } = tools
  const raw = openRawStore(db, rawPlace(config.dataFolder, serving.remote))

  /** The beginning of a document as text. Null if it is not text, or if its bytes cannot be read: the finding is shown in either case. */
  async function textOf(sha256: string): Promise<{ text: string | null; whole: boolean }> {
    try {
      const { body } = await raw.read(sha256)
      if (!isUtf8(body) || body.includes(0)) return { text: null, whole: false }
      const text = Buffer.from(body).toString('utf8')
      return { text: text.slice(0, shownCharacters), whole: text.length <= shownCharacters }
    } catch (error) {
      if (!(error instanceof NotFound || error instanceof Broken || error instanceof StoreUnavailable)) throw error
      tools.warn(`quarantine: ${error.message}`)
      return { text: null, whole: false }
    }
  }
  async function findingOf(id: number) {
    const found = await db.selectFrom('quarantine').selectAll().where('quarantine_id', '=', id).executeTakeFirst()
    if (!found) throw new NotFound(`there is no finding ${id}`, { hint: 'GET /api/v1/admin/quarantine lists them' })
    return found
  }

  const list: Handler<'list_quarantine'> = async (question, context) => {
    await administrator(tools, context)
    const { state, dataset = null, reason = null, subject = null, limit } = question
    const filter: QuarantineFilter = { state, dataset, reason, subject }
    const before = afterCursor(context, question)?.[0] ?? null
    const found = await findFindings(db, filter, limit + 1, before === null ? null : Number(before))
    const { rows, next_cursor } = paged(context, question, found.map(shownFinding), row => [row.id])
    const groups = await countFindings(db, filter)
    return jsonAnswer({ count: rows.length, groups, findings: rows, next_cursor })
  }
  const get: Handler<'get_quarantine_finding'> = async ({ id }, context) => {
    await administrator(tools, context)
    const { fingerprint: _fingerprint, record, ...found } = await findingOf(id)
    const document = await findFindingDocument(db, found)
    const { raw_id: _raw, ...facts } = document ?? { raw_id: 0 }
    return jsonAnswer({ ...shownFinding(found), record, document: document === null ? null : { ...facts, ...(await textOf(document.sha256)) } })
  }
  const decide: Handler<'decide_quarantine_finding'> = async ({ id }, context) => {
    const session = await administrator(tools, context)
    const { decision, note: typed = null } = context.body as z.output<typeof DecisionIn>
    const { dataset, reason, state, note: kept } = await findingOf(id)
    if (state === decision && kept?.startsWith('operator:'))
      throw new BadRequest(`finding ${id} is ${decision} already`, {
        status: 409,
        code: 'conflict',
        hint: 'a decision can be changed to the other one',
      })
    const sent: { job: string | null } = { job: null }
    const body = { id, decision, state: 'sent' as 'sent' | 'applied', release: null as number | null, rows: {}, newly_held: 0 }
    const answered = await acted(tools, context, session, async trx => {
      const note = typed === null || typed === '' ? 'operator:' : `operator: ${typed}`
      sent.job = await sendToWorker(queue, { kind: 'decide', finding: id, decision, note }, trx)
      const act = { act: `quarantine.${decision === 'released' ? 'release' : 'reject'}`, subject: String(id), details: { dataset, reason } }
      return { status: 202, body, act }
    })
    const effect = sent.job === null ? null : await answerOfWorker(queue, sent.job, Effect)
    return effect === null ? answered : jsonAnswer({ ...body, state: 'applied', ...effect }, { status: 202 })
  }
  return { list_quarantine: list, get_quarantine_finding: get, decide_quarantine_finding: decide }
}

function workHandlers(tools: UserTools) {
  const { db, queue } = tools
  const jobs = jobsOf(tools)

  const estimate: Handler<'estimate_backfill'> = async ({ name }, context) => {
    await administrator(tools, context)
    const job = await jobs.get(name)
    const { from, to, symbols: typed } = context.body as z.output<typeof BackfillIn>
    const symbols = typed ? symbolsOf(typed) : null
    checkBackfill(job, { from, to, symbols }, utcDay(context.dataNow()))
    const cost = await askWorker(queue, { kind: 'cost', job: name, from, to, symbols }, Cost)
    return jsonAnswer({ job: name, from_date: from, to_date: to, symbols, ...cost })
  }
  const run: Handler<'run_job'> = async ({ name }, context) => {
    const session = await administrator(tools, context)
    const job = await jobs.get(name)
    const { date = null, symbols: typed } = context.body as z.output<typeof RunIn>
    const symbols = typed ? symbolsOf(typed) : null
    if (job.enabled === 'off') throw new BadRequest(`${name} is off`, { status: 409, code: 'conflict', hint: 'jobs.yaml switches it on' })
    // In the transaction of the Idempotency-Key: a request that is repeated asks the worker once.
    return await acted(tools, context, session, async () => {
      const { partition, joined } = await askWorker(queue, { kind: 'run', job: name, date, symbols }, Run)
      return { status: 202, body: { job: name, partition, joined }, act: { act: 'job.run', subject: name, details: { partition, joined } } }
    })
  }
  const dead: Handler<'list_dead_letters'> = async (_question, context) => {
    await administrator(tools, context)
    const letters = (await findDeadLetters(db)).map(({ data: _data, ...letter }) => letter)
    return jsonAnswer({ count: letters.length, dead_letters: letters })
  }
  const redrive: Handler<'redrive_dead_letters'> = async (_question, context) => {
    const session = await administrator(tools, context)
    const { ids = null } = context.body as z.output<typeof RedriveIn>
    return await acted(tools, context, session, async trx => {
      const letters = (await findDeadLetters(trx)).filter(letter => ids === null || ids.includes(letter.id))
      let redriven = 0
      for (const letter of letters) if (await redriveIn(trx, queue, letter)) redriven += 1
      return { body: { redriven }, act: { act: 'dead_letters.redrive', subject: 'dead letters', details: { redriven } } }
    })
  }
  return { estimate_backfill: estimate, run_job: run, list_dead_letters: dead, redrive_dead_letters: redrive }
}
