// Progress of a long command: a redrawn line with a bar on a terminal; in a log, one plain line per tenth or half minute.

import type { Io } from './io.ts'
import { count, duration } from './output.ts'

type Step = {
  readonly done: number
  /** Null if the total is unknown. */
  readonly total: number | null
  /** Additional text: rows so far, what is being read. */
  readonly note?: string
}
export type Progress = { update(step: Step): void; end(): void }

const cells = 24
const redrawMs = 100
const lineMs = 30_000

/** `[######······] 25%`; a full bar only at the end. */
export function barText(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.floor(share * cells)
  return `[${'#'.repeat(full)}${'·'.repeat(cells - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`
}

/** Milliseconds that remain at the pace since the start; null before the first step. */
export function remaining(first: number, done: number, total: number, elapsedMs: number): number | null {
  return done <= first ? null : ((total - done) * elapsedMs) / (done - first)
}

/** Shows the steps of `what`. The first one is the starting point, so that a resumed command does not count earlier work in its pace. */
export function createProgress(io: Pick<Io, 'bar' | 'err' | 'terminal' | 'now'>, what: string, unit: string): Progress {
  const started = io.now().getTime()
  let first: number | null = null
  let drawn = 0
  let lineAt = started
  let tenth = 0
  const describe = ({ done, total, note }: Step, now: number): string => {
    const left = total === null ? null : remaining(first ?? 0, done, total, now - started)
    return [
      total === null ? `${count(done)} ${unit}` : `${count(done)}/${count(total)} ${unit}`,
      ...(note ? [note] : []),
      ...(left === null || done === total ? [] : [`about ${duration(Math.max(1000, left))} left`]),
    ].join(', ')
  }
  return {
    update(step) {
      const now = io.now().getTime()
      const starts = first === null
      first ??= step.done
      const reached = step.total === null || step.total === 0 ? 0 : Math.floor((step.done / step.total) * 10)
      if (starts) tenth = reached
      if (io.terminal) {
        if (!starts && now - drawn < redrawMs && step.done !== step.total) return
        drawn = now
        io.bar(`${what} ${step.total === null ? '' : `${barText(step.done, step.total)} `}${describe(step, now)}`)
        return
      }
      if (reached <= tenth && now - lineAt < lineMs) return
      tenth = Math.max(tenth, reached)
      lineAt = now
      io.err(`${what}: ${step.total === null ? '' : `${Math.floor((step.done / Math.max(1, step.total)) * 100)}%, `}${describe(step, now)}`)
    },
    end: () => io.bar(null),
  }
}
