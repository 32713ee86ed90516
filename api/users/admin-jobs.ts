// Jobs, runs, backfills and incidents for administrators: the functions of the command line over HTTP.

import type { z } from 'zod'
import type { BackfillIn, IncidentIn, IncidentPatch } from '#schemas/admin.ts'
import { utcDay } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { printable } from '#schemas/operations/parameters.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { changeIncident, openIncident } from '#warehouse/people/status/incidents.ts'
import { findIncidents } from '#warehouse/people/status/status.ts'
import { checkBackfill, insertBackfill, listBackfills } from '#warehouse/store/jobs/backfills.ts'
import { findDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import type { Jobs } from '#warehouse/store/jobs/read-jobs.ts'
import { findLastRuns, findRuns } from '#warehouse/store/jobs/runs.ts'
import { nextTick } from '#warehouse/store/jobs/ticks.ts'
import { findRunningWorkers, onWorkers, whyNoWorker } from '#warehouse/store/jobs/workers.ts'
import { backfillQueue } from '#warehouse/store/queue.ts'
import type { Handler } from '../handler.ts'
import { nearest } from '../plugins/nearest.ts'
import { acted, administrator, afterCursor, paged } from './admin.ts'
import { jsonAnswer, type UserTools } from './tools.ts'

const backfillsShown = 20

/** The jobs of jobs.yaml, which are read, and whose reader is loaded, when they are first needed. `get` throws `NotFound` that names the nearest job. */
export function jobsOf({ config }: Pick<UserTools, 'config'>): {
  readonly all: () => Promise<JobDefinition[]>
  readonly get: (name: string) => Promise<JobDefinition>
} {
  let read: Jobs | null = null
  const load = async (): Promise<Jobs> => {
    const { readJobs } = await import('#warehouse/store/jobs/read-jobs.ts')
    read ??= readJobs(config)
    return read
  }
  return {
    all: async () => [...(await load()).values()],
    async get(name) {
      const jobs = await load()
      const job = jobs.get(name)
      if (job) return job
      const near = nearest(name, [...jobs.keys()])
      throw new NotFound(`there is no job ${printable(name)}`, {
        hint: near === null ? 'GET /api/v1/admin/jobs lists them' : `did you mean ${near}?`,
      })
    },
  }
}

/** Every job, on or off by the workers that are alive. */
function listJobs(tools: UserTools, all: () => Promise<JobDefinition[]>): Handler<'list_admin_jobs'> {
  return async (_question, context) => {
    await administrator(tools, context)
    const [last, dead] = [await findLastRuns(tools.db), await findDeadLetters(tools.db)]
    const found = await findRunningWorkers(tools.db)
    const lines = (await all()).map(job => {
      const workers = onWorkers(found, job.name)
      const why_off = whyNoWorker(workers)
      return {
        name: job.name,
        title: job.title,
        source: job.source,
        datasets: job.datasets,
        enabled: job.enabled,
        schedule: job.schedule,
        backfill: job.backfill,
        on: workers.length === 0 ? null : why_off === null,
        why_off,
        workers,
        next_run: job.enabled === 'off' || why_off !== null ? null : (nextTick(job, context.now())?.toISOString() ?? null),
        last_run: last.get(job.name) ?? null,
        dead_letters: dead.filter(letter => letter.job === job.name).length,
      }
    })
    return jsonAnswer({ count: lines.length, jobs: lines, unknown_workers: found.unknown })
  }
}

export function adminJobHandlers(tools: UserTools) {
  const { db, queue } = tools
  const { all, get: jobOf } = jobsOf(tools)

  const runs: Handler<'list_job_runs'> = async (question, context) => {
    await administrator(tools, context)
    const { name, limit, state } = question
    const { name: job } = await jobOf(name)
    const before = afterCursor(context, question)?.[0] ?? null
    const found = await findRuns(db, {
      job,
      state: state === 'all' ? null : state,
      limit: limit + 1,
      before: before === null ? null : Number(before),
    })
    const { rows, next_cursor } = paged(context, question, found, row => [row.run_id])
    const backfills = before === null ? await listBackfills(db, backfillsShown, job) : []
    return jsonAnswer({ job, count: rows.length, runs: rows, backfills, next_cursor })
  }

  const backfill: Handler<'backfill_job'> = async ({ name }, context) => {
    const session = await administrator(tools, context)
    const job = await jobOf(name)
    const { from, to, symbols: typed } = context.body as z.output<typeof BackfillIn>
    const symbols = typed ? symbolsOf(typed) : null
    checkBackfill(job, { from, to, symbols }, utcDay(context.dataNow()))
    if (job.enabled === 'off') throw new BadRequest(`${job.name} is off`, { status: 409, code: 'conflict', hint: 'jobs.yaml switches it on' })
    return await acted(tools, context, session, async trx => {
      const backfill_id = await insertBackfill(trx, { job: job.name, from, to, symbols })
      // Only the worker knows the route for a range; it splits the range into windows and sends them.
      const sent = await queue.send(
        backfillQueue,
        { partition: `backfill ${backfill_id}`, from, to, symbols: null, backfill_id: null, request: { backfill_id } },
        { key: `backfill ${backfill_id}`, transaction: trx },
      )
      return {
        status: 202,
        body: { backfill_id, job: job.name, from_date: from, to_date: to, symbols, state: sent === null ? 'waiting' : 'asked' },
        act: { act: 'job.backfill', subject: job.name, details: { backfill: backfill_id, from, to, symbols: symbols?.length ?? null } },
      }
    })
  }

  const open: Handler<'open_incident'> = async (_question, context) => {
    const session = await administrator(tools, context)
    const { title, impact, body = null, component = null, started_at } = context.body as z.output<typeof IncidentIn>
    return await acted(tools, context, session, async trx => {
      const incident = await openIncident(trx, { title, impact, body, component, started_at: started_at ?? context.now().toISOString() })
      return { status: 201, body: incident, act: { act: 'incident.open', subject: incident.id, details: { impact, component } } }
    })
  }

  const change: Handler<'change_incident'> = async ({ id }, context) => {
    const session = await administrator(tools, context)
    const { note, impact, resolved, published } = context.body as z.output<typeof IncidentPatch>
    return await acted(tools, context, session, async trx => {
      const incident = await changeIncident(trx, id, {
        note: note ?? null,
        ...(impact === undefined ? {} : { impact }),
        ...(resolved ? { resolved_at: context.now().toISOString() } : {}),
        ...(published ? { published } : {}),
      })
      const details = {
        note: note !== null && note !== undefined,
        impact: impact ?? null,
        resolved: resolved ?? false,
        published: published ?? false,
      }
      return { body: incident, act: { act: 'incident.change', subject: id, details } }
    })
  }

  const incidents: Handler<'list_admin_incidents'> = async ({ state, limit }, context) => {
    await administrator(tools, context)
    const found = await findIncidents(db, { state, limit })
    return jsonAnswer({ count: found.length, incidents: found.map(incident => ({ ...incident, draft: state === 'draft' })) })
  }

  return {
    list_admin_incidents: incidents,
    list_admin_jobs: listJobs(tools, all),
    list_job_runs: runs,
    backfill_job: backfill,
    open_incident: open,
    change_incident: change,
  }
}

/** Symbols in any usual spelling, or CIKs, canonical and each once. */
export function symbolsOf(typed: readonly string[]): string[] {
  const found = typed.map(text => {
    if (/^\d{1,10}$/.test(text)) return text.padStart(10, '0')
    const symbol = parseSymbol(text)?.symbol
    if (symbol === undefined)
      throw new BadRequest(`symbols: ${printable(text)} is no symbol`, {
        hint: 'US symbols are bare (AAPL, BRK-B), Toronto ends in .TO, TSX Venture in .V',
      })
    return symbol
  })
  return [...new Set(found)].sort()
}
