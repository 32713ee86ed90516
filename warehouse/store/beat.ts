// When loops that look at something every few seconds wake up: all of a process at nearly the same moment. To wake an idle process costs more
// than most looks, because its memory has left the processor's caches: measured 2 to 6 ms of processor time each time, so once for all costs least.

/**
 * Milliseconds after the moment at which a loop wakes up, so that loops that ask the database do it one after the other, on one connection. Loops
 * of the same turn are not in one process, or rarely ask.
 */
export const turnMs = { first: 0, second: 40, third: 80, fourth: 120, fifth: 160 } as const

/**
 * Milliseconds until `turn` milliseconds after the next multiple of `ms` on the monotonic clock of this process (`now`): from 1 to `ms` + 1.
 * Intervals that are multiples of each other end together. Up to a millisecond is added, because a timer that ends just before the moment would
 * be set again for it.
 */
export const untilBeat = (ms: number, turn = 0, now = performance.now()): number => Math.floor(ms - ((now - turn + ms) % ms)) + 1

/** Calls `run` every `ms` milliseconds, together with every other loop of an interval that divides it, until `stop`. Does not keep the process running. */
export function onBeat(ms: number, turn: number, run: () => void): { readonly stop: () => void } {
  let timer: NodeJS.Timeout
  const wait = (): void => {
    timer = setTimeout(
      () => {
        wait()
        run()
      },
      untilBeat(ms, turn),
    ).unref()
  }
  wait()
  return { stop: () => clearTimeout(timer) }
}
