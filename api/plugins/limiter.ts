// The rate limits: GCRA in this process, with the whole budget or with slices of a budget that all API processes share.
import { dayMs, daySeconds } from '#schemas/days.ts'
import type { LimitClass, Plans, Rate, Tier } from '#schemas/plans.ts'
import type { LimitStore } from '#warehouse/people/accounts/budget.ts'
import { within } from '../within.ts'
import { checkArrival, type Meter } from './gcra.ts'

export type Allowance = {
  readonly allowed: boolean
  readonly limit_class: LimitClass
  /** The limit that refused it: the rate of the class, or its daily cap. */
  readonly policy: string
  readonly limit: number
  readonly remaining: number
  readonly reset_seconds: number
  /** Seconds after which the same request passes; 0 if it passed. */
  readonly retry_seconds: number
}
/** The counted caller: the id of a key with its tier, or an address. */
export type Caller = { readonly partition: string; readonly tier: Tier }
export type Limiter = {
  /** Takes `cost` units. Synchronous if this process has units; a promise if it must lease some first. */
  readonly take: (caller: Caller, limitClass: LimitClass, cost: number) => Allowance | Promise<Allowance>
  /** The units, if they are available immediately; otherwise null, and nothing is taken. */
  readonly tryTake: (caller: Caller, limitClass: LimitClass, cost: number) => Allowance | null
  readonly peek: (caller: Caller, limitClass: LimitClass) => Allowance
  /** `"reads";q=600;w=60`: the RateLimit-Policy field of a tier and class. */
  readonly policy: (tier: Tier, limitClass: LimitClass) => string
}
type Settings = {
  readonly plans: Plans
  readonly store: LimitStore | null
  readonly now: () => Date
  readonly monotonic: () => number
  readonly warn: (message: string, error: unknown) => void
}
/** A slice must be used within this number of milliseconds. */
const leaseMs = 1000
/** If the store does not respond within this time, the process continues alone at half the rate and retries later. */
const patienceMs = 250
const aloneMs = 2000
const maxPartitions = 200_000

type Ready = { readonly rate: Rate; readonly full: Meter; readonly shared: Meter; readonly half: Meter; readonly policy: string }
type Account = {
  arrival: number
  day: number
  used: number
  tokens: number
  leaseEnds: number
  slice: number
  left: number
  refusedUntil: number
  refusedBy: string
  waiting: { readonly cost: number; readonly settle: (allowance: Allowance) => void }[]
}

/** Logs an outage of the store once, when it begins. */
function oncePerOutage(warn: Settings['warn']): { begins(error: unknown): void; ends(): void } {
  let isAway = false
  return {
    begins(error) {
      if (!isAway) warn('rate limits: the shared budget does not answer, going on alone at half the rate', error)
      isAway = true
    },
    ends() {
      isAway = false
    },
  }
}

/** The rate of a tier for a class of requests. The result throws `TypeError` if the plans have none. */
function prepareRates({ plans, ruleset }: Settings['plans']): (tier: Tier, limitClass: LimitClass) => Ready {
  const rates = new Map(plans.map(plan => [plan.tier, new Map(Object.entries(plan.rates).map(([name, rate]) => [name, prepare(name, rate)]))]))
  return (tier, limitClass) => {
    const ready = rates.get(tier)?.get(limitClass)
    if (!ready) throw new TypeError(`plans ${ruleset}: no ${limitClass} for tier ${tier}`)
    return ready
  }
}

