import { sql } from 'kysely'
import type { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { supervisorOf } from '#fixtures/supervisor.ts'
import { randomOf } from '#fixtures/world/random.ts'
import { commit } from './lake/commit.ts'
import { type Claimed, deadLetterQueue, defineRequestQueues, type JobData, openQueue, type Queue, reproduceQueue, signQueue } from './queue.ts'

let database: TestDatabase
let queue: Queue
let boss: PgBoss

const settings = { retryLimit: 3, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 600 }
const aWindow = (partition: string): JobData => ({ partition, from: partition, to: partition, symbols: null, backfill_id: null })
const one = async (name: string): Promise<Claimed> => {
  const [claimed] = await queue.claim(name, 1)
  if (!claimed) throw new Error(`no job is ready in ${name}`)
  return claimed
}
const stateOf = async (claimed: Claimed): Promise<{ state: string; attempt: number }> => {
  const { rows } = await sql<{
    state: string
    attempt: number
  }>`select state::text, retry_count as attempt from pgboss.job where id = ${claimed.fence.queueJob}::uuid and name = ${claimed.queue}`.execute(
    database.db,
  )
  return rows[0] as { state: string; attempt: number }
}
/** More than a heartbeat passes without a sign of life, and pg-boss looks. */
async function heartbeatLapses(...claimed: readonly Claimed[]): Promise<void> {
  const ids = sql.join(claimed.map(each => each.fence.queueJob))
  await sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '31 seconds' where id in (${ids})`.execute(database.db)
  await sql`update pgboss.queue set monitor_on = null, monitor_claim_on = null`.execute(database.db)
  await boss.supervise()
  await sql`update pgboss.job set start_after = now() where state = 'retry'`.execute(database.db)
}
const complete = (claimed: Claimed): Promise<void> => database.db.transaction().execute(async trx => queue.complete(claimed, {}, trx))

beforeAll(async () => {
  database = await testDatabase()
  queue = await openQueue(database.db, false, () => {})
  boss = supervisorOf(database.db)
  await boss.start()
  for (const name of ['bars', 'filings', 'insider', 'fx', 'symbols']) await queue.define(name, settings)
})
afterAll(async () => {
  await boss.stop({ graceful: false, close: false })
  await queue.close()
})

describe('a job', () => {
  test('waits once, however often its window is sent, and is handed to one worker', async () => {
    expect(await queue.send('bars', aWindow('2024-03-01'))).not.toBeNull()
    expect(await queue.send('bars', aWindow('2024-03-01'))).toBeNull()
    const claims = await Promise.all(Array.from({ length: 8 }, () => queue.claim('bars', 5)))
    expect(claims.flat().map(each => each.data.partition)).toEqual(['2024-03-01'])
    expect(await queue.send('bars', aWindow('2024-03-01'))).toBeNull()
    await complete(claims.flat()[0] as Claimed)
    expect(await queue.send('bars', aWindow('2024-03-01'))).not.toBeNull()
    await complete(await one('bars'))
  })
  test('is sent with the transaction that it follows from, or not at all', async () => {
    const sending = database.db.transaction().execute(async trx => {
      await queue.send('bars', aWindow('2024-03-02'), { transaction: trx })
      throw new Error('the commit failed')
    })
    await expect(sending).rejects.toThrow('the commit failed')
    expect(await queue.claim('bars', 1)).toEqual([])
  })
  test('whose worker shows no sign of life, or runs past its time, is given to another attempt by a worker that supervises', async () => {
    await queue.send('filings', aWindow('2024-03-01'))
    await queue.send('filings', aWindow('2024-03-04'))
    const [silent, slow] = (await queue.claim('filings', 2)) as [Claimed, Claimed]
    await sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '31 seconds' where id = ${silent.fence.queueJob}::uuid`.execute(
      database.db,
    )
    await sql`update pgboss.job set started_on = started_on - interval '601 seconds' where id = ${slow.fence.queueJob}::uuid`.execute(database.db)
    const supervising = await openQueue(database.db, true, () => {})
    await expect.poll(async () => [(await stateOf(silent)).state, (await stateOf(slow)).state], { interval: 200 }).toEqual(['retry', 'retry'])
    await supervising.close()
    await sql`update pgboss.job set start_after = now() where state = 'retry'`.execute(database.db)
    const again = await queue.claim('filings', 2)
    expect(again.map(each => each.fence.attempt)).toEqual([1, 1])
    for (const each of again) await complete(each)
  })
  test('is looked after at each tick of a worker that supervises, also if two ticks are less than their interval apart in the database', async () => {
    await queue.send('filings', aWindow('2024-03-06'))
    const silent = await one('filings')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const supervising = await openQueue(database.db, true, () => {})
      await sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '31 seconds' where id = ${silent.fence.queueJob}::uuid`.execute(
        database.db,
      )
      await sql`update pgboss.queue set monitor_claim_on = pgboss.job_now() - interval '9500 milliseconds'`.execute(database.db)
      vi.advanceTimersByTime(11_000)
      // Waits for the pass that the tick began.
      await supervising.close()
    } finally {
      vi.useRealTimers()
    }
    expect((await stateOf(silent)).state).toBe('retry')
    await sql`update pgboss.job set start_after = now() where state = 'retry'`.execute(database.db)
    await complete(await one('filings'))
  })
  test('whose worker shows signs of life is left to it', async () => {
    await queue.send('filings', aWindow('2024-03-05'))
    const claimed = await one('filings')
    // A heartbeat lapses after 30 seconds: without the sign of life between them, these two are 40.
    const passes = sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '20 seconds' where id = ${claimed.fence.queueJob}::uuid`
    await passes.execute(database.db)
    expect(await queue.touch(claimed)).toBe(true)
    await passes.execute(database.db)
    await sql`update pgboss.queue set monitor_on = null, monitor_claim_on = null`.execute(database.db)
    await boss.supervise()
    expect(await stateOf(claimed)).toEqual({ state: 'active', attempt: 0 })
    await complete(claimed)
  })
})

