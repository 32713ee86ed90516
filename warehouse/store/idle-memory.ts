// When a process collects garbage, and returns memory to the system while it is idle. V8 collects garbage when a program allocates, so a
// process that loaded a lot and then waits keeps all of it: measured 75 MB in the API and 60 MB in the worker.
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { onBeat, turnMs } from './beat.ts'

/** What a tick looks at. `busy`: the share of the last tick in which the event loop ran code, 0 to 1. */
type Seen = { readonly busy: number; readonly heapBytes: number }
const tickMs = 30_000
const mostBusy = 0.02
/** A collection takes about 0.1 s, so it has to be worth it: after much growth immediately, after little growth every five minutes. */
const leastGrown = 8 * 1024 * 1024
const muchGrown = 32 * 1024 * 1024
const pauseTicks = 10

/**
 * Decides after each tick whether to collect: the process was idle for two ticks, and its heap is larger than after the last collection, by 32 MB,
 * or by 8 MB if that was five minutes ago.
 * `collected` receives the size of the heap after a collection.
 */
export function createIdleRule(): { readonly isDue: (seen: Seen) => boolean; readonly collected: (heapBytes: number) => void } {
  let idleTicks = 0
  let sinceCollected = pauseTicks
  let after = 0
  return {
    isDue({ busy, heapBytes }) {
      idleTicks = busy <= mostBusy ? idleTicks + 1 : 0
      sinceCollected += 1
      return idleTicks >= 2 && heapBytes > after + (sinceCollected >= pauseTicks ? leastGrown : muchGrown)
    },
    collected(heapBytes) {
      after = heapBytes
      sinceCollected = 0
    },
  }
}

/** V8's collection, in place of those that V8 begins in an idle process, which find nothing more and wake it every eight seconds. */
function takeOver(): () => void {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--no-memory-reducer')
  return runInNewContext('gc') as () => void
}

/** Half a minute after the start of a program, what it loaded and needs no more is garbage. */
const startedMs = 30_000

/** For a program that only waits after its start: collects garbage in this process once. The timer does not keep the process running. */
export function collectOnceStarted(): void {
  setTimeout(takeOver(), startedMs).unref()
}

/** Collects garbage in this process whenever it is idle. The timer does not keep the process running. */
export function collectWhenIdle(): void {
  const collect = takeOver()
  const rule = createIdleRule()
  let before = performance.eventLoopUtilization()
  const heapBytes = (): number => getHeapStatistics().total_heap_size
  onBeat(tickMs, turnMs.fifth, () => {
    const now = performance.eventLoopUtilization()
    const busy = performance.eventLoopUtilization(now, before).utilization
    before = now
    if (!rule.isDue({ busy, heapBytes: heapBytes() })) return
    collect()
    rule.collected(heapBytes())
  })
}

/**
 * For a program whose answers are buffers of hundreds of kilobytes. V8 counts them as growth of the heap, and collects all of it when it has
 * grown by about a tenth: with 51,000 symbols in memory, after every 140 answers, for 10 to 30 ms. From now on it waits until the heap has
 * doubled. Buffers of answers that were sent are freed by the small collections in between, so the process needs no more memory.
 */
export function collectWhenDoubled(): void {
  setFlagsFromString('--heap-growing-percent=100')
}
