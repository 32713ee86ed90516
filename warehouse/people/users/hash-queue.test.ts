// The order in which passwords are hashed, with a hash function that ends when the test decides.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { networkOf, openHashQueue, shares, type Turn, type WorkKind } from './hash-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A queue over workers that hold what they compute until `finish` is called. */
function aQueue(workers = 1) {
  const running: { readonly name: string; readonly end: () => void }[] = []
  const order: string[] = []
  const compute = (name: string): Promise<string> =>
    new Promise(resolve => {
      order.push(name)
      running.push({ name, end: () => resolve(name) })
    })
  const queue = openHashQueue<string, string>(Array.from({ length: workers }, () => compute))
  const outcomes = new Map<string, string>()
  const send = (name: string, kind: WorkKind, address: string, gone?: AbortSignal): void => {
    const turn: Turn = { kind, address, ...(gone ? { gone } : {}) }
    queue(name, turn).then(
      () => outcomes.set(name, 'computed'),
      (error: { status: number; retryAfterSeconds?: number }) => outcomes.set(name, `${error.status} ${error.retryAfterSeconds ?? '-'}`),
    )
  }
  /** Ends the oldest running computation. */
  const finish = async (times = 1): Promise<void> => {
    for (let n = 0; n < times; n += 1) {
      running.shift()?.end()
      await vi.advanceTimersByTimeAsync(0)
    }
  }
  const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
  return { send, finish, settle, order, outcomes }
}

describe('sign-ins under a flood of registrations', () => {
  it('begin after at most two registrations: 48 connections from 6 addresses delay none further', async () => {
    const { send, finish, settle, order, outcomes } = aQueue()
    for (let n = 0; n < 48; n += 1) send(`register ${n}`, 'register', `192.0.2.${n % 6}`)
    await settle()
    for (let n = 0; n < 10; n += 1) send(`sign-in ${n}`, 'sign_in', `198.51.100.${n}`)
    await finish(14)
    const places = Array.from({ length: 10 }, (_, n) => order.indexOf(`sign-in ${n}`))
    expect(places.every(place => place > 0)).toBe(true)
    // One registration runs, one has its turn, and then eight sign-ins go before each further one.
    expect(Math.max(...places)).toBeLessThanOrEqual(13)
    expect(places[0]).toBeLessThanOrEqual(2)
    // One network (/24) has eight registrations at most; the others are refused immediately.
    expect([...outcomes.values()].filter(outcome => outcome === '429 5')).toHaveLength(40)
  })
  it('of 200 registrations from 50 addresses, what the queue cannot hold is refused at once with Retry-After', async () => {
    const { send, settle, outcomes } = aQueue()
    for (let n = 0; n < 200; n += 1) send(`register ${n}`, 'register', `10.0.${n % 50}.1`)
    await settle()
    expect(outcomes.size).toBe(200 - 1 - shares.register.most)
    expect(new Set(outcomes.values())).toEqual(new Set(['503 5']))
  })
})

describe('within one queue', () => {
  it('networks take turns, then addresses: who sends most waits longest', async () => {
    const { send, finish, settle, order } = aQueue()
    for (let n = 0; n < 12; n += 1) send(`loud ${n}`, 'sign_in', `192.0.2.${n % 3}`)
    send('quiet a', 'sign_in', '198.51.100.1')
    send('quiet b', 'sign_in', '203.0.113.1')
    await settle()
    await finish(4)
    expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet a', 'quiet b'])
    expect(order.slice(3, 5)).toEqual(['loud 1', 'loud 2'])
  })
  it('a full queue drops the newest of the largest network for a newcomer of another, and never for one of the same network', async () => {
    const { send, settle, outcomes } = aQueue()
    // Two networks fill the queue of strangers (64): 32 each, of which one runs.
    for (let n = 0; n < 65; n += 1) send(`a${n}`, 'sign_in', `${n < 32 ? '192.0.2' : n < 64 ? '198.51.100' : '203.0.113'}.${n % 8}`)
    await settle()
    expect(outcomes.size).toBe(0)
    send('newcomer', 'sign_in', '100.64.0.1')
    await settle()
    expect([...outcomes]).toEqual([['a63', '503 5']])
  })
  it('a known device has its turn whatever number of strangers wait', async () => {
    const { send, finish, settle, order } = aQueue()
    for (let n = 0; n < 64; n += 1) send(`stranger ${n}`, 'sign_in', `10.0.${n}.1`)
    await settle()
    send('owner', 'known', '192.0.2.1')
    await finish(2)
    expect(order.indexOf('owner')).toBeLessThanOrEqual(2)
  })
})

describe('what waits', () => {
  it('is refused with Retry-After once its time to wait is over, and what runs is not', async () => {
    const { send, finish, order, outcomes } = aQueue()
    send('runs', 'sign_in', '192.0.2.1')
    send('waits', 'sign_in', '192.0.2.2')
    await vi.advanceTimersByTimeAsync(shares.sign_in.waitMs - 1)
    expect(outcomes.size).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect([...outcomes]).toEqual([['waits', '503 5']])
    await finish(2)
    expect([...outcomes]).toEqual([
      ['waits', '503 5'],
      ['runs', 'computed'],
    ])
    expect(order).toEqual(['runs'])
  })
  it('is dropped when its client leaves, and is never computed', async () => {
    const { send, finish, settle, order, outcomes } = aQueue()
    const leaving = new AbortController()
    const left = AbortSignal.abort()
    send('runs', 'register', '192.0.2.1')
    send('leaves', 'register', '192.0.2.1', leaving.signal)
    send('left before', 'register', '192.0.2.1', left)
    send('stays', 'register', '192.0.2.1')
    await settle()
    leaving.abort()
    await finish(3)
    expect(order).toEqual(['runs', 'stays'])
    expect(Object.fromEntries(outcomes)).toEqual({ runs: 'computed', leaves: '499 -', 'left before': '499 -', stays: 'computed' })
  })
  it('is computed by every worker, and a computation that fails frees its worker', async () => {
    let fail = true
    const queue = openHashQueue<string, string>([
      name => {
        if (!fail) return Promise.resolve(name)
        fail = false
        return Promise.reject(new Error('failed'))
      },
    ])
    await expect(queue('a', { kind: 'reset', address: '192.0.2.1' })).rejects.toThrow('failed')
    expect(await queue('b', { kind: 'reset', address: '192.0.2.1' })).toBe('b')
    const { send, settle, order } = aQueue(3)
    for (const name of ['a', 'b', 'c', 'd']) send(name, 'sign_in', '192.0.2.1')
    await settle()
    expect(order).toEqual(['a', 'b', 'c'])
  })
})

it('networks are /24 of IPv4 and /48 of IPv6, from addresses as limits are counted', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2')
  expect(networkOf('2001:db8:1:2::/64')).toBe('2001:db8:1')
  expect(networkOf('unknown')).toBe('unknown')
})
