// Holders of a security by sorted copies of the lake's files: the bytes of the answer without copies, for everything in the bundled universe,
// in a large quarter, at every release, and with damaged copies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flipBit } from '#fixtures/damage.ts'
import { commitRows, holdingsQuarterSql, reportsQuarterSql, widelyHeldSql } from '#fixtures/holdings-quarter.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { holdingsBySecurity } from '#schemas/holdings.ts'
import type { DatasetName } from '#schemas/index.ts'
import { createContexts } from '../context/release-contexts.ts'
import { findHolders, findSecurities, type SecurityQuestion } from '../datasets/holdings/holdings.ts'
import { dropDamagedBuilds, findBuildFiles, findDamagedBuilds } from '../models/check.ts'
import { collectModels } from '../models/collect.ts'
import { copiesOf, makeDueCopies } from '../models/copies.ts'
import { findModelDamage, recordModelDamage } from '../models/damage.ts'
import { openDuckdb, queryRows } from '../store/duckdb.ts'
import { loadCatalogue } from '../store/lake/catalogue.ts'
import { compactAll, type LakeWriter } from '../store/lake/compact.ts'
import { openConnections } from '../store/lake/connections.ts'
import type { FindCopies } from '../store/lake/copies.ts'
import { createVerifier, openLake } from '../store/lake/open.ts'
import type { Db } from '../store/postgres.ts'
import { buildPayload } from './index.ts'

const now = '2026-11-20T00:00:00Z'

/** Answers at a release, with and without copies; `used` counts the copies that the lake was given. */
async function readerOf(db: Db, writer: LakeWriter, find: FindCopies, release: number) {
  const catalogue = await loadCatalogue(db)
  const lakes = [
    openLake(catalogue, writer.connections, writer.verifier, release, undefined, find),
    openLake(catalogue, writer.connections, writer.verifier, release),
  ]
  const contextAt = createContexts(4)
  return {
    lakes,
    /** Both answers: bodies as bytes, or the error's message. */
    async ask(question: { readonly query: string; readonly period: string; readonly as_of?: string }): Promise<readonly string[]> {
      return await Promise.all(
        lakes.map(async lake => {
          try {
            const context = await contextAt(lake, question.as_of ?? null)
            return (await buildPayload('get_13f_issuer', context, { limit: 1000, ...question }, now))?.payload.toString() ?? 'nothing'
          } catch (error) {
            return error instanceof Error ? error.message : String(error)
          }
        }),
      )
    },
  }
}

describe('every security of the bundled universe', () => {
  it('has the same holders with copies: by CUSIP, by its first characters, by name, by ticker, at earlier releases and instants', async () => {
    const warehouse = await worldWarehouse()
    const { db, writer } = warehouse.runtime.tools
    const small = { ...holdingsBySecurity, least_rows: 1 }
    const made = await makeDueCopies({ db, writer }, [small])
    const files = (await loadCatalogue(db)).files.get('holdings') ?? []
    expect(made.map(({ source }) => source).sort()).toEqual(files.map(file => file.sha256).sort())
    let used = 0
    const find: FindCopies = async (copy, list) => {
      const found = await copiesOf(db, writer.data)({ ...copy, least_rows: 1 }, list)
      used += found.size
      return found
    }
    const { release } = await loadCatalogue(db)
    const reader = await readerOf(db, writer, find, release)
    const securities = await (reader.lakes[1] as (typeof reader.lakes)[number]).query<{ quarter: string; cusip: string | null; name: string }>(
      'select distinct quarter, cusip, issuer_name as name from holdings where issuer_name is not null order by all',
      { as_of: null },
      { holdings: 'all' },
    )
    const quarters = [...new Set(securities.map(each => each.quarter))]
    expect(securities.length).toBeGreaterThan(20)
    const questions = new Set<string>()
    for (const [at, { quarter, cusip, name }] of securities.entries())
      for (const query of [cusip, name, ...(at % 6 === 0 ? [cusip?.slice(0, 8), name.slice(0, 4)] : [])])
        if (query) questions.add(`${quarter} ${query}`)
    for (const symbol of ['BRLX', 'NGP', 'HSTI', 'NOPE', '1045810']) for (const quarter of quarters) questions.add(`${quarter} ${symbol}`)
    let reported = 0
    for (const each of questions) {
      const question = { query: each.slice(7), period: each.slice(0, 6) }
      const [copied, plain] = await reader.ask(question)
      expect(copied, each).toBe(plain)
      if (copied?.includes('"status":"reported"')) reported += 1
    }
    expect(reported).toBeGreaterThan(20)
    expect(used).toBeGreaterThan(reported)

    // An earlier release has fewer rows of the same files, and an earlier instant as well.
    const half = await readerOf(db, writer, find, Math.ceil(release / 2))
    for (const each of [...questions].filter((_, at) => at % 15 === 0)) {
      const question = { query: each.slice(7), period: each.slice(0, 6) }
      const [copied, plain] = await half.ask(question)
      expect(copied, `${each} at half`).toBe(plain)
      const [then, thenPlain] = await reader.ask({ ...question, as_of: '2026-08-01T00:00:00Z' })
      expect(then, `${each} as of August`).toBe(thenPlain)
    }
  })
})

