// Waiting for a change in Postgres: its notifications end the wait immediately, and looking at intervals finds what no notification announced.
import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Address } from './postgres.ts'

/**
 * Notified by each release, and by each change of the data clock, the signing keys, and the lists of damaged files, models and sorted copies
 * (migration 0040).
 */
export const releaseChannel = 'crossfile_release'
/** Notified when a job becomes ready; the payload is its queue. */
export const jobChannel = 'crossfile_job'
/** Notified when the checks of the status page are to run now (people/status/checks.ts). */
export const checkChannel = 'crossfile_check'

/** Milliseconds between two looks while notifications do not arrive, and for what no notification announces. */
export const pollMs = 1_000
/**
 * While notifications arrive, looking is only a second way to notice a change. From another machine they can stop without an end of the
 * connection, when that machine or the network between is lost: then the next look finds it. On this machine the connection ends with the server.
 */
export const quietMs = { sameMachine: 30_000, otherMachine: 10_000 } as const
/** Longest wait for the server when a connection is closed. */
const goodbyeMs = 1_000
/** Milliseconds without the first notification of a connection after which the reason is reported. */
const silentMs = 10_000

export type Wakeup = {
  /** Milliseconds until the next look at something whose every change is notified: `pollMs` while the notifications of Postgres do not reach it. */
  pauseMs: number
  notify(): void
  /** Resolves after so many milliseconds, or at the next notification. */
  wait(ms: number): Promise<void>
}

/** Ends a wait early when a notification arrives, and the next wait if it arrives between two. */
export function createWakeup(): Wakeup {
  let waiting: (() => void) | null = null
  let missed = false
  return {
    pauseMs: pollMs,
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

/** Whether a socket leads to this machine; a socket file has no address. */
const isSameMachine = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>): boolean =>
  remoteAddress === undefined || remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress)

type Listening = {
  /** Evaluated for each connection. */
  readonly url: Address
  /** The name in pg_stat_activity. */
  readonly applicationName: string
  /** What each channel wakes. */
  readonly channels: ReadonlyMap<string, Wakeup>
  /** Woken whenever notifications begin to arrive: the server can be reached, perhaps again. */
  readonly reachable?: Wakeup
  readonly stop: AbortSignal
  /** Receives, once until notifications arrive again, why the connection was lost, not made, or has no notifications. */
  readonly onFailure: (reason: string) => void
}

/** Wakes at each notification, on one connection that is opened again whenever it is lost, until `stop`. Never rejects. */
export async function listen({ url, applicationName, channels, reachable, stop, onFailure }: Listening): Promise<void> {
  const each = [...channels.values()]
  let isReported = false
  let isListening = false
  /** Waits that are under way may have begun while notifications arrived. */
  let areLong = false
  const failed = (error: unknown): void => {
    if (!stop.aborted && !isReported) onFailure(error instanceof Error ? error.message : String(error))
    isReported = true
  }
  const begin = (socket: Socket): void => {
    isListening = true
    areLong = true
    isReported = false
    for (const wakeup of each) {
      wakeup.pauseMs = isSameMachine(socket) ? quietMs.sameMachine : quietMs.otherMachine
      // What was sent before is not announced again.
      wakeup.notify()
    }
    reachable?.notify()
  }
  while (!stop.aborted) {
    const socket = new Socket()
    let leave = (): void => undefined
    try {
      // Reads the files of certificates that the address names.
      const client = new Client({
        connectionString: typeof url === 'string' ? url : url(),
        application_name: applicationName,
        connectionTimeoutMillis: 10_000,
        query_timeout: 10_000,
        keepAlive: true,
        keepAliveInitialDelayMillis: 30_000,
        stream: () => socket,
      })
      // A killed server ends this connection at any moment; without a listener that would end the process.
      client.on('error', failed)
      client.on('notification', ({ channel }) => channels.get(channel)?.notify())
      // A server that does not answer would keep the connection, and with it this process: the end of the socket ends every wait for it.
      leave = () => {
        if (!isListening) return void socket.destroy()
        client.end().catch(() => undefined)
        setTimeout(() => socket.destroy(), goodbyeMs).unref()
      }
      stop.addEventListener('abort', leave, { once: true })
      await hold(client, channels.keys(), () => begin(socket), failed)
    } catch (error) {
      failed(error)
    } finally {
      stop.removeEventListener('abort', leave)
      for (const wakeup of each) wakeup.pauseMs = pollMs
      // Another connection would notify too. Without one, a wait that began before the loss would last for up to half a minute.
      if (!isListening && areLong) {
        areLong = false
        for (const wakeup of each) wakeup.notify()
      }
      isListening = false
      socket.destroy()
    }
    if (!stop.aborted) await sleep(pollMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

/**
 * Listens on one connection until it ends. `begin` is called when notifications arrive, which is tried with one: a pooler in transaction mode
 * accepts LISTEN and forwards none. `failed` receives that reason. Rejects if the connection fails before.
 */
async function hold(client: Client, channels: Iterable<string>, begin: () => void, failed: (error: Error) => void): Promise<void> {
  const ended = new Promise<void>(resolve => client.once('end', () => resolve()))
  const own = `crossfile_${randomUUID()}`
  let silent: NodeJS.Timeout | undefined
  let isReceived = false
  const reportSilence = (): void =>
    failed(new Error('LISTEN is accepted, but no notification arrives: is a pooler in transaction mode between here and Postgres?'))
  try {
    await client.connect()
    client.on('notification', ({ channel }) => {
      if (channel !== own) return
      isReceived = true
      clearTimeout(silent)
      begin()
    })
    for (const channel of [...channels, own]) await client.query(`listen ${client.escapeIdentifier(channel)}`)
    await client.query(`notify ${client.escapeIdentifier(own)}`)
    if (!isReceived) silent = setTimeout(reportSilence, silentMs)
    await ended
  } finally {
    clearTimeout(silent)
  }
}
