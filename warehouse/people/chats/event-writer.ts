// Numbers the events of a run and stores them in order, batching them into one statement when they arrive quickly.
import type { AssistantEvent } from '#schemas/assistant.ts'
import type { Db } from '../../store/postgres.ts'
import { appendEvents } from './events.ts'
import type { Run } from './runs.ts'

export type EventWriter = {
  readonly write: (event: AssistantEvent) => void
  /** Resolves when all events so far are stored; throws the error of a failed write. */
  readonly flushed: () => Promise<void>
  /** The number of the event after them. */
  readonly next: () => number
  /** A client may have read a part of the answer. */
  readonly hasText: () => boolean
}

/** `stored` false: nothing is written, for a client that waits for the whole answer. `written` is called after each statement. */
export function createEventWriter(db: Db, run: Run, stored: boolean, now: () => Date, written: () => void = () => {}): EventWriter {
  let n = 0
  let text = false
  let waiting: { readonly n: number; readonly event: AssistantEvent }[] = []
  let writing: Promise<void> = Promise.resolve()
  let failed: unknown = null
  async function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    if (batch.length === 0 || failed !== null) return
    try {
      await appendEvents(db, run, batch, now())
    } catch (error) {
      failed = error
    }
    written()
  }
  return {
    write(event) {
      if (!stored) return
      n += 1
      text ||= event.event === 'delta'
      waiting.push({ n, event })
      if (waiting.length === 1) writing = writing.then(flush)
    },
    async flushed() {
      await writing
      if (failed !== null) throw failed
    },
    next: () => n + 1,
    hasText: () => text,
  }
}
