// The job queue (pg-boss on Postgres): one queue per job of jobs.yaml, one dead-letter queue for all. Jobs are sent inside the caller's
// transaction if there is one, and a notification wakes the workers.

import { sql } from 'kysely'
import { fromKysely, PgBoss } from 'pg-boss'
import { z } from 'zod'
import { daySeconds } from '#schemas/days.ts'
import { Broken } from '#schemas/errors.ts'
import type { Fence } from './lake/commit.ts'
import { jobChannel, quietMs } from './notifications.ts'
import type { Db } from './postgres.ts'
import { quietClock, superviseActive, supervisionSeconds } from './queue-supervision.ts'

export const deadLetterQueue = 'dead-letter'
/** Seconds without a heartbeat after which another worker claims a job. */
const heartbeatSeconds = 30

/** The data of a job: its window. It contains no ids of users and no secrets. */
export type JobData = {
  readonly partition: string
  readonly from: string | null // first day of the window
  readonly to: string | null
  readonly symbols: readonly string[] | null
  readonly backfill_id: number | null
  /** The route by which a backfill's window is read (pipelines/jobs/bulk/routes.ts); absent: as the job's schedule reads it. */
  readonly route?: string
  /** A request of the API to the worker, such as an answer to sign or a receipt to reproduce. */
  readonly request?: Readonly<Record<string, unknown>>
}

/**
 * Queues of the API's requests to the worker: sign an answer, reproduce one, sign a receipt as JWS, build a model, split a backfill into windows, answer a
 * question with a language model, read a report, do what an administrator requests.
 */
export const signQueue = 'answers-sign'
export const reproduceQueue = 'receipts-reproduce'
/** Signs a receipt as JWS, for `GET /api/v1/data/receipts/{id}/jws`. */
export const jwsQueue = 'receipts-jws'
export const buildQueue = 'models-build'
export const backfillQueue = 'backfills-cut'
export const answerQueue = 'assistant-answer'
/** Reads a PDF of the inbox for a user. */
export const reportsQueue = 'reports-process'
/** Requests of administrators: the cost of a backfill, a run of a job, a decision on a finding of the quarantine. */
export const operatorQueue = 'operator-requests'
export const requestQueues = [signQueue, reproduceQueue, jwsQueue, buildQueue, backfillQueue, answerQueue, reportsQueue, operatorQueue] as const

/** The output of a completed job of `signQueue`; `signing` off: no key can be used. */
export type SignOutput = { readonly signed: boolean; readonly signing: 'on' | 'off' }

/** Requests whose client waits for the result and can repeat the request: a failed one leaves no dead letter. */
const waitedFor: readonly string[] = [signQueue, reproduceQueue, jwsQueue, buildQueue, answerQueue]

/** Creates the queues of requests, so that an API can send before the first worker has run. */
export async function defineRequestQueues(queue: Queue): Promise<void> {
  for (const name of requestQueues)
    await queue.define(name, {
      deadLetters: !waitedFor.includes(name),
      // A second attempt of a question would cost the model's price twice: the client gets an error, and the question does not count.
      retryLimit: name === answerQueue ? 0 : 1,
      retryDelay: 1,
      retryDelayMax: 5,
      expireInSeconds: name === buildQueue ? 1_800 : name === reportsQueue ? 600 : 120,
    })
}

/** A filing, and the dataset and the row of it that the request names; null: it names none. */
const rowOfFiling = { filing: z.string(), dataset: z.string().nullable(), line: z.string().nullable() }

