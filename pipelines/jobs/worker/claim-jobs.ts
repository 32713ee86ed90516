// Claims the jobs that are ready and runs them, each with a heartbeat and its limit of time.

import { Broken, CrossfileError } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { pollMs, type Wakeup } from '#warehouse/store/notifications.ts'
import type { Claimed } from '#warehouse/store/queue.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import type { WorkerParts } from './parts.ts'
import { runRequest } from './requests.ts'
import { runJob } from './run-job.ts'
import { promptTasks } from './task-names.ts'
import { pauseAfter } from './wakeup.ts'

const touchMs = 10_000

/** Runs one claimed job with its heartbeat and timeout. */
async function attend(parts: WorkerParts, runtime: Runtime, claimed: Claimed, stop: AbortSignal): Promise<void> {
  const job = parts.jobs.get(claimed.queue)
  const timeout = AbortSignal.timeout((job?.timeout_minutes ?? 2) * 60_000)
  const lost = new AbortController()
  const heartbeat = setInterval(() => {
    parts.queue.touch(claimed).then(
      isOwner => {
        if (!isOwner) lost.abort(new Error('the job was taken over by another attempt'))
      },
      error => runtime.log('warn', `heartbeat of ${claimed.queue}: ${String(error)}`),
    )
  }, touchMs)
  try {
    const signal = AbortSignal.any([timeout, lost.signal, stop])
    // An operator's data may have unfrozen the universe's clock since the last job.
    await parts.clock.refresh()
    if (job) await runJob(parts.tools, job, claimed, signal)
    else {
      const { queue, jobs, clock, shared } = parts
      const { tools: ingest, raw, config } = runtime
      const { onRelease } = parts.tools
      await runRequest({ ingest, queue, raw, jobs, config, dataNow: clock.now, now: shared.now, onRelease, signal }, claimed)
    }
  } catch (error) {
    runtime.log('error', `${claimed.queue} ${claimed.data.partition}: ${error instanceof Error ? error.message : String(error)}`)
    if (!job) {
      const shown = error instanceof CrossfileError && !(error instanceof Broken) ? { shown: error.message } : {}
      await parts.queue.fail(claimed, { message: String(error), ...shown }).catch(failing => runtime.log('warn', String(failing)))
    }
  } finally {
    clearInterval(heartbeat)
  }
}

/** `jobReady` ends the pause between two looks at the queue; `onEnd` is called after each job, which may have stored receipts. */
export type Waking = { readonly jobReady: Wakeup; readonly onEnd: () => void }

/** Places beyond CROSSFILE_WORKER_CONCURRENCY: for requests of the API and of commands, and for the jobs that a person waits for. */
const requestsBeyond = 2
const promptBeyond = 1

type Kind = 'request' | 'prompt' | 'other'
const kindOf = (job: JobDefinition | undefined): Kind => (job === undefined ? 'request' : promptTasks.has(job.plan) ? 'prompt' : 'other')

/** Places of a worker that are free for a job of one kind: requests and prompt jobs do not take the places that are kept for each other. */
export function freePlaces(kind: Kind, running: readonly (readonly [kind: Kind, count: number])[], concurrency: number): number {
  const countOf = (counted: (each: Kind) => boolean): number => running.reduce((sum, [each, count]) => sum + (counted(each) ? count : 0), 0)
  const total = countOf(() => true)
  if (kind === 'other') return concurrency - total
  const [beyond, opposite] = kind === 'request' ? ([requestsBeyond, 'prompt'] as const) : ([promptBeyond, 'request'] as const)
  return Math.min(concurrency + beyond - countOf(each => each !== opposite), concurrency + requestsBeyond + promptBeyond - total)
}

/** Claims ready jobs of `names` within each job's concurrency and the worker's, unless they are left to other workers; resolves when stopped, or when `untilIdle` finds none. */
export async function claimJobs(
  parts: WorkerParts,
  runtime: Runtime,
  names: ReadonlySet<string>,
  stop: AbortSignal,
  { jobReady, onEnd }: Waking,
  untilIdle: boolean,
): Promise<void> {
  const active = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const places = (name: string): number =>
    freePlaces(
      kindOf(parts.jobs.get(name)),
      [...active].map(([each, count]) => [kindOf(parts.jobs.get(each)), count]),
      runtime.config.workerConcurrency,
    )
  let isFailing = false
  while (!stop.aborted) {
    let pause = pollMs
    try {
      const outlook = await parts.queue.look()
      pause = pauseAfter(outlook, jobReady.pauseMs)
      for (const name of outlook.ready) {
        if (!names.has(name) || stop.aborted) continue
        const free = Math.min((parts.jobs.get(name)?.concurrency ?? 4) - (active.get(name) ?? 0), places(name))
        if (free <= 0 || (await parts.leaves(name))) continue
        for (const claimed of await parts.queue.claim(name, free)) {
          active.set(name, (active.get(name) ?? 0) + 1)
          const work = attend(parts, runtime, claimed, stop).finally(() => {
            active.set(name, (active.get(name) ?? 1) - 1)
            running.delete(work)
            jobReady.notify()
            onEnd()
          })
          running.add(work)
        }
      }
      if (isFailing) runtime.log('info', 'queue: the database answers again')
      isFailing = false
    } catch (error) {
      // Postgres may be down or restarting: its jobs wait, and so does the worker. An outage is logged once, when it begins.
      if (!isFailing) runtime.log('warn', `queue: ${error instanceof Error ? error.message : String(error)}`)
      isFailing = true
    }
    if (untilIdle && running.size === 0) break
    if (untilIdle && running.size > 0) await Promise.race(running)
    else await Promise.race([jobReady.wait(pause), ...(running.size >= runtime.config.workerConcurrency ? running : [])])
  }
  await Promise.allSettled(running)
}
