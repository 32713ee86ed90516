// A copy that follows the releases file by file becomes what the lake is, also where compaction moved rows meanwhile.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { addDocument } from '#fixtures/warehouse.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { compactAll } from '#warehouse/store/lake/compact.ts'

const { get: ask, warehouse } = await worldService({ worker: false })

type File = {
  readonly dataset: string
  readonly sha256: string
  readonly url: string
  readonly release_from: number | null
  readonly rows_since: string | null
}
type Changes = {
  readonly release: number
  readonly count: number
  readonly files: readonly File[]
  readonly releases: readonly { release: number; datasets: string[] }[]
}

async function changes(since: number, dataset = 'corporate_actions', more = ''): Promise<Changes> {
  const response = await ask(`/api/v1/data/bulk/changes?since=${since}&dataset=${dataset}${more}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Changes
}
/** The rows that an answer names, with the release of each, as any client reads them. */
async function rowsOf({ files }: Pick<Changes, 'files'>): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const rows: string[] = []
  for (const file of files) {
    const path = join(warehouse.config.dataFolder, `copy-${file.sha256.slice(0, 12)}.parquet`)
    writeFileSync(path, Buffer.from(await (await ask(file.url)).arrayBuffer()))
    const found = await queryRows<{ row: string }>(
      connection,
      `select json_object('s', symbol, 'k', kind, 'd', ex_date, 'n', source_name, 'r', coalesce(release_from, ${file.release_from ?? 'null'}))::varchar as row
        from read_parquet('${path}') where ${file.rows_since ?? 'true'}`,
    )
    rows.push(...found.map(each => each.row))
  }
  connection.closeSync()
  instance.closeSync()
  return rows.sort()
}
const head = async (): Promise<number> => Number(((await (await ask('/health')).json()) as { release: number }).release)
async function until(release: number): Promise<void> {
  while ((await head()) < release) await new Promise(resolve => setTimeout(resolve, 20))
}

describe('changes since a release', () => {
  it('are the rows of the releases after it, and nothing where none came', async () => {
    const before = await head()
    expect((await changes(before)).files).toEqual([])
    const whole = await rowsOf(await changes(0))
    const made = await addDocument(warehouse, 'file:actions-new.csv', 'symbol,ex_date,kind,amount,currency\nQT.TO,2026-11-17,dividend,0.01,CAD\n')
    await until(made)
    const answer = await changes(before)
    expect(answer.releases).toMatchObject([{ release: made, datasets: ['corporate_actions'] }])
    const added = await rowsOf(answer)
    expect(added.length).toBe(1)
    expect([...whole, ...added].sort()).toEqual(await rowsOf(await changes(0)))
    // Pinned to the release of before, nothing is new.
    expect((await changes(before, 'corporate_actions', `&release=${before}`)).files).toEqual([])
  })

  it('are found in files that compaction merged with older rows', async () => {
    const first = await head()
    for (let day = 1; day <= 9; day += 1) {
      const csv = `symbol,ex_date,kind,amount,currency\nQT.TO,2026-10-0${day},dividend,0.02,CAD\n`
      await until(await addDocument(warehouse, `file:actions-${day}.csv`, csv))
    }
    const fresh = await rowsOf(await changes(first))
    expect(fresh.length).toBe(9)
    const done = await compactAll(warehouse.runtime.postgres.db, warehouse.runtime.tools.writer)
    expect(done.some(each => each.dataset === 'corporate_actions')).toBe(true)
    let merged: Changes
    do {
      await new Promise(resolve => setTimeout(resolve, 100))
      merged = await changes(first)
    } while (merged.files.every(file => file.rows_since === null))
    expect(await rowsOf(merged)).toEqual(fresh)
  })

  it('of a release that does not exist are refused with the newest one', async () => {
    const response = await ask(`/api/v1/data/bulk/changes?since=${(await head()) + 5}`)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'bad_request', hint: expect.stringContaining('the newest release is') },
    ])
    expect((await ask('/api/v1/data/bulk/changes')).status).toBe(400)
    expect((await ask('/api/v1/data/bulk/changes?since=0&dataset=nothing')).status).toBe(404)
  })
})