/** What a worker does for an administrator. */
export const OperatorRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('cost'),
    job: z.string(),
    from: z.string(),
    to: z.string(),
    symbols: z.array(z.string()).nullable(),
  }),
  z.strictObject({ kind: z.literal('run'), job: z.string(), date: z.string().nullable(), symbols: z.array(z.string()).nullable() }),
  z.strictObject({ kind: z.literal('decide'), finding: z.int(), decision: z.enum(['released', 'rejected']), note: z.string() }),
  // What only the worker can see. `nonce`: two such requests are never the same.
  z.strictObject({ kind: z.literal('signing'), nonce: z.string() }),
  z.strictObject({ kind: z.literal('backups'), nonce: z.string() }),
  z.strictObject({ kind: z.literal('unread'), nonce: z.string() }),
  z.strictObject({ kind: z.literal('filing_values'), ...rowOfFiling, nonce: z.string() }),
  z.strictObject({ kind: z.literal('corrections'), filing: z.string().nullable(), limit: z.int(), nonce: z.string() }),
  // `value` null: the filed value applies again. `at`: the instant of the correction, the same for every attempt.
  z.strictObject({
    kind: z.literal('correct'),
    ...rowOfFiling,
    field: z.string(),
    value: z.string().nullable(),
    reason: z.string(),
    evidence: z.string().nullable(),
    dry_run: z.boolean(),
    at: z.string(),
    actor: z.string(),
  }),
  // `actor`: the administrator's pseudonym, for the row in the audit chain, which the worker writes with the change.
  z.strictObject({ kind: z.literal('rotate'), active: z.string().nullable(), actor: z.string() }),
  z.strictObject({ kind: z.literal('revoke'), kid: z.string(), from: z.string(), actor: z.string() }),
  z.strictObject({ kind: z.literal('continue_log'), actor: z.string() }),
])
export type OperatorRequest = z.infer<typeof OperatorRequest>

type QueueSettings = {
  /** False: a job that failed at its last attempt is not put into the dead-letter queue. */
  readonly deadLetters?: boolean
  readonly retryLimit: number
  readonly retryDelay: number
  readonly retryDelayMax: number
  readonly expireInSeconds: number
}

export type Claimed = { readonly queue: string; readonly data: JobData; readonly fence: Fence; readonly signal: AbortSignal; readonly last: boolean }

export type Outlook = {
  /** Queues with a ready job. */
  readonly ready: readonly string[]
  /** A job runs in some process: if that is killed, its job is given to another attempt. */
  readonly isActive: boolean
  /** Milliseconds until the next waiting job becomes ready, at least 0; null: none waits. */
  readonly nextMs: number | null
}

export type Queue = {
  /** Creates or updates the queue of a job. */
  define(name: string, settings: QueueSettings): Promise<void>
  /**
   * Sends a job, in the transaction if one is given. With a `key`, nothing is sent while one with the same key waits or runs; with
   * `pullForward`, one that waits for its next attempt becomes ready immediately.
   */
  send(
    name: string,
    data: JobData,
    options?: { readonly key?: string; readonly transaction?: Db; readonly priority?: number; readonly pullForward?: boolean },
  ): Promise<string | null>
  claim(name: string, size: number): Promise<Claimed[]>
  /** Sends a heartbeat for the attempt; false if it no longer belongs to this worker. */
  touch(claimed: Claimed): Promise<boolean>
  /** Completes the job in the transaction; throws `Broken` if the attempt no longer belongs to this worker, so that the transaction rolls back. */
  complete(claimed: Claimed, output: object, transaction: Db): Promise<void>
  /**
   * Ends the attempt as failed: it is retried after a delay, or goes to the dead-letter queue after the last. False if the attempt no
   * longer belongs to this worker; then nothing changes.
   */
  fail(claimed: Claimed, reason: object, transaction?: Db): Promise<boolean>
  /** Returns the attempt without counting it: the job is ready immediately, for any worker. False if the attempt no longer belongs to this worker. */
  giveBack(claimed: Claimed, reason: object, transaction: Db): Promise<boolean>
  /** Ends the job without another attempt and moves it to the dead-letter queue; false if the attempt no longer belongs to this worker. */
  bury(claimed: Claimed, reason: object, transaction?: Db): Promise<boolean>
  /** Queues with a ready job. */
  ready(): Promise<string[]>
  /** The same, and what may make a job ready without a notification. */
  look(): Promise<Outlook>
  /** The output of a completed job; null while it waits or runs, or if it failed. */
  output(name: string, id: string): Promise<object | null>
  /** Why a job failed at its last attempt; null while it may still succeed. */
  failure(name: string, id: string): Promise<Failure | null>
  /** Puts dead letters back into their queues; returns their number. */
  redrive(): Promise<number>
  close(): Promise<void>
}

/** Why a request failed. `shown`: the message that its client may see; absent if the error was not thrown on purpose, or the job expired. */
const Failure = z.object({ shown: z.string().optional() })
export type Failure = z.infer<typeof Failure>

