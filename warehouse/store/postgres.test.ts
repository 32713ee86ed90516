import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { openRelay } from '#fixtures/relay.ts'
import { isConnectionError } from './connection-errors.ts'
import { connect, exactInteger, instantText, transaction } from './postgres.ts'

const { pool, db, url } = await testDatabase()

const one = async (statement: string, from: { query: typeof pool.query } = pool) =>
  (await from.query<{ v: unknown }>(`select ${statement} as v`)).rows[0]?.v

test('an instant comes back in UTC with its microseconds, a day as a day, in lists too', async () => {
  expect(await one("'2024-06-30 16:00:00.123456-04'::timestamptz")).toBe('2024-06-30T20:00:00.123456Z')
  expect(await one("'2024-06-30 16:00:00-04'::timestamptz")).toBe('2024-06-30T20:00:00Z')
  expect(await one("'2024-02-29'::date")).toBe('2024-02-29')
  expect(await one("array['2024-02-29'::date, null]")).toEqual(['2024-02-29', null])
  expect(await one("array['2024-06-30 20:00:00+00'::timestamptz]")).toEqual(['2024-06-30T20:00:00Z'])
  expect(() => instantText('2024-06-30 16:00:00-04')).toThrow('no instant in UTC')
})

test('an int8 is a number as long as a number holds it, and an error beyond', async () => {
  expect(await one('9007199254740991::int8')).toBe(9007199254740991)
  expect(await one('array[1::int8, 2]')).toEqual([1, 2])
  expect(() => exactInteger('9007199254740993')).toThrow('select it as text')
  await expect(one('9007199254740993::int8')).rejects.toThrow('select it as text')
  expect(await one('1')).toBe(1)
})

test('a numeric keeps the digits that were stored', async () => {
  expect(await one("'1000.50'::numeric")).toBe('1000.50')
})

test('the server ends the session of a machine that is lost after 30 seconds, with its locks', async () => {
  const seconds = async (name: string) => Number(await one(`(select setting from pg_settings where name = 'tcp_${name}')`))
  expect((await seconds('keepalives_idle')) + (await seconds('keepalives_interval')) * (await seconds('keepalives_count'))).toBe(30)
  expect(await seconds('user_timeout')).toBe(30_000)
})

test('a statement beyond the limit is cancelled', async () => {
  const limited = connect(url, { max: 1, statementTimeout: 50 })
  await expect(limited.pool.query('select pg_sleep(30)')).rejects.toThrow('statement timeout')
  await limited.close()
})

test('a pool outlives its connections: the next statement opens another', async () => {
  const lost: Error[] = []
  const own = connect(url, { max: 1, applicationName: 'crossfile victim', onLost: error => void lost.push(error) })
  await own.pool.query('select 1')
  await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crossfile victim'")
  while (lost.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  expect(await one('2', own.pool)).toBe(2)
  await own.close()
})

test('a connection lost between two statements of a transaction fails the next one and not the process', async () => {
  const own = connect(url, { max: 1, applicationName: 'crossfile thinker' })
  const thinking = own.db.transaction().execute(async trx => {
    await sql`select 1`.execute(trx)
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crossfile thinker'")
    const isLeft = () => pool.query("select from pg_stat_activity where application_name = 'crossfile thinker'")
    while ((await isLeft()).rowCount !== 0);
    await sql`select 2`.execute(trx)
  })
  await expect(thinking).rejects.toThrow(/terminat|not queryable/)
  expect(await one('3', own.pool)).toBe(3)
  await own.close()
})

/** On a slow machine, an answer may come too late. */
const isAnswered = async (of: typeof pool): Promise<boolean> => (await one('1', of).catch(() => null)) === 1

test('a statement without an answer fails as a lost connection, and the next one opens another', async () => {
  const relay = await openRelay(url)
  const own = connect(relay.url, { max: 1, answerTimeout: 100 })
  try {
    while (!(await isAnswered(own.pool)));
    // The server, or the network before it, is gone without a word: nothing closes the connection.
    relay.freeze()
    const error = await own.pool.query('select 2').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ETIMEDOUT', message: expect.stringContaining('did not answer within 0.1 s') })
    expect(isConnectionError(error)).toBe(true)
    relay.thaw()
    while (!(await isAnswered(own.pool)));
  } finally {
    await own.close()
    await relay.close()
  }
})

test('a statement that may last fails only if its session is gone, and the next one opens another', async () => {
  const relay = await openRelay(url)
  const own = connect(relay.url, { max: 1, applicationName: 'crossfile laster', sessionCheck: 20 })
  try {
    while (!(await isAnswered(own.pool)));
    // Checked about ten times while it runs; an answer arrives in any case.
    expect(await one('(select 1 from pg_sleep(0.3))', own.pool)).toBe(1)
    relay.strand()
    const failed = own.pool.query('select pg_sleep(60)').catch((reason: unknown) => reason)
    // The server ended the session, or another server took its place; nothing of that reaches the client.
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crossfile laster'")
    const error = await failed
    expect(error).toMatchObject({ code: 'ETIMEDOUT', message: expect.stringContaining('no longer has the session') })
    expect(isConnectionError(error)).toBe(true)
    while (!(await isAnswered(own.pool)));
  } finally {
    await own.close()
    await relay.close()
  }
})

test('a connection whose first statement has no answer is given up', async () => {
  const relay = await openRelay(url)
  const own = connect(relay.url, { max: 1, sessionCheck: 20 })
  try {
    // The server lets the client in, and is lost before it names the session.
    const stranded = relay.strandAt('pg_backend_pid')
    const failed = own.pool.query('select 1').catch((reason: unknown) => reason)
    await stranded
    expect(await failed).toMatchObject({ code: 'ETIMEDOUT' })
    while (!(await isAnswered(own.pool)));
  } finally {
    await own.close()
    await relay.close()
  }
})

test('a transaction that fails leaves nothing, and one that the server turned away runs again', async () => {
  await pool.query('create table tally (n int)')
  await pool.query('insert into tally values (0)')
  await expect(
    transaction(db, async trx => {
      await sql`update tally set n = 99`.execute(trx)
      throw new Error('stop')
    }),
  ).rejects.toThrow('stop')
  const add = () =>
    transaction(
      db,
      async trx => {
        const { rows } = await sql<{ n: number }>`select n from tally`.execute(trx)
        await sql`update tally set n = ${(rows[0]?.n ?? 0) + 1}`.execute(trx)
      },
      { isolation: 'serializable', tries: 20 },
    )
  await Promise.all([add(), add(), add(), add()])
  expect((await pool.query('select n from tally')).rows).toEqual([{ n: 4 }])
})

test('every test file has a separate database', async () => {
  const other = connect(await createTestDatabase(), { max: 1 })
  await pool.query('create table only_here ()')
  expect(await one("to_regclass('only_here')::text", other.pool)).toBe(null)
  await other.close()
})
