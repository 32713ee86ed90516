// Server-sent events of one run: the stored events after the client's last one, then new events until the last.
import { Readable } from 'node:stream'
import { TooMany } from '#schemas/errors.ts'
import { findEvents, isLast, type StoredEvent } from '#warehouse/people/chats/events.ts'
import { endRun, findProgress, lostEnd, noteFollower, type Run } from '#warehouse/people/chats/runs.ts'
import { isLive } from '#warehouse/people/users/sessions.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import type { Runner, RunTimes } from './runs.ts'

const streamsPerSession = 2
const streamsPerProcess = 200
const reconnectMs = 3_000

export type StreamTools = {
  readonly db: Db
  readonly runner: Pick<Runner, 'wake'>
  readonly times: RunTimes
  readonly monotonic: () => number
  readonly closing: AbortSignal
}
export type Streams = {
  /**
   * Reserves a place for a stream. If the session has another stream of `runId`, that one ends, because its client continues it here.
   * Throws `TooMany` if the session has two streams, or this process two hundred.
   */
  readonly take: (sessionId: string, runId: string | null) => Place
}
type Place = {
  readonly open: (run: Pick<Run, 'run_id' | 'user_id'>, after: number, now: () => Date) => Readable
  /** Releases the place if no stream is opened in it. */
  readonly end: () => void
}

/** One event as it is sent. Its data is one line, because JSON escapes line breaks. */
const frame = (runId: string, { n, event, data }: StoredEvent): string => `id: ${runId}-${n}\nevent: ${event}\ndata: ${data}\n\n`

export function createStreams({ db, runner, times, monotonic, closing }: StreamTools): Streams {
  const open = new Map<string, number>()
  /** Ends the open stream of a run, by session and run. */
  const byRun = new Map<string, () => void>()
  let total = 0

  async function* eventsOf(run: Pick<Run, 'run_id' | 'user_id'>, after: number, sessionId: string, now: () => Date): AsyncGenerator<string> {
    const started = monotonic()
    let [n, sent, followed, checked] = [after, started, Number.NEGATIVE_INFINITY, started]
    let ended = false
    yield `retry: ${reconnectMs}\n\n`
    try {
      for (;;) {
        const at = monotonic()
        if (at - followed >= times.follow) {
          await noteFollower(db, run, now(), times.follow * 3)
          followed = at
        }
        // The state is read before the events, because the last event is written together with the end.
        const progress = await findProgress(db, run, now())
        const events = await findEvents(db, run.user_id, run.run_id, n, now())
        for (const event of events) {
          yield frame(run.run_id, event)
          n = event.n
          sent = at
          ended = isLast(event)
        }
        if (ended || closing.aborted || at - started >= times.life) return
        if (events.length > 0) continue
        // There are no more events: they are older than five minutes, or a crash of Postgres removed them.
        if (progress === null || progress.state !== 'running') {
          ended = true
          yield frame(run.run_id, { n: n + 1, event: lostEnd.last.event, data: JSON.stringify(lastData) })
          return
        }
        if (Date.parse(progress.alive_until) < now().getTime()) {
          await endRun(db, run, lostEnd, null, now())
          continue
        }
        if (at - sent >= times.heartbeat) {
          yield ': hb\n\n'
          sent = at
        }
        if (at - checked >= times.recheck) {
          if (!(await isLive(db, sessionId, now()))) return
          checked = at
        }
        await runner.wake(run.run_id)
      }
    } finally {
      // Without its client, the work continues for the time in which the client may reconnect.
      if (!ended) await noteFollower(db, run, now(), times.grace).catch(() => undefined)
    }
  }

  return {
    take(sessionId, runId) {
      if (runId !== null) byRun.get(`${sessionId} ${runId}`)?.()
      const held = open.get(sessionId) ?? 0
      if (held >= streamsPerSession || total >= streamsPerProcess) {
        const detail =
          held >= streamsPerSession
            ? `this session has ${held} open streams, the most that it may have`
            : `${total} streams are open, the most that this process serves`
        throw new TooMany(detail, { retryAfterSeconds: 5, hint: 'close a stream, or use POST /api/v1/chat/send' })
      }
      open.set(sessionId, held + 1)
      total += 1
      let ended = false
      const end = (): void => {
        if (ended) return
        ended = true
        const left = (open.get(sessionId) ?? 1) - 1
        if (left > 0) open.set(sessionId, left)
        else open.delete(sessionId)
        total -= 1
      }
      return {
        end,
        open(run, after, now) {
          const name = `${sessionId} ${run.run_id}`
          const stream = Readable.from(eventsOf(run, after, sessionId, now))
          const stop = (): void => {
            end()
            stream.destroy()
          }
          byRun.set(name, stop)
          stream.once('close', () => {
            if (byRun.get(name) === stop) byRun.delete(name)
            end()
          })
          return stream
        },
      }
    },
  }
}

const { event: _event, ...lastData } = lostEnd.last