/** The response of pg-boss to complete and touch; its types lack the count. */
const Affected = z.object({ affected: z.int() })

/**
 * Creates or updates pg-boss's tables, on a separate connection, because its migration opens a transaction that must not stay open in a
 * shared pool. Any number of processes may call it concurrently.
 */
export async function installQueue(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, max: 1, supervise: false, schedule: false, migrate: true })
  // Concurrent installers wait for pg-boss's lock; if one fails, another does the work.
  boss.on('error', () => undefined)
  for (let attempt = 1; ; attempt += 1) {
    try {
      await boss.start()
      break
    } catch (error) {
      if (attempt >= 5) throw error
      await new Promise(resolve => setTimeout(resolve, 200 * attempt))
    }
  }
  await boss.stop({ graceful: false, close: true })
}

/** Jobs that run in some process. Only those can miss a heartbeat or run past their time. */
async function anyActive(db: Db): Promise<boolean> {
  const { rows } = await sql<{ active: boolean }>`
    select exists (select from pgboss.job where state = 'active' and name <> ${deadLetterQueue}) as active`.execute(db)
  return rows[0]?.active === true
}

async function look(db: Db): Promise<Outlook> {
  const { rows } = await sql<{ ready: string[]; active: boolean; next_ms: number | null }>`
    select coalesce(array_agg(distinct name) filter (where state <> 'active' and start_after <= now()), '{}') as ready,
      coalesce(bool_or(state = 'active'), false) as active,
      (extract(epoch from min(start_after) filter (where state <> 'active' and start_after > now()) - now()) * 1000)::float8 as next_ms
    from pgboss.job where state in ('created', 'retry', 'active') and name <> ${deadLetterQueue}`.execute(db)
  const { ready = [], active = false, next_ms = null } = rows[0] ?? {}
  return { ready, isActive: active, nextMs: next_ms }
}

/** Looks at the queue, and remembers whether any job ran: an idle worker looks as often as it supervises, which then sends no other statement. */
function createOutlook(db: Db): { readonly look: () => Promise<Outlook>; readonly isAnyActive: () => Promise<boolean> } {
  let seen: { readonly isActive: boolean; readonly atMs: number } | null = null
  return {
    async look() {
      const found = await look(db)
      seen = { isActive: found.isActive, atMs: performance.now() }
      return found
    },
    isAnyActive: async () => (seen !== null && performance.now() - seen.atMs <= quietMs.sameMachine + 500 ? seen.isActive : await anyActive(db)),
  }
}

/** What pg-boss does not do by itself: processes supervise, schedule and migrate in their own way. */
const passive = { clock: quietClock, supervise: false, schedule: false, migrate: false } as const