export function createLimiter({ plans, store, now, monotonic, warn }: Settings): Limiter {
  const readyFor = prepareRates(plans)
  const books = new Map<LimitClass, Map<string, Account>>()
  let aloneUntil = Number.NEGATIVE_INFINITY
  const outage = oncePerOutage(warn)

  function accountOf(limitClass: LimitClass, partition: string): Account {
    let accounts = books.get(limitClass)
    if (!accounts) {
      accounts = new Map()
      books.set(limitClass, accounts)
    }
    let account = accounts.get(partition)
    if (!account) {
      if (accounts.size >= maxPartitions) forget(accounts, monotonic())
      account = { arrival: 0, day: 0, used: 0, tokens: 0, leaseEnds: 0, slice: 1, left: 0, refusedUntil: 0, refusedBy: '', waiting: [] }
      accounts.set(partition, account)
    }
    return account
  }

  /** Limits within this process only. */
  function evaluate(ready: Ready, limitClass: LimitClass, account: Account, cost: number, meter: Meter, share: number): Allowance {
    const at = monotonic()
    const daily = ready.rate.daily === null ? null : Math.floor(ready.rate.daily * share)
    const verdict = checkArrival(meter, account.arrival, at, cost)
    if (daily !== null) {
      const wall = now().getTime()
      const day = Math.floor(wall / dayMs)
      if (account.day !== day) {
        account.day = day
        account.used = 0
      }
      if (account.used + cost > daily) return refused(ready, limitClass, 'daily', (day + 1) * dayMs - wall)
    }
    account.arrival = verdict.arrival
    if (!verdict.allowed) return refused(ready, limitClass, limitClass, verdict.retry_in)
    account.used += cost
    return allowance(ready, limitClass, verdict.remaining, verdict.full_in)
  }

  function spend(ready: Ready, limitClass: LimitClass, account: Account, cost: number): Allowance {
    account.tokens -= cost
    const left = account.tokens + account.left
    return allowance(ready, limitClass, left, Math.max(0, ready.rate.burst - left) * ready.full.interval)
  }

  /** Leases until every waiting request is answered. One call at a time per caller and class. */
  async function lease(from: LimitStore, key: string, ready: Ready, limitClass: LimitClass, account: Account): Promise<void> {
    while (account.waiting.length > 0) {
      const startedAt = monotonic()
      const needed = account.waiting.reduce((sum, each) => sum + each.cost, 0)
      // A slice that was used up early doubles; otherwise it shrinks to what is needed.
      account.slice =
        startedAt < account.leaseEnds ? Math.min(account.slice * 2, Math.ceil(ready.shared.capacity / 4)) : Math.max(1, account.slice >> 2)
      if (startedAt >= account.leaseEnds) account.tokens = 0
      const wanted = Math.max(needed, account.slice) - account.tokens
      let given: Awaited<ReturnType<LimitStore['lease']>>
      try {
        const { interval, capacity } = ready.shared
        const leased = from.lease({ partition: key, interval_us: interval * 1000, capacity, daily: ready.rate.daily, wanted })
        given = await within(patienceMs, leased, () => new Error(`no answer within ${patienceMs} ms`))
      } catch (error) {
        aloneUntil = monotonic() + aloneMs
        outage.begins(error)
        for (const { cost, settle } of account.waiting.splice(0)) settle(evaluate(ready, limitClass, account, cost, ready.half, 0.5))
        return
      }
      outage.ends()
      account.tokens += given.granted
      account.leaseEnds = startedAt + leaseMs
      account.left = given.left
      const short = given.granted < wanted
      while (account.waiting.length > 0) {
        const next = account.waiting[0]
        if (next === undefined) break
        if (account.tokens >= next.cost) next.settle(spend(ready, limitClass, account, next.cost))
        else if (short) {
          const wait = given.daily_exhausted ? untilMidnight(now()) : given.retry_ms + (next.cost - account.tokens - 1) * ready.full.interval
          account.refusedUntil = monotonic() + Math.max(1, wait)
          account.refusedBy = given.daily_exhausted ? 'daily' : limitClass
          next.settle(refused(ready, limitClass, account.refusedBy, wait))
        } else break
        account.waiting.shift()
      }
    }
  }

  return {
    tryTake(caller, limitClass, cost) {
      const ready = readyFor(caller.tier, limitClass)
      const account = accountOf(limitClass, caller.partition)
      const at = monotonic()
      if (store === null || at < aloneUntil) {
        const alone = store !== null
        const given = evaluate(ready, limitClass, account, cost, alone ? ready.half : ready.full, alone ? 0.5 : 1)
        return given.allowed ? given : null
      }
      const held = account.waiting.length === 0 && account.tokens >= cost && at < account.leaseEnds
      return held ? spend(ready, limitClass, account, cost) : null
    },
    take(caller, limitClass, cost) {
      const ready = readyFor(caller.tier, limitClass)
      const account = accountOf(limitClass, caller.partition)
      if (store === null) return evaluate(ready, limitClass, account, cost, ready.full, 1)
      const at = monotonic()
      if (at < aloneUntil) return evaluate(ready, limitClass, account, cost, ready.half, 0.5)
      if (account.waiting.length === 0) {
        if (account.tokens >= cost && at < account.leaseEnds) return spend(ready, limitClass, account, cost)
        if (at < account.refusedUntil) return refused(ready, limitClass, account.refusedBy, account.refusedUntil - at)
      }
      return new Promise(settle => {
        account.waiting.push({ cost, settle })
        if (account.waiting.length === 1) void lease(store, `${limitClass}:${caller.partition}`, ready, limitClass, account)
      })
    },
    peek(caller, limitClass) {
      const ready = readyFor(caller.tier, limitClass)
      const account = books.get(limitClass)?.get(caller.partition)
      if (!account) return allowance(ready, limitClass, ready.rate.burst, 0)
      if (store !== null && monotonic() >= aloneUntil) return allowance(ready, limitClass, account.tokens + account.left, 0)
      const verdict = checkArrival(ready.full, account.arrival, monotonic(), 0)
      return allowance(ready, limitClass, verdict.remaining, verdict.full_in)
    },
    policy: (tier, limitClass) => readyFor(tier, limitClass).policy,
  }
}

