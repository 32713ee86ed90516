import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDuckdb, queryRows } from '../../store/duckdb.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { findNewestBarDay } from './newest-day.ts'

let lake: Pick<Lake, 'query'>
let run: (sql: string) => Promise<unknown>
let close = (): void => {}
beforeAll(async () => {
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [] })
  const connection = await instance.connect()
  run = sql => connection.run(sql)
  await run('create table stored (date date, withdrawn boolean)')
  await run('create view bars as from stored where not withdrawn')
  lake = {
    query: (sql: string, { as_of: _unused, ...parameters }: NonNullable<Parameters<typeof queryRows>[2]>) => queryRows(connection, sql, parameters),
  } as unknown as Lake
  close = () => {
    connection.closeSync()
    instance.closeSync()
  }
})
afterAll(() => close())

test('the newest bar in effect: none of an empty lake, none withdrawn, none after the day of as_of', async () => {
  expect(await findNewestBarDay(lake, null)).toBeNull()
  await run("insert into stored values ('2026-06-01', false), ('2026-11-20', false), ('2026-11-24', true)")
  expect(await findNewestBarDay(lake, null)).toBe('2026-11-20')
  expect(await findNewestBarDay(lake, '2026-11-19T23:00:00-05:00')).toBe('2026-11-20')
  expect(await findNewestBarDay(lake, '2026-11-19T23:00:00Z')).toBe('2026-06-01')
  await run("update stored set withdrawn = true where date > '2026-06-01'")
  expect(await findNewestBarDay(lake, null)).toBe('2026-06-01')
  await run('update stored set withdrawn = true')
  expect(await findNewestBarDay(lake, null)).toBeNull()
})
