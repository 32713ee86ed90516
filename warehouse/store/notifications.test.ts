// Waiting for changes in Postgres, on a real server: what notifies of what, and what happens when the connection is lost.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { createWakeup, listen, releaseChannel, type Wakeup } from './notifications.ts'

const hour = 3_600_000

describe('a wakeup', () => {
  test('ends the wait that is under way', async () => {
    const wakeup = createWakeup()
    const waiting = wakeup.wait(hour)
    wakeup.notify()
    await waiting
  })
  test('that comes between two waits ends the next one, and only that', async () => {
    const wakeup = createWakeup()
    wakeup.notify()
    await wakeup.wait(hour)
    let ended = false
    const waiting = wakeup.wait(hour).then(() => {
      ended = true
    })
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    expect(ended).toBe(false)
    wakeup.notify()
    await waiting
  })
  test('is looked for each second while notifications do not reach it', () => {
    expect(createWakeup().pauseMs).toBe(1_000)
  })
})

describe('notifications of Postgres', () => {
  let database: TestDatabase
  const failures: string[] = []
  const stop = new AbortController()
  const released = createWakeup()
  const other = createWakeup()
  const reachable = createWakeup()
  let listening: Promise<void>
  /** Resolves at the next notification; the test fails by its time limit if none comes. */
  const next = (wakeup: Wakeup): Promise<void> => wakeup.wait(hour)

  beforeAll(async () => {
    database = await testDatabase()
    listening = listen({
      url: database.url,
      applicationName: 'listener of the test',
      channels: new Map([
        [releaseChannel, released],
        ['crossfile_other', other],
      ]),
      reachable,
      stop: stop.signal,
      onFailure: reason => failures.push(reason),
    })
    // A new connection wakes both: what was sent before it is not announced again.
    await Promise.all([next(released), next(other), next(reachable)])
  })
  afterAll(async () => {
    stop.abort()
    await listening
    expect(released.pauseMs).toBe(1_000)
  })

  const changes = {
    'a damaged file': sql`insert into damaged_file (dataset, sha256, reason, found_by) values ('bars', ${'0'.repeat(64)}, 'test', 'worker')`,
    'a damaged file that is whole again': sql`delete from damaged_file`,
    'a frozen clock': sql`insert into data_clock (frozen_at) values ('2026-11-20T21:05:00Z')`,
    'a released clock': sql`update data_clock set released_at = clock_timestamp()`,
    'a signing key': sql`insert into signing_key (kid, x, status, valid_from) values ('k', 'x', 'active', 1)`,
    'a retired key': sql`update signing_key set status = 'retired', valid_to = 2`,
  }
  for (const [what, statement] of Object.entries(changes))
    test(`${what} wakes what waits for releases`, async () => {
      const waiting = next(released)
      await statement.execute(database.db)
      await waiting
    })

  test('a model and a sorted copy do too, and a statement that changes nothing does not', async () => {
    const { rows } = await sql<{ name: string; body: string }>`
      select c.relname as name, pg_get_triggerdef(t.oid) as body from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and t.tgfoid = 'notify_release_state'::regproc order by 1`.execute(database.db)
    expect(rows.map(row => row.name)).toEqual(['damaged_file', 'data_clock', 'model_build', 'signing_key', 'sorted_copy'])
    for (const { body } of rows) expect(body).toMatch(/AFTER INSERT OR DELETE OR UPDATE ON .* FOR EACH ROW/)
    let woken = false
    const waiting = next(released).then(() => {
      woken = true
    })
    await sql`delete from damaged_file`.execute(database.db)
    // Notifications arrive in the order of their transactions: when the second channel is woken, the first would have been.
    const second = next(other)
    await sql`select pg_notify('crossfile_other', '')`.execute(database.db)
    await second
    expect(woken).toBe(false)
    released.notify()
    await waiting
  })

  test('a lost connection is reported once, opened again, and wakes what waits', async () => {
    expect(failures).toEqual([])
    const waiting = Promise.all([next(released), next(other), next(reachable)])
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'listener of the test'`.execute(database.db)
    await waiting
    expect(failures).toHaveLength(1)
    // The server of the test runs on this machine.
    expect(released.pauseMs).toBe(30_000)
  })
})

test('a lost connection that cannot be opened again ends the waits that began before, and they look each second', async () => {
  const database = await testDatabase()
  const addresses = [database.url]
  const stop = new AbortController()
  const released = createWakeup()
  const listening = listen({
    // Nothing listens on this port.
    url: () => addresses.shift() ?? 'postgres://user:password@127.0.0.1:1/none',
    applicationName: 'listener that is lost',
    channels: new Map([[releaseChannel, released]]),
    stop: stop.signal,
    onFailure: () => undefined,
  })
  await released.wait(hour)
  expect(released.pauseMs).toBe(30_000)
  const waiting = released.wait(hour)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'listener that is lost'`.execute(database.db)
  await waiting
  expect(released.pauseMs).toBe(1_000)
  stop.abort()
  await listening
})

/** A server of Postgres's protocol that sends `greeting` to each client, and nothing else. */
async function silentServer(greeting: Buffer) {
  const server = createServer(socket => void socket.once('data', () => socket.write(greeting)).on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `postgres://user:password@127.0.0.1:${(server.address() as AddressInfo).port}/none` }
}
/** AuthenticationOk and ReadyForQuery (PostgreSQL, Message Formats). */
const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

test.each([
  ['accepts a connection', Buffer.alloc(0)],
  ['lets the client in', ready],
])('a stop ends the wait for a server that %s and never answers', async (_what, greeting) => {
  const { server, url } = await silentServer(greeting)
  const stop = new AbortController()
  const unexpected: string[] = []
  const listening = listen({
    url,
    applicationName: 'listener of the test',
    channels: new Map([[releaseChannel, createWakeup()]]),
    stop: stop.signal,
    onFailure: reason => unexpected.push(reason),
  })
  const [socket] = (await once(server, 'connection')) as [Socket]
  const closed = once(socket, 'close')
  // The client has sent its first message, or its first statement.
  await once(socket, 'data')
  if (greeting.length > 0) await once(socket, 'data')
  stop.abort()
  await listening
  await closed
  expect(unexpected).toEqual([])
  server.close()
})

/** Forwards to a server, without the server's notifications: as a pooler in transaction mode does for a client that listens. */
async function withoutNotifications(url: string) {
  const { hostname, port } = new URL(url)
  const listened = Promise.withResolvers<void>()
  let notifications = 0
  const proxy = createServer(client => {
    const server = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    client.pipe(server)
    let held = Buffer.alloc(0)
    server.on('data', (data: Buffer) => {
      held = Buffer.concat([held, data])
      // A message is its type, and its length without the type (PostgreSQL, Message Flow).
      for (let end = 0; held.length >= 5; held = held.subarray(end)) {
        end = 1 + held.readInt32BE(1)
        if (held.length < end) break
        if (held[0] !== 0x41) client.write(held.subarray(0, end))
        else {
          notifications += 1
          listened.resolve()
        }
      }
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = new URL(url)
  address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return { proxy, url: String(address), listened: listened.promise, notifications: () => notifications }
}

test('while a pooler forwards no notification, changes are looked for each second', async () => {
  const database = await testDatabase()
  const { proxy, url, listened, notifications } = await withoutNotifications(database.url)
  const stop = new AbortController()
  const wakeup = createWakeup()
  const listening = listen({
    url,
    applicationName: 'listener behind a pooler',
    channels: new Map([[releaseChannel, wakeup]]),
    stop: stop.signal,
    onFailure: () => undefined,
  })
  await listened
  expect(notifications()).toBe(1)
  expect(wakeup.pauseMs).toBe(1_000)
  stop.abort()
  await listening
  proxy.close()
})

test('an address that cannot be used is reported, and looked at again', async () => {
  const stop = new AbortController()
  const failures: string[] = []
  const reported = Promise.withResolvers<void>()
  let looks = 0
  const listening = listen({
    url: () => {
      looks += 1
      if (looks === 2) reported.resolve()
      return 'postgres://127.0.0.1:1/none?sslrootcert=/nowhere/root.crt'
    },
    applicationName: 'listener of the test',
    channels: new Map([[releaseChannel, createWakeup()]]),
    stop: stop.signal,
    onFailure: reason => failures.push(reason),
  })
  await reported.promise
  stop.abort()
  await listening
  expect(failures).toEqual([expect.stringContaining('/nowhere/root.crt')])
})
