// Decides who may send a request to an upstream now: pace, stops, quotas and circuit breaker, for one host group. The rule is the pure
// function `takeSlot`. Its state is in a `SlotStore`: memory here, one Postgres row shared by all processes in politeness-postgres.ts.
import { dayMs } from '#schemas/days.ts'
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import type { Limits, Upstream } from '../sources/upstream.ts'

export type Politeness = {
  /** Returns when the caller may send one request of weight `cost`; throws `Upstream` if that takes too long. */
  readonly acquire: (upstream: Upstream, signal?: AbortSignal, cost?: number) => Promise<void>
  /** From now on for `seconds`, no process sends requests to this upstream. */
  readonly stop: (upstream: Upstream, seconds: number, reason: string) => Promise<void>
  /** The outcome of the request: five failures in a row open the breaker, one success closes it. */
  readonly outcome: (upstream: Upstream, ok: boolean) => Promise<void>
}

type Verdict = 'granted' | 'stopped' | 'open' | 'quota_hour' | 'quota_day' | 'busy'
type Taken = { readonly verdict: Verdict; readonly waitMs: number; readonly reason: string | null }
export type SlotStore = {
  readonly take: (limits: Limits, cost: number) => Promise<Taken>
  readonly stop: (group: string, seconds: number, reason: string) => Promise<void>
  readonly outcome: (group: string, ok: boolean) => Promise<void>
}

/** Times in ms since 1970. */
type SlotState = {
  readonly tat: number
  readonly stoppedUntil: number
  readonly stopReason: string | null
  readonly failures: number
  readonly openedAt: number | null
  readonly probeAt: number | null
  readonly hour: number
  readonly hourUsed: number
  readonly day: number
  readonly dayUsed: number
}
const freshState: SlotState = {
  tat: 0,
  stoppedUntil: 0,
  stopReason: null,
  failures: 0,
  openedAt: null,
  probeAt: null,
  hour: 0,
  hourUsed: 0,
  day: 0,
  dayUsed: 0,
}

export const probeMs = 30_000
export const failuresToOpen = 5
/** A longer queue is refused, so that the job is postponed instead of blocked. */
export const longestQueueMs = 60_000
const hourMs = 3_600_000

/** Milliseconds between two requests at the allowed pace. */
export const stepMs = (limits: Limits): number => 1000 / limits.perSecond

/**
 * One slot by GCRA (ITU-T I.371): over any W ms at most `(W + (burst - 1) * step) / step + 1` slots are granted, so SEC's 8/s
 * with burst 1 gives at most 9 in a closed second. Stops take precedence over the breaker, and the breaker over the quotas.
 */
function takeSlot(state: SlotState, limits: Limits, cost: number, now: number): { state: SlotState; taken: Taken } {
  const hour = Math.floor(now / hourMs) * hourMs
  const day = Math.floor(now / dayMs) * dayMs
  const hourUsed = state.hour === hour ? state.hourUsed : 0
  const dayUsed = state.day === day ? state.dayUsed : 0
  const step = stepMs(limits)
  // No valid time lies further ahead than a full queue. A later one dates from before the clock was set back.
  const tat = state.tat > now + longestQueueMs + limits.burst * step ? now + step : state.tat
  const wait = Math.max(0, tat - (limits.burst - 1) * step - now)
  const lastProbe = state.openedAt === null ? null : (state.probeAt ?? state.openedAt)
  const nextProbe = lastProbe === null || lastProbe > now ? 0 : lastProbe + probeMs
  const refuse = (verdict: Verdict, waitMs: number) => ({ state, taken: { verdict, waitMs, reason: state.stopReason } })
  if (state.stoppedUntil > now) return refuse('stopped', state.stoppedUntil - now)
  if (nextProbe > now) return refuse('open', nextProbe - now)
  if (limits.perHour !== null && hourUsed + cost > limits.perHour) return refuse('quota_hour', hour + hourMs - now)
  if (limits.perDay !== null && dayUsed + cost > limits.perDay) return refuse('quota_day', day + dayMs - now)
  if (wait > longestQueueMs) return refuse('busy', wait)
  return {
    state: {
      ...state,
      tat: Math.max(tat, now) + step,
      probeAt: state.openedAt === null ? state.probeAt : now,
      hour,
      hourUsed: hourUsed + cost,
      day,
      dayUsed: dayUsed + cost,
    },
    taken: { verdict: 'granted', waitMs: wait, reason: null },
  }
}

