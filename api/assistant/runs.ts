// Questions that this process answers by rules, and questions that a worker answers with the model while this process waits.
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AssistantEvent, assistantRuleset, rulesModel } from '#schemas/assistant.ts'
import type { Config } from '#schemas/config.ts'
import { Broken, CrossfileError, Upstream } from '#schemas/errors.ts'
import type { CallOperation } from '#schemas/operation-calls.ts'
import type { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { answeredEnd, failedEnd, Stopping } from '#warehouse/people/chats/ends.ts'
import { createEventWriter } from '#warehouse/people/chats/event-writer.ts'
import type { RunAnswer } from '#warehouse/people/chats/run-records.ts'
import { endRun, findProgress, keepAlive, lostEnd, noteFollower, type Run, type RunEnd } from '#warehouse/people/chats/runs.ts'
import { clientLeft } from '#warehouse/people/users/hash-queue.ts'
import { asUpstream, isConnectionError } from '#warehouse/store/connection-errors.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { answerQueue, type Queue } from '#warehouse/store/queue.ts'

/** Milliseconds; tests shorten them. */
export type RunTimes = {
  /** Interval for polling a run of another process, or its events. */
  readonly poll: number
  /** Interval of the heartbeat of a run, and of the check whether its client is connected. */
  readonly watch: number
  /** Interval of the heartbeat to a client of a stream. */
  readonly follow: number
  /** Time for which a stream without a client continues. */
  readonly grace: number
  readonly heartbeat: number
  /** Maximum duration of one response; the client then continues in another. */
  readonly life: number
  /** Interval for checking that the session of a stream is valid. */
  readonly recheck: number
}
export const runTimes: RunTimes = { poll: 200, watch: 2_000, follow: 5_000, grace: 10_000, heartbeat: 15_000, life: 600_000, recheck: 60_000 }

export type RunTools = {
  readonly db: Db
  readonly queue: Queue
  readonly config: Config
  readonly answer: typeof answerQuestion
  readonly times: RunTimes
  readonly warn: (message: string) => void
}
export type RunContext = {
  readonly call: CallOperation
  readonly now: () => Date
  /** The instant that counts as now for market data. */
  readonly dataNow: () => Date
}
export type Runner = {
  /** Starts the work of a stream. Its events are stored when they occur. */
  readonly start: (run: Run, image: boolean, context: RunContext) => void
  /** Does the work and returns its answer. Throws the error that ended it; `gone` aborts it. */
  readonly finish: (run: Run, image: boolean, context: RunContext, gone: AbortSignal) => Promise<RunAnswer>
  /** Resolves when a run of this process has stored events, or after the polling interval. */
  readonly wake: (runId: string) => Promise<void>
  /** Aborts all runs, and resolves when they have ended. */
  readonly close: () => Promise<void>
}

class Left extends Error {}

export function createRunner({ db, queue, config, answer, times, warn }: RunTools): Runner {
  const bells = new EventEmitter().setMaxListeners(0)
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  const usesModel = ({ request }: Pick<Run, 'request'>, image: boolean): boolean => config.model !== null && (image || request.quality === 'deep')

  /** Answers in this process and ends the run. `streamed`: every event is stored, not only the last one. */
  async function answerHere(run: Run, context: RunContext, streamed: boolean, gone: AbortSignal | null): Promise<RunAnswer> {
    const { now } = context
    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, closing.signal, ...(gone === null ? [] : [gone])])
    const writer = createEventWriter(db, run, streamed, now, () => bells.emit(run.run_id))
    const watching = setInterval(() => void watch().catch(error => warn(`assistant: ${reasonOf(error)}`)), times.watch)
    async function watch(): Promise<void> {
      if (!(await keepAlive(db, run, now()))) return left.abort(new Left())
      const progress = streamed ? await findProgress(db, run, now()) : null
      if (progress?.followed === false) left.abort(new Left())
    }
    try {
      writer.write({ event: 'start', message_id: run.run_id, session_id: run.session_id ?? '', model: rulesModel, ruleset: assistantRuleset })
      const found = await ask(run, context, signal, writer.write)
      await writer.flushed()
      await endOwn(db, run, answeredEnd(run, found), writer.next(), now())
      return found
    } catch (error) {
      await writer.flushed().catch(() => undefined)
      const how = failedEnd(asUpstream(error), signal, writer.hasText())
      if (how.state === 'failed' && !(error instanceof CrossfileError) && !signal.aborted) warn(`assistant: ${reasonOf(error)}`)
      const ended = (): Promise<void> => endOwn(db, run, how, writer.next(), now())
      const ending = streamed ? untilReached(ended, times.watch, closing.signal) : ended()
      await ending.catch(failing => warn(`assistant: a run was not ended: ${reasonOf(failing)}`))
      if (gone?.aborted) throw clientLeft()
      throw signal.aborted && !(error instanceof CrossfileError) ? cancelled() : error
    } finally {
      clearInterval(watching)
      bells.emit(run.run_id)
    }
  }

  /** The answer to the question, or to the first of its other wordings that is understood. */
  async function ask(run: Run, { call, dataNow }: RunContext, signal: AbortSignal, onEvent: (event: AssistantEvent) => void): Promise<RunAnswer> {
    const { content, alts, conversation, profile } = run.request
    let first: RunAnswer | null = null
    for (const question of [content, ...alts]) {
      const monotonic = (): number => performance.now()
      const found = await answer({ question, conversation, profile, call, now: dataNow(), signal, onEvent, monotonic })
      const answered: RunAnswer = { ...found, query: question }
      if (found.envelope.refused?.code !== 'not_understood') return answered
      first ??= answered
    }
    return first as RunAnswer
  }

  /** Sends a run to a worker. If that fails, the run ends and does not count. */
  async function sendToWorker(run: Run, { now }: RunContext): Promise<void> {
    try {
      // Ids of users are not part of a job: the worker reads the run.
      const data = { partition: run.run_id, from: null, to: null, symbols: null, backfill_id: null, request: { run_id: run.run_id } }
      await queue.send(answerQueue, data, { key: run.run_id })
    } catch (error) {
      await endRun(db, run, lostEnd, null, now())
      throw error
    }
  }

  /** Waits until a worker has ended the run. */
  async function wait(run: Run, { now }: RunContext, gone: AbortSignal): Promise<RunAnswer> {
    const left = (): void => void noteFollower(db, run, now(), -1).catch(error => warn(`assistant: ${reasonOf(error)}`))
    if (gone.aborted) left()
    else gone.addEventListener('abort', left, { once: true })
    try {
      for (;;) {
        const progress = await findProgress(db, run, now())
        if (progress === null) throw new Broken(`run ${run.run_id} is gone`)
        if (progress.state === 'answered' && progress.answer !== null) return progress.answer
        if (progress.state !== 'running') throw gone.aborted ? clientLeft() : notAnswered()
        if (Date.parse(progress.alive_until) < now().getTime()) await endRun(db, run, lostEnd, null, now())
        else await wake(run.run_id)
        if (closing.signal.aborted) throw new Upstream('the service is being restarted', { retryAfterSeconds: 2, hint: 'send the question again' })
      }
    } finally {
      gone.removeEventListener('abort', left)
    }
  }

  function wake(runId: string): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        bells.off(runId, done)
        closing.signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, times.poll)
      bells.once(runId, done)
      closing.signal.addEventListener('abort', done, { once: true })
    })
  }

  function track<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
    return work
  }

  return {
    start(run, image, context) {
      const work: Promise<unknown> = usesModel(run, image) ? sendToWorker(run, context) : answerHere(run, context, true, null)
      // The last event contains the result.
      track(work).catch(error => {
        if (!(error instanceof CrossfileError)) warn(`assistant: ${reasonOf(error)}`)
      })
    },
    async finish(run, image, context, gone) {
      if (!usesModel(run, image)) return await track(answerHere(run, context, false, gone))
      await sendToWorker(run, context)
      return await wait(run, context, gone)
    },
    wake,
    async close() {
      closing.abort(new Stopping())
      await Promise.all(running)
    },
  }
}

/** Ends a run of this process; throws `Broken` if another one did. */
async function endOwn(db: Db, run: Run, how: RunEnd, n: number, now: Date): Promise<void> {
  if (!(await endRun(db, run, how, n, now))) throw new Broken(`run ${run.run_id}: another process ended it`)
}

/**
 * Does `work` again while the database cannot be reached, until `stop`. The client of a stream waits for the last event: without it, for 20
 * seconds after the database is back, and then for a reason that is not the true one.
 */
async function untilReached(work: () => Promise<void>, pauseMs: number, stop: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (stop.aborted || !isConnectionError(error)) throw error
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }
}

/** The location and type of the failure only: its message may quote the question, which must not be logged. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown'
  const [, frame = ''] = /\n\s+at (.+)/.exec(error.stack ?? '') ?? []
  return `${error.name}${'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''} at ${frame}`
}
const notAnswered = (): Upstream =>
  new Upstream('the question was not answered: the model did not answer, or no worker runs', {
    retryAfterSeconds: 5,
    hint: 'send it again, or with quality fast; it was not counted',
  })
const cancelled = (): Upstream => new Upstream('the work was cancelled', { retryAfterSeconds: 1, hint: 'send the question again' })
