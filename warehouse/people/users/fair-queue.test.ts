// Whose turn comes when, with clients that arrive, leave and wait too long.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FairQueueOptions, openFairQueue, type Party } from './fair-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

function aQueue(given: Partial<FairQueueOptions> = {}) {
  const quota = { running: 1, waiting: 2 }
  const queue = openFairQueue({
    what: 'checks',
    atOnce: 2,
    waiting: 4,
    waitMs: 1_000,
    account: quota,
    address: quota,
    network: { running: 1, waiting: 3 },
    ...given,
  })
  const outcomes: string[] = []
  const ends = new Map<string, () => void>()
  const send = (name: string, party: Party | null, gone = never): void =>
    void queue(party, gone).then(
      end => {
        outcomes.push(`${name} runs`)
        ends.set(name, end)
      },
      (error: { status: number }) => void outcomes.push(`${name} ${error.status}`),
    )
  return { send, outcomes, end: (name: string) => ends.get(name)?.() }
}
const party = (account: string, address: string): Party => ({ account, address })

describe('a fair queue', () => {
  it('keeps a turn for others: one account, address or network never has them all', async () => {
    for (const [account, address] of [
      ['a', '127.0.0.1'],
      ['b', '192.0.2.1'],
      ['b', '192.0.2.7'],
    ] as const) {
      const { send, outcomes, end } = aQueue()
      send('first', party('a', account === 'a' ? '127.0.0.1' : '192.0.2.1'))
      send('second', party(account, address))
      send('other', party('c', '198.51.100.1'))
      await settle()
      expect(outcomes).toEqual(['first runs', 'other runs'])
      end('first')
      end('first')
      await settle()
      expect(outcomes).toEqual(['first runs', 'other runs', 'second runs'])
    }
  })
  it('serves the account that was served longest ago first', async () => {
    const { send, outcomes, end } = aQueue({ atOnce: 1 })
    for (const name of ['a1', 'a2', 'a3', 'b1']) send(name, party(name[0] ?? '', '127.0.0.1'))
    await settle()
    for (const name of ['a1', 'b1', 'a2']) {
      end(name)
      await settle()
    }
    expect(outcomes).toEqual(['a1 runs', 'b1 runs', 'a2 runs', 'a3 runs'])
  })
  it('refuses what is above a share with 429, what is above the queue with 503, and drops who left or waited too long', async () => {
    const { send, outcomes, end } = aQueue({ atOnce: 1 })
    const gone = new AbortController()
    send('runs', party('a', '127.0.0.1'))
    send('leaves', party('a', '127.0.0.1'), gone.signal)
    send('waits', party('a', '127.0.0.1'))
    send('too many', party('a', '127.0.0.1'))
    await settle()
    gone.abort()
    await settle()
    expect(outcomes).toEqual(['runs runs', 'too many 429', 'leaves 499'])
    for (const name of ['b', 'c', 'd', 'e']) send(name, party(name, '127.0.0.1'))
    await settle()
    expect(outcomes.slice(3)).toEqual(['e 503'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(outcomes.slice(4).sort()).toEqual(['b 503', 'c 503', 'd 503', 'waits 503'])
    end('runs')
    send('later', null)
    await settle()
    expect(outcomes.at(-1)).toBe('later runs')
  })
  it('drops the newest of the network that fills a full queue', async () => {
    const { send, outcomes } = aQueue({ atOnce: 1 })
    send('runs', party('a', '198.51.100.1'))
    for (const n of [1, 2, 3]) send(`flood ${n}`, party(`f${n}`, `192.0.2.${n}`))
    for (const name of ['x', 'y']) send(name, party(name, `203.0.${name === 'x' ? 1 : 2}.1`))
    await settle()
    expect(outcomes).toEqual(['runs runs', 'flood 3 503'])
  })
})