describe('a look at the queue', () => {
  const here = async (): Promise<{ ready: boolean; active: boolean; next: boolean }> => {
    const { ready, isActive, nextMs } = await queue.look()
    return { ready: ready.includes('fx'), active: isActive, next: nextMs !== null && nextMs > 0 }
  }
  test('reports what is ready, what runs, and what waits for its time', async () => {
    expect(await here()).toEqual({ ready: false, active: false, next: false })
    await queue.send('fx', aWindow('2024-03-08'))
    expect(await here()).toEqual({ ready: true, active: false, next: false })
    const claimed = await one('fx')
    expect(await here()).toEqual({ ready: false, active: true, next: false })
    await queue.fail(claimed, {})
    await sql`update pgboss.job set start_after = now() + interval '1 hour' where state = 'retry'`.execute(database.db)
    expect(await here()).toEqual({ ready: false, active: false, next: true })
    const { nextMs } = await queue.look()
    expect(nextMs).toBeGreaterThan(3_000_000)
    expect(nextMs).toBeLessThanOrEqual(3_600_000)
    await sql`update pgboss.job set start_after = now() where state = 'retry'`.execute(database.db)
    await complete(await one('fx'))
  })
})

describe('a job that waits for its next attempt', () => {
  const waits = async (claimed: Claimed): Promise<boolean> =>
    (
      await sql<{ waits: boolean }>`select start_after > now() as waits from pgboss.job
        where name = ${claimed.queue} and id = ${claimed.fence.queueJob}::uuid`.execute(database.db)
    ).rows[0]?.waits === true
  test('is ready at once when it is sent again to be pulled forward, else not', async () => {
    await queue.define('put-off', { ...settings, retryDelay: 600, retryDelayMax: 3600 })
    await queue.send('put-off', aWindow('2024-03-01'))
    const failed = await one('put-off')
    await queue.fail(failed, { message: 'no network' })
    expect(await waits(failed)).toBe(true)
    expect(await queue.send('put-off', aWindow('2024-03-01'))).toBeNull()
    expect(await waits(failed)).toBe(true)
    expect(await queue.send('put-off', aWindow('2024-03-01'), { pullForward: true })).toBeNull()
    expect(await waits(failed)).toBe(false)
    await complete(await one('put-off'))
  })
  test('is ready at once, and has as many attempts as before, if a worker that stops gave it back', async () => {
    await queue.define('given-back', { ...settings, retryLimit: 1, retryDelay: 600, retryDelayMax: 3600 })
    await queue.send('given-back', aWindow('2024-03-01'))
    for (const expected of [0, 1, 2]) {
      const claimed = await one('given-back')
      expect([claimed.fence.attempt, claimed.last]).toEqual([expected, false])
      expect(await database.db.transaction().execute(async trx => queue.giveBack(claimed, { message: 'stopping' }, trx))).toBe(true)
      expect(await database.db.transaction().execute(async trx => queue.giveBack(claimed, { message: 'stopping' }, trx))).toBe(false)
    }
    await queue.fail(await one('given-back'), { message: 'no network' })
    await queue.send('given-back', aWindow('2024-03-01'), { pullForward: true })
    const last = await one('given-back')
    expect(last.last).toBe(true)
    await complete(last)
  })
})