function prepare(name: string, rate: Rate): Ready {
  const interval = (rate.window_seconds * 1000) / rate.limit
  // Units may be used up to two leases after they were given out. That part of the burst is reserved, so that the limit of a sliding window
  // holds for all processes together.
  const held = Math.ceil((2 * leaseMs) / interval)
  return {
    rate,
    full: { interval, capacity: rate.burst },
    shared: { interval, capacity: Math.max(1, rate.burst - held) },
    half: { interval: interval * 2, capacity: Math.max(1, Math.floor(rate.burst / 2)) },
    policy: `"${name}";q=${rate.limit};w=${rate.window_seconds}${rate.daily === null ? '' : `, "daily";q=${rate.daily};w=${daySeconds}`}`,
  }
}

function allowance(ready: Ready, limit_class: LimitClass, remaining: number, full_in: number): Allowance {
  return {
    allowed: true,
    limit_class,
    policy: limit_class,
    limit: ready.rate.limit,
    remaining: Math.max(0, remaining),
    reset_seconds: Math.ceil(full_in / 1000),
    retry_seconds: 0,
  }
}
function refused(ready: Ready, limit_class: LimitClass, policy: string, retry_ms: number): Allowance {
  const seconds = Math.max(1, Math.ceil(retry_ms / 1000 - 1e-9))
  return {
    allowed: false,
    limit_class,
    policy,
    limit: policy === 'daily' ? (ready.rate.daily ?? 0) : ready.rate.limit,
    remaining: 0,
    reset_seconds: seconds,
    retry_seconds: seconds,
  }
}

/** Callers with a full budget need no entry; if all are in use, the oldest are removed. */
function forget(accounts: Map<string, Account>, at: number): void {
  for (const [key, account] of accounts) if (account.arrival <= at && account.leaseEnds <= at && account.used === 0) accounts.delete(key)
  for (const [key, account] of accounts) {
    if (accounts.size < maxPartitions) break
    if (account.waiting.length === 0) accounts.delete(key)
  }
}

function untilMidnight(wall: Date): number {
  return dayMs - (wall.getTime() % dayMs)
}