function afterStop(state: SlotState, seconds: number, reason: string, now: number): SlotState {
  return { ...state, stoppedUntil: Math.max(state.stoppedUntil, now + seconds * 1000), stopReason: reason }
}
function afterOutcome(state: SlotState, ok: boolean, now: number): SlotState {
  if (ok) return { ...state, failures: 0, openedAt: null, probeAt: null }
  const failures = state.failures + 1
  return { ...state, failures, openedAt: failures >= failuresToOpen ? (state.openedAt ?? now) : state.openedAt }
}

/** The same rules without a database, for one process: tests, and commands without a warehouse. */
export function memoryStore(now: () => number): SlotStore {
  const states = new Map<string, SlotState>()
  const get = (group: string): SlotState => states.get(group) ?? freshState
  return {
    take: async (limits, cost) => {
      const { state, taken } = takeSlot(get(limits.group), limits, cost, now())
      states.set(limits.group, state)
      return taken
    },
    stop: async (group, seconds, reason) => void states.set(group, afterStop(get(group), seconds, reason, now())),
    outcome: async (group, ok) => void states.set(group, afterOutcome(get(group), ok, now())),
  }
}

export type Clock = { readonly now: () => number; readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void> }

/** A stop that ends within this time is waited for; a longer one postpones the job. */
const patienceMs = 5_000
const mostLost = 20

/** `now` may be any monotonic clock: it only measures how late this process is for its slot. */
export function createPoliteness(store: SlotStore, { now, sleep }: Clock): Politeness {
  return {
    acquire: async (upstream, signal, cost = 1) => {
      const { limits } = upstream
      // A slot that is used late would collide with the following ones; one step of lateness still keeps SEC at 10 in any second.
      const lateMs = Math.max(100, stepMs(limits))
      let weight = cost
      for (let lost = 0; lost < mostLost; ) {
        signal?.throwIfAborted()
        const startedAt = now()
        const taken = await store.take(limits, weight)
        if (taken.verdict === 'granted') {
          if (taken.waitMs > 0) await sleep(taken.waitMs, signal)
          if (now() - startedAt - taken.waitMs <= lateMs) return
          lost += 1
          weight = 0
        } else if (taken.verdict === 'stopped' && taken.waitMs <= patienceMs) await sleep(taken.waitMs, signal)
        else throw refusal(upstream, taken)
      }
      throw new UpstreamError(`${upstream.name}: ${mostLost} slots in a row were lost because this process or its database was too slow`, {
        retryAfterSeconds: 30,
        hint: 'give the worker more processor time, or use a database with lower latency',
      })
    },
    stop: (upstream, seconds, reason) => store.stop(upstream.limits.group, seconds, reason),
    outcome: (upstream, ok) => store.outcome(upstream.limits.group, ok),
  }
}

function refusal(upstream: Upstream, { verdict, waitMs, reason }: Taken): UpstreamError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const { perHour, perDay } = upstream.limits
  const why = {
    granted: '',
    stopped: `stopped for another ${seconds} s: ${reason ?? 'no reason kept'}`,
    open: `${failuresToOpen} requests in a row failed; the next attempt is in ${seconds} s`,
    quota_hour: `the ${perHour} calls of this UTC hour are used up`,
    quota_day: `the ${perDay} calls of this UTC day are used up`,
    busy: `the queue for a slot is ${seconds} s long, over the limit of ${longestQueueMs / 1000} s`,
  }[verdict]
  return new UpstreamError(`${upstream.name}: not requested: ${why}`, { retryAfterSeconds: seconds })
}