describe('a zombie: an attempt whose job was taken over', () => {
  async function overtaken(partition: string): Promise<{ zombie: Claimed; rightful: Claimed }> {
    await queue.send('insider', aWindow(partition))
    const zombie = await one('insider')
    await heartbeatLapses(zombie)
    const rightful = await one('insider')
    expect(rightful.fence).toEqual({ queueJob: zombie.fence.queueJob, attempt: 1 })
    return { zombie, rightful }
  }
  test('cannot complete the newer attempt, and what it did in that transaction is undone', async () => {
    const { zombie, rightful } = await overtaken('2024-03-01')
    const doing = database.db.transaction().execute(async trx => {
      await trx.insertInto('job_tick').values({ job: 'by a zombie', tick_at: '2024-03-01T00:00:00Z' }).execute()
      await queue.complete(zombie, {}, trx)
    })
    await expect(doing).rejects.toThrow(/taken over by another worker/)
    expect(await database.db.selectFrom('job_tick').select('job').where('job', '=', 'by a zombie').execute()).toEqual([])
    expect(await stateOf(rightful)).toEqual({ state: 'active', attempt: 1 })
    await complete(rightful)
    await expect(complete(zombie)).rejects.toThrow(/taken over by another worker/)
    await expect(complete(rightful)).rejects.toThrow(/taken over by another worker/)
  })
  test('can neither keep the job alive nor fail nor bury it', async () => {
    const { zombie, rightful } = await overtaken('2024-03-04')
    expect(await queue.touch(zombie)).toBe(false)
    expect(await queue.fail(zombie, { message: 'late' })).toBe(false)
    expect(await queue.bury(zombie, { message: 'late' })).toBe(false)
    expect(await stateOf(rightful)).toEqual({ state: 'active', attempt: 1 })
    expect(await queue.claim(deadLetterQueue, 5)).toEqual([])
    await complete(rightful)
  })
  test('commits nothing, and the rightful attempt does, once', async () => {
    const { zombie, rightful } = await overtaken('2024-03-05')
    const along: number[] = []
    const committing = (claimed: Claimed) =>
      commit(database.db, {
        job: 'insider',
        partition: '2024-03-05',
        batchKey: `${claimed.fence.attempt}`,
        files: [],
        base: 0,
        derivedFrom: [],
        fence: claimed.fence,
        along: async trx => {
          along.push(claimed.fence.attempt)
          await queue.complete(claimed, {}, trx)
        },
      })
    await expect(committing(zombie)).rejects.toThrow(/taken over or ended/)
    await committing(rightful)
    await expect(committing(rightful)).rejects.toThrow(/taken over or ended/)
    expect(along).toEqual([1])
  })
  test('of many jobs under many overtaken attempts, each takes effect exactly once', async () => {
    const random = randomOf(8, 'zombies')
    const windows = Array.from({ length: 60 }, (_, at) => `2024-${String((at % 12) + 1).padStart(2, '0')}-${String(Math.floor(at / 12) + 10)}`)
    for (const window of windows) await queue.send('fx', aWindow(window))
    const effect = (claimed: Claimed): Promise<void> =>
      database.db.transaction().execute(async trx => {
        await sql`insert into effect (partition) values (${claimed.data.partition})`.execute(trx)
        await queue.complete(claimed, {}, trx)
      })
    await sql`create table effect (partition text)`.execute(database.db)
    const zombies: Claimed[] = []
    let refused = 0
    for (;;) {
      const claims = await queue.claim('fx', 7)
      if (claims.length === 0) break
      const frozen = claims.filter(each => !each.last && random.chance(0.4))
      if (frozen.length > 0) await heartbeatLapses(...frozen)
      zombies.push(...frozen)
      const waking = zombies.filter(() => random.chance(0.5))
      const done = await Promise.allSettled([...claims.filter(each => !frozen.includes(each)), ...waking].map(effect))
      refused += done.filter(each => each.status === 'rejected').length
    }
    const late = await Promise.allSettled(zombies.map(effect))
    expect(late.every(each => each.status === 'rejected')).toBe(true)
    expect(refused).toBeGreaterThan(20)
    const { rows } = await sql<{ partition: string }>`select partition from effect order by partition`.execute(database.db)
    expect(rows.map(row => row.partition)).toEqual(windows.toSorted())
  })
})

