// When a worker looks at the queue again: each second, or later while notifications of Postgres reach it and nothing else can change the queue.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Log } from '#warehouse/store/log.ts'
import { jobChannel, type Outlook } from '#warehouse/store/queue.ts'

export const pollMs = 1_000
/** Nothing runs and notifications arrive: then each change of the queue wakes the worker, and looking is only a second way to notice it. */
const quietMs = 5_000

export type Wakeup = {
  /** Whether the notifications of Postgres reach it now. */
  listening: boolean
  notify(): void
  /** Resolves after so many milliseconds, or at the next notification. */
  wait(ms: number): Promise<void>
}

/** Milliseconds that the worker waits until it looks again, unless it is notified: a second, and longer if only a notification can change anything. */
export function pauseAfter({ isActive, ready, nextMs }: Outlook, listening: boolean): number {
  if (!listening || isActive || ready.length > 0) return pollMs
  return Math.min(quietMs, nextMs ?? quietMs)
}

/** Ends a wait early when a notification arrives, and the next wait if it arrives between two. */
export function createWakeup(): Wakeup {
  let waiting: (() => void) | null = null
  let missed = false
  return {
    listening: false,
    notify() {
      if (waiting === null) missed = true
      else waiting()
    },
    wait: ms =>
      new Promise(resolve => {
        const done = (): void => {
          clearTimeout(timer)
          waiting = null
          missed = false
          resolve()
        }
        const timer = setTimeout(done, missed ? 0 : ms)
        waiting = done
      }),
  }
}

/** Wakes the worker when a job is sent; polling continues if the connection is lost. */
export async function listen(url: () => string, wakeup: Wakeup, stop: AbortSignal, log: Log): Promise<void> {
  while (!stop.aborted) {
    const client = new Client({
      connectionString: url(),
      application_name: 'crossfile worker listener',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    })
    // A killed server ends this connection at any moment; without a listener that would end the worker.
    client.on('error', error => log('debug', `notifications: ${error.message}`))
    try {
      await client.connect()
      client.on('notification', () => wakeup.notify())
      await client.query(`listen ${jobChannel}`)
      wakeup.listening = true
      // What was sent before is not announced again.
      wakeup.notify()
      await new Promise<void>((resolve, reject) => {
        client.once('error', reject)
        client.once('end', resolve)
        if (stop.aborted) resolve()
        stop.addEventListener('abort', () => resolve(), { once: true })
      })
    } catch (error) {
      log('debug', `notifications: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      wakeup.listening = false
      await client.end().catch(() => undefined)
    }
    if (!stop.aborted) await sleep(pollMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