describe('a large quarter', () => {
  const data = mkdtempSync(join(tmpdir(), 'crossfile-copies-'))
  const size = { quarter: '2026Q3', managers: 1_200, securities: 3_000 }
  let db: Db
  let writer: LakeWriter
  let close: () => void
  const reports: string[] = []
  let query: { cusip: string; name: string }

  beforeAll(async () => {
    db = (await testDatabase()).db
    const stageFolder = mkdtempSync(join(data, 'stage-'))
    const instance = await openDuckdb({ memoryLimit: '1GB', threads: 1, tempFolder: stageFolder, folders: [data] })
    const connections = await openConnections(instance, 2)
    const verifier = createVerifier(data, { onDamage: file => void reports.push(file.sha256) })
    writer = { data, stageFolder, connections, verifier }
    close = () => {
      connections.close()
      instance.closeSync()
    }
    await add('holdings', holdingsQuarterSql(size))
    await add('holdings_reports', reportsQuarterSql(size))
    query = (await connections.use(connection => queryRows<{ cusip: string; name: string }>(connection, widelyHeldSql)))[0] as typeof query
  })
  afterAll(() => {
    close()
    rmSync(data, { recursive: true, force: true })
  })

  const add = async (name: DatasetName, sql: string) => await commitRows({ db, writer }, name, sql)
  const newest = async () => await readerOf(db, writer, copiesOf(db, data), (await loadCatalogue(db)).release)
  const question = () => ({ query: query.cusip, period: size.quarter })

  it('is read from its copy, with the same securities and holders', async () => {
    const [copy, ...more] = await makeDueCopies({ db, writer })
    expect(more).toEqual([])
    expect(copy?.rows).toBeGreaterThan(holdingsBySecurity.least_rows)
    expect(await makeDueCopies({ db, writer })).toEqual([])
    const { lakes, ask } = await newest()
    const [copied, plain] = await ask(question())
    expect(copied).toBe(plain)
    expect(JSON.parse(copied ?? '')).toMatchObject({ coverage: { status: 'reported' } })
    expect(JSON.parse(copied ?? '').holders_count).toBeGreaterThan(size.managers / 3)
    // An independent count over the statement that makes the rows.
    const [counted] = await writer.connections.use(connection =>
      queryRows<{ n: number }>(
        connection,
        `select count(distinct manager_cik) as n from ${holdingsQuarterSql(size)} where cusip = '${query.cusip}' and not placeholder`,
      ),
    )
    expect(JSON.parse(copied ?? '').holders_count).toBe(counted?.n)
    const many = Array.from({ length: 100 }, (_, at) => `ISSUER ${at}`)
    const securities: readonly (readonly [SecurityQuestion, boolean])[] = [
      [{ keys: [query.name, `${query.name} NEW`] }, true],
      [{ keys: [query.name, ...many] }, true],
      [{ keys: [] }, false],
      [{ prefix: 'ISSUER 9' }, true],
      [{ issuer: query.cusip.slice(0, 6) }, true],
    ]
    for (const [requested, found] of securities) {
      const [one, two] = await Promise.all(lakes.map(lake => findSecurities(lake, size.quarter, requested, null)))
      expect(one).toEqual(two)
      expect((one ?? []).length > 0).toBe(found)
    }
    for (const [cusips, keys] of [
      [[query.cusip], [query.name]],
      [[], [query.name, ...many]],
      [[query.cusip, ...many], []],
    ] as const) {
      const [one, two] = await Promise.all(lakes.map(lake => findHolders(lake, size.quarter, cusips, keys, null)))
      expect(one).toEqual(two)
      expect(one?.length).toBeGreaterThan(0)
    }
  })

  it('is read from its file when the copy is damaged, until the copy is made again with the same bytes', async () => {
    const [file] = await findBuildFiles(db, data)
    if (!file) throw new TypeError('no copy')
    await flipBit(file.path)
    const [copied, plain] = await (await newest()).ask(question())
    expect(copied).toBe(plain)
    expect(reports).toEqual([file.sha256])
    expect(await recordModelDamage(db, file, 'damaged', 'api')).toBe(true)
    expect(await findModelDamage(db)).toMatchObject([{ model: holdingsBySecurity.name, sha256: file.sha256 }])
    expect((await findDamagedBuilds(db, data)).damaged).toMatchObject([{ model: holdingsBySecurity.name, sha256: file.sha256 }])
    expect(await dropDamagedBuilds(db, data)).toHaveLength(1)
    expect(await findModelDamage(db)).toEqual([])
    expect(await (await newest()).ask(question())).toEqual([plain, plain])
    expect(await makeDueCopies({ db, writer })).toHaveLength(1)
    expect(await findBuildFiles(db, data)).toEqual([file])
    expect(await (await newest()).ask(question())).toEqual([plain, plain])
  })

  it('follows a release that adds a small file, and a compaction', async () => {
    const rows = `(select * replace (manager_cik[1:9] || '9' as manager_cik, filing_id || 'b' as filing_id, accession || 'b' as accession) from ${holdingsQuarterSql({ ...size, managers: 40, securities: 60 })})`
    const filed = `(select * replace (manager_cik[1:9] || '9' as manager_cik, filing_id || 'b' as filing_id, accession || 'b' as accession) from ${reportsQuarterSql({ ...size, managers: 40 })})`
    const before = await newest()
    const [old] = await before.ask(question())
    await add('holdings', rows)
    await add('holdings_reports', filed)
    expect(await makeDueCopies({ db, writer })).toEqual([])
    const after = await newest()
    const [copied, plain] = await after.ask(question())
    expect(copied).toBe(plain)
    expect(copied).not.toBe(old)
    // The earlier release stays as it was.
    expect(await before.ask(question())).toEqual([old, old])
    for (const letter of ['c', 'd']) await add('holdings', rows.replaceAll("|| 'b'", `|| '${letter}'`))
    const [merged] = (await compactAll(db, writer)).filter(each => each.dataset === 'holdings')
    expect(merged).toMatchObject({ merged: 4 })
    expect(await makeDueCopies({ db, writer })).toMatchObject([{ rows: merged?.rows }])
    const [later, laterPlain] = await (await newest()).ask(question())
    expect(later).toBe(laterPlain)
    // The copy of the merged file stays for readers of the catalogue before, and is forgotten after some minutes.
    expect(await findBuildFiles(db, data)).toHaveLength(2)
    await db.updateTable('lake_file').set({ removed_at: '2026-01-01T00:00:00Z' }).where('removed_version', 'is not', null).execute()
    expect(await collectModels(db, data)).toMatchObject({ builds: 1 })
    expect(await findBuildFiles(db, data)).toHaveLength(1)
    expect(await (await newest()).ask(question())).toEqual([laterPlain, laterPlain])
  })
})
