// Looks for jobs whose worker is gone, and cleans up the queue, no more often than there can be something to find.
import type { Clock, PgBoss } from 'pg-boss'
import { turnMs, untilBeat } from './beat.ts'

const superviseMs = 10_000
/** While no job ran at the last look: what one that starts then would need is found a little later than the limit after which it counts as lost. */
const restMs = 30_000
const maintainMs = 60_000
/**
 * pg-boss skips a queue that any worker supervised less than this time ago. Shorter than the interval of the timer: two of its ticks may be a
 * little less than the interval apart in the database, and then every second pass would be skipped.
 */
const supervisedMs = superviseMs - 1_000
const maintainedMs = maintainMs - superviseMs

/** The intervals of pg-boss in seconds: of its timer, and those for which it skips a queue that was looked at or cleaned up. */
export const supervisionSeconds = { interval: superviseMs / 1000, monitored: supervisedMs / 1000, maintained: maintainedMs / 1000 } as const

/** The interval at which pg-boss looks whether to emit its event `wip`. */
const wipMs = 2_000
/** The timers of pg-boss without the one of `wip`, which no program here listens to: it woke each idle process 30 times a minute. */
export const quietClock: Clock = {
  now: Date.now,
  setTimeout,
  clearTimeout: timer => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (run, ms) => (ms === wipMs ? null : setInterval(run, ms)),
  clearInterval: timer => clearInterval(timer as NodeJS.Timeout),
}

/**
 * Lets pg-boss look for lost and late jobs every ten seconds while any job runs, and clean up every minute; while none does, `anyActive` is
 * asked every 30 seconds. Its own timer does both every few seconds, in ten statements, which was a third of the statements of an idle service.
 */
export function superviseActive(boss: PgBoss, anyActive: () => Promise<boolean>, onWarning: (message: string) => void): { stop(): Promise<void> } {
  let running: Promise<void> | null = null
  let isStopped = false
  let cleaned = performance.now()
  // At first there may be jobs of a worker that was killed.
  let isActive = true
  let timer: NodeJS.Timeout
  const pass = async (): Promise<void> => {
    const now = performance.now()
    const cleans = now - cleaned >= maintainMs
    isActive = await anyActive()
    if (!cleans && !isActive) return
    await boss.supervise()
    if (cleans) cleaned = now
  }
  const wait = (): void => {
    timer = setTimeout(
      () => {
        running = pass()
          .catch((error: unknown) => onWarning(`queue: ${error instanceof Error ? error.message : String(error)}`))
          .finally(() => {
            running = null
            if (!isStopped) wait()
          })
      },
      untilBeat(isActive ? superviseMs : restMs, turnMs.second),
    ).unref()
  }
  wait()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
