// Which rows of raw documents that were read again do not belong into the file that is made again.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { datasetOf } from '#schemas/index.ts'
import { queryRows } from '../duckdb.ts'
import type { LakeFile } from './catalogue.ts'
import { leaveOutReplaced } from './replaced-versions.ts'

const dataset = datasetOf('filings')
let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

/** A version of the one filing of these tests: the document that gave it, its release, and the hour from which it is known. */
type Version = { readonly document: string; readonly release: number; readonly hour: number }

async function fill(table: string, versions: readonly Version[]): Promise<void> {
  const types: Record<string, string> = Object.fromEntries(dataset.columns.map(({ name, type }) => [name, type]))
  await connection.run(
    `create or replace temp table "${table}" (${Object.entries(types)
      .map(([name, type]) => `"${name}" ${type}`)
      .join(', ')})`,
  )
  for (const { document, release, hour } of versions)
    await connection.run(`insert into "${table}" (accession, cik, known_from, raw_sha256, release_from)
      values ('0009990001-26-000046', '0009900031', '2026-11-19T${hour}:00:00Z', '${document}', ${release})`)
}

/** The documents of the rows that remain of `remade`, in a file with so many rows. */
async function remaining(
  { made, held, remade }: Record<'made' | 'held' | 'remade', readonly Version[]>,
  file: { readonly rows: number; readonly fresh_release: number | null },
  readIn: readonly (readonly [document: string, release: number])[],
): Promise<string[]> {
  await fill('made', made)
  await fill('held_file', held)
  await fill('remade', remade)
  await connection.run('create or replace temp table "documents" (sha256 varchar, release bigint)')
  for (const [document, release] of readIn) await connection.run(`insert into "documents" values ('${document}', ${release})`)
  const left = await leaveOutReplaced(connection, dataset, file as LakeFile, {
    made: { sql: '"made"', parameters: {} },
    held: { sql: '"held_file"', parameters: {} },
  })
  const rows = await queryRows<{ document: string }>(connection, 'select raw_sha256 as document from "remade" order by 1')
  expect(left).toBe(remade.length - rows.length)
  return rows.map(row => row.document)
}

const index: Version = { document: 'index', release: 5, hour: 20 }
const form: Version = { document: 'form', release: 7, hour: 21 }
const submissions: Version = { document: 'submissions', release: 9, hour: 21 }
const all = [index, form, submissions]
const readTogether = all.map(({ document }) => [document, 1] as const)

test('of the documents that one release read together, the last version remains', async () => {
  expect(await remaining({ made: all, held: [], remade: all }, { rows: 1, fresh_release: 1 }, readTogether)).toEqual(['submissions'])
})

test('versions that became known at different times remain if the file has as many', async () => {
  expect(await remaining({ made: all, held: [], remade: all }, { rows: 2, fresh_release: 1 }, readTogether)).toEqual(['index', 'submissions'])
  expect(await remaining({ made: all, held: [], remade: all }, { rows: 3, fresh_release: 1 }, readTogether)).toEqual(['form', 'index', 'submissions'])
})

test('a version that a row of a whole file replaced is left out, and one that follows it remains', async () => {
  const held = [{ ...form, release: 1 }]
  const readAgain = [...readTogether, ['index', 10], ['submissions', 10]] as const
  const remade = [index, submissions]
  expect(await remaining({ made: all, held, remade }, { rows: 1, fresh_release: 10 }, readAgain)).toEqual(['submissions'])
})

test('rows of documents that the release did not read are left out', async () => {
  const readIn = [
    ['index', 1],
    ['form', 1],
    ['submissions', 10],
  ] as const
  expect(await remaining({ made: all, held: [], remade: all }, { rows: 1, fresh_release: 10 }, readIn)).toEqual(['submissions'])
})

test('in a merged file, each release has its last version', async () => {
  const remade = [
    { ...index, release: 1 },
    { ...form, release: 1 },
    { ...submissions, release: 10 },
  ]
  const readIn = [
    ['index', 1],
    ['form', 1],
    ['submissions', 10],
  ] as const
  expect(await remaining({ made: all, held: [], remade }, { rows: 2, fresh_release: null }, readIn)).toEqual(['form', 'submissions'])
})
