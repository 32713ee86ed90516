// When a worker looks at the queue again: each second, or later while notifications of Postgres reach it and nothing else can change the queue.
import { turnMs, untilBeat } from '#warehouse/store/beat.ts'
import { pollMs } from '#warehouse/store/notifications.ts'
import type { Outlook } from '#warehouse/store/queue.ts'

/**
 * Milliseconds that the worker waits until it looks again, unless it is notified: a second, and until the next beat of `quietMs`
 * (the `pauseMs` of its wakeup) if only a notification can change anything. `nowMs` is the monotonic clock.
 */
export function pauseAfter({ isActive, ready, nextMs }: Outlook, quietMs: number, nowMs = performance.now()): number {
  if (quietMs <= pollMs || isActive || ready.length > 0) return pollMs
  return Math.min(untilBeat(quietMs, turnMs.first, nowMs), nextMs ?? quietMs)
}