describe('the dead-letter queue', () => {
  test('gets a job after its last attempt, with the reason of that one, and gives it back', async () => {
    await queue.send('symbols', aWindow('2024-03-01'))
    const attempts: number[] = []
    for (let round = 0; round <= settings.retryLimit; round += 1) {
      const claimed = await one('symbols')
      attempts.push(claimed.fence.attempt)
      expect(claimed.last).toBe(round === settings.retryLimit)
      expect(await queue.fail(claimed, { message: `failed ${round}` })).toBe(true)
      await sql`update pgboss.job set start_after = now() where state = 'retry'`.execute(database.db)
    }
    expect(attempts).toEqual([0, 1, 2, 3])
    expect(await queue.claim('symbols', 1)).toEqual([])
    expect(await deadLetters()).toEqual([{ source: 'symbols', partition: '2024-03-01', reason: 'failed 3' }])
    expect(await queue.redrive()).toBe(1)
    const back = await one('symbols')
    expect(back).toMatchObject({ data: aWindow('2024-03-01'), fence: { attempt: 0 }, last: false })
    await complete(back)
  })
  test('gets a buried job at once, in the transaction that buries it, and gives it back', async () => {
    await queue.send('symbols', aWindow('2024-03-04'))
    const claimed = await one('symbols')
    const burying = database.db.transaction().execute(async trx => {
      expect(await queue.bury(claimed, { message: 'no such symbol' }, trx)).toBe(true)
      throw new Error('rolled back')
    })
    await expect(burying).rejects.toThrow('rolled back')
    expect(await deadLetters()).toEqual([])
    expect((await stateOf(claimed)).state).toBe('active')
    expect(await queue.bury(claimed, { message: 'no such symbol' })).toBe(true)
    expect(await deadLetters()).toEqual([{ source: 'symbols', partition: '2024-03-04', reason: 'no such symbol' }])
    expect(await queue.claim('symbols', 1)).toEqual([])
    expect(await queue.redrive()).toBe(1)
    expect(await deadLetters()).toEqual([])
    const back = await one('symbols')
    expect(back.data).toMatchObject(aWindow('2024-03-04'))
    await complete(back)
  })
})

async function deadLetters(): Promise<{ source: string; partition: string; reason: string }[]> {
  const { rows } = await sql<{ source: string; partition: string; reason: string }>`
    select source_name as source, data->>'partition' as partition, coalesce(source_output->>'message', source_output->'value'->>'message') as reason
    from pgboss.job where name = ${deadLetterQueue} and state < 'active'`.execute(database.db)
  return rows
}

describe('a request whose client waits for it', () => {
  test('that fails at its last attempt leaves no dead letter, also in a queue that had them before, and its client gets the reason', async () => {
    await queue.define(signQueue, { ...settings, retryLimit: 0 })
    await defineRequestQueues(queue)
    const deadLetters = async (): Promise<number> =>
      (await sql<{ n: number }>`select count(*)::int as n from pgboss.job where name = ${deadLetterQueue}`.execute(database.db)).rows[0]?.n ?? -1
    const before = await deadLetters()
    for (const name of [signQueue, reproduceQueue]) {
      const id = (await queue.send(name, aWindow(`a request of ${name}`))) as string
      await queue.fail(await one(name), { message: 'Damaged: first' })
      expect(await queue.failure(name, id)).toBeNull()
      await sql`update pgboss.job set start_after = now() where state = 'retry' and name = ${name}`.execute(database.db)
      await queue.fail(await one(name), { message: 'Damaged: the dataset is damaged', shown: 'the dataset is damaged' })
      expect(await queue.failure(name, id)).toEqual({ shown: 'the dataset is damaged' })
    }
    expect(await deadLetters()).toBe(before)
  })
})
