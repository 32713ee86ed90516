import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { migrate, readMigrations } from './migrate.ts'
import { connect } from './postgres.ts'

const folders: string[] = []
const first = 'create table bar (symbol text primary key);\n'
const second = "insert into bar values ('RY.TO');\n"

function aFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-migrations-'))
  folders.push(folder)
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql)
  return folder
}

async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const { pool, close } = connect(url, { max: 1 })
  try {
    return (await pool.query<Row>(sql)).rows
  } finally {
    await close()
  }
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

test('migrations run in their order, once: the second run applies nothing', async () => {
  const url = await createTestDatabase({ empty: true })
  const folder = aFolder({ '0002-fill.sql': second, '0001-bars.sql': first, 'notes.md': 'no migration' })
  expect(await migrate(url, { folder })).toEqual(['0001-bars.sql', '0002-fill.sql'])
  expect(await migrate(url, { folder })).toEqual([])
  writeFileSync(join(folder, '0003-more.sql'), "insert into bar values ('BRK-B')")
  expect(await migrate(url, { folder })).toEqual(['0003-more.sql'])
  expect(await query(url, 'select symbol from bar order by symbol')).toEqual([{ symbol: 'BRK-B' }, { symbol: 'RY.TO' }])
})

test('processes that migrate at the same moment apply each file once', async () => {
  const url = await createTestDatabase({ empty: true })
  const folder = aFolder({ '0001-bars.sql': first, '0002-fill.sql': second })
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(url, { folder })))
  expect(applied.flat().sort()).toEqual(['0001-bars.sql', '0002-fill.sql'])
})

test('an applied file whose text changed is refused by name, before anything runs', async () => {
  const url = await createTestDatabase({ empty: true })
  const folder = aFolder({ '0001-bars.sql': first })
  await migrate(url, { folder })
  writeFileSync(join(folder, '0001-bars.sql'), `${first}-- a comment`)
  writeFileSync(join(folder, '0002-fill.sql'), second)
  await expect(migrate(url, { folder })).rejects.toThrow('migration 0001-bars.sql was applied with SHA-256')
  expect(await query(url, 'select symbol from bar')).toEqual([])
})

test('a checkout with Windows line ends has the same history', async () => {
  const url = await createTestDatabase({ empty: true })
  const folder = aFolder({ '0001-bars.sql': first })
  await migrate(url, { folder })
  writeFileSync(join(folder, '0001-bars.sql'), first.replaceAll('\n', '\r\n'))
  expect(await migrate(url, { folder })).toEqual([])
})

test('a file that fails leaves no trace, names its line, and the ones before it stay', async () => {
  const url = await createTestDatabase({ empty: true })
  const folder = aFolder({ '0001-bars.sql': first, '0002-wrong.sql': 'create table quote ();\nselect\n  nothing from bar;' })
  await expect(migrate(url, { folder })).rejects.toThrow('migration 0002-wrong.sql, line 3: column "nothing" does not exist')
  const tables = await query(url, "select table_name from information_schema.tables where table_schema = 'public' order by 1")
  expect(tables).toEqual([{ table_name: 'bar' }, { table_name: 'schema_migrations' }])
})

test('a database of a newer version is not touched, and a late number is refused', async () => {
  const url = await createTestDatabase({ empty: true })
  await migrate(url, { folder: aFolder({ '0002-bars.sql': first }) })
  await expect(migrate(url, { folder: aFolder({ '0003-fill.sql': second }) })).rejects.toThrow('has migration 0002-bars.sql, which this version')
  await expect(migrate(url, { folder: aFolder({ '0001-late.sql': second, '0002-bars.sql': first }) })).rejects.toThrow(
    'migration 0001-late.sql comes before 0002-bars.sql',
  )
})

test('two migrations of one number, or a name out of the pattern, are refused', () => {
  expect(() => readMigrations(aFolder({ '0001-a.sql': '', '0001-b.sql': '' }))).toThrow('0001-a.sql and 0001-b.sql have the same number')
  expect(() => readMigrations(aFolder({ 'bars.sql': '' }))).toThrow('migration bars.sql: expected a name such as')
})