/** Opens the queue; `supervise` is for workers: expiry, retries and maintenance run in that process. */
export async function openQueue(database: Db, supervise: boolean, onWarning: (message: string) => void): Promise<Queue> {
  const boss = new PgBoss({
    db: fromKysely(database),
    ...passive,
    monitorIntervalSeconds: supervisionSeconds.monitored,
    superviseIntervalSeconds: supervisionSeconds.interval,
    maintenanceIntervalSeconds: supervisionSeconds.maintained,
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', error => onWarning(`queue: ${error.message}`))
  await boss.start()
  const outlook = createOutlook(database)
  const supervision = supervise ? superviseActive(boss, outlook.isAnyActive, onWarning) : null
  let deadLetters = false

  const attempt = (claimed: Claimed) => ({ id: claimed.fence.queueJob, retryCount: claimed.fence.attempt })
  return {
    async define(name, settings) {
      deadLetters ||= (await boss.getQueue(deadLetterQueue)) !== null
      if (!deadLetters) await boss.createQueue(deadLetterQueue, { retryLimit: 0, retentionSeconds: 365 * daySeconds })
      deadLetters = true
      const options = {
        retryLimit: settings.retryLimit,
        retryDelay: settings.retryDelay,
        retryBackoff: true,
        retryDelayMax: settings.retryDelayMax,
        expireInSeconds: settings.expireInSeconds,
        heartbeatSeconds,
        deadLetter: settings.deadLetters === false ? null : deadLetterQueue,
      }
      if (await boss.getQueue(name)) await boss.updateQueue(name, options)
      else {
        const { deadLetter, ...rest } = options
        await boss.createQueue(name, { ...rest, ...(deadLetter === null ? {} : { deadLetter }), policy: 'exclusive' })
      }
    },
    async send(name, data, options = {}) {
      const db = options.transaction ?? database
      const singletonKey = options.key ?? `${data.partition}|${data.symbols?.join(',') ?? ''}`
      const id = await boss.send(name, data, {
        db: fromKysely(db),
        singletonKey,
        ...(options.priority === undefined ? {} : { priority: options.priority }),
      })
      if (id === null && options.pullForward)
        await sql`update pgboss.job set start_after = now()
          where name = ${name} and singleton_key = ${singletonKey} and state = 'retry' and start_after > now()`.execute(db)
      await sql`select pg_notify(${jobChannel}, ${name})`.execute(db)
      return id
    },
    async claim(name, size) {
      const jobs = await boss.fetch<JobData>(name, { batchSize: size, includeMetadata: true })
      return jobs.map(job => ({
        queue: name,
        data: job.data,
        fence: { queueJob: job.id, attempt: job.retryCount },
        signal: job.signal,
        last: job.retryCount >= job.retryLimit,
      }))
    },
    async touch(claimed) {
      const result = await boss.touch(claimed.queue, attempt(claimed))
      return Affected.parse(result).affected === 1
    },
    async complete(claimed, output, transaction) {
      const result = await boss.complete(claimed.queue, attempt(claimed), output, { db: fromKysely(transaction) })
      if (Affected.parse(result).affected !== 1) {
        throw new Broken(`job ${claimed.queue} ${claimed.fence.queueJob}, attempt ${claimed.fence.attempt}: it was taken over by another worker`)
      }
    },
    async fail(claimed, reason, transaction) {
      const result = await boss.fail(claimed.queue, attempt(claimed), reason, { db: fromKysely(transaction ?? database) })
      return Affected.parse(result).affected === 1
    },
    async giveBack(claimed, reason, transaction) {
      const { queueJob, attempt: number } = claimed.fence
      await sql`update pgboss.job set retry_limit = retry_limit + 1
        where name = ${claimed.queue} and id = ${queueJob}::uuid and state = 'active' and retry_count = ${number}`.execute(transaction)
      const result = await boss.fail(claimed.queue, attempt(claimed), reason, { db: fromKysely(transaction) })
      if (Affected.parse(result).affected !== 1) return false
      await sql`update pgboss.job set start_after = now()
        where name = ${claimed.queue} and id = ${queueJob}::uuid and state = 'retry'`.execute(transaction)
      return true
    },
    async bury(claimed, reason, transaction) {
      const work = async (trx: Db): Promise<boolean> => {
        const db = fromKysely(trx)
        const result = await boss.complete(claimed.queue, attempt(claimed), reason, { db })
        if (Affected.parse(result).affected !== 1) return false
        const id = await boss.send(deadLetterQueue, { ...claimed.data, job: claimed.queue, reason }, { db })
        // Written in the columns that pg-boss uses, so that its redrive finds the original queue.
        await sql`update pgboss.job set source_name = ${claimed.queue}, source_id = ${claimed.fence.queueJob}::uuid,
          source_retry_count = ${claimed.fence.attempt}, source_output = ${JSON.stringify(reason)}::jsonb
          where name = ${deadLetterQueue} and id = ${id}::uuid`.execute(trx)
        return true
      }
      return transaction ? await work(transaction) : await database.transaction().execute(work)
    },
    ready: async () => [...(await look(database)).ready],
    look: outlook.look,
    async output(name, id) {
      const job = await boss.getJobById(name, id)
      return job?.state === 'completed' ? (job.output ?? {}) : null
    },
    async failure(name, id) {
      const job = await boss.getJobById(name, id)
      return job?.state === 'failed' ? Failure.parse(job.output ?? {}) : null
    },
    async redrive() {
      const count = await boss.redrive(deadLetterQueue)
      await sql`select pg_notify(${jobChannel}, ${deadLetterQueue})`.execute(database)
      return count
    },
    async close() {
      await supervision?.stop()
      await boss.stop({ graceful: true, close: false, timeout: 5_000 })
    },
  }
}
