// Re-execution in bulk: from the database, from a copy of the raw packs alone, and the nightly sample.
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { afterTests } from '#fixtures/after-tests.ts'
import { answersOf, type Requested } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import type { LakeOperation } from '#warehouse/answers/index.ts'
import { checkReproduction, findReproduction } from '#warehouse/people/status/reproductions.ts'
import { findComponents } from '#warehouse/people/status/status.ts'
import { rawFolder } from '#warehouse/store/raw/place.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { sequence } from '#warehouse/store/receipts/log/sequence.ts'
import { drawSample, logSize } from '#warehouse/store/receipts/sample.ts'
import { findSubjects, installedTools, type ReExecuted, reproduceMany } from '../ingest/reproduce.ts'
import { reproduceSample } from '../jobs/reproduce/reproduce-sample.ts'
import { envOf, keptIo } from './kept-io.ts'
import { main } from './main.ts'

const warehouse = await worldWarehouse()
const { runtime, config } = warehouse
const { db } = runtime.postgres
const { sign } = answersOf(warehouse)
const folder = mkdtempSync(join(tmpdir(), 'crossfile-reproduce-test-'))
afterTests(() => rmSync(folder, { recursive: true, force: true }))

const asked: readonly (readonly [LakeOperation, Requested])[] = [
  ['get_eod', { symbol: 'GLPR.TO' }],
  ['get_eod', { symbol: 'QT.TO', from: '2026-11-01' }],
  ['get_eod', { symbol: 'QT.TO', from: '2026-11-10' }],
  ['get_eod', { symbol: 'QT.TO', from: '2026-11-10', adjust: 'split' }],
  ['get_form4', { ticker: 'BRLX' }],
  ['list_corporate_actions', { symbol: 'QT.TO' }],
  ['search_filings', { ticker: 'BRLX' }],
]
const ids: string[] = []
const bundles: string[] = []
beforeAll(async () => {
  for (const [operation, requested] of asked) ids.push(await sign(operation, requested))
  for (const id of ids) {
    const path = join(folder, `${id}.receipt.json`)
    expect(await main(['receipt', id, '--out', path], keptIo(envOf(config)), {})).toBe(0)
    bundles.push(path)
  }
})

type Output = {
  count: number
  equal: number
  different: number
  not_possible: number
  work: Record<string, number>
  receipts: ReExecuted[]
  sample: object | null
}
async function run(args: readonly string[]): Promise<{ code: number; output: Output }> {
  const io = keptIo(envOf(config))
  const code = await main(['reproduce', ...args, '--json'], io, {})
  return { code, output: JSON.parse(io.output.out.join('\n')) as Output }
}
const bundleOptions = (): string[] => bundles.flatMap(path => ['--bundle', path])

describe('receipts of the database', () => {
  it('are equal, and share parsed documents and derived rows', async () => {
    const { code, output } = await run(ids)
    expect([code, output.receipts.filter(each => each.result !== 'equal')]).toEqual([0, []])
    expect(output.work).toMatchObject({ rows_reused: expect.any(Number) })
    expect(output.work['rows_reused']).toBeGreaterThan(0)
    const alone = await Promise.all(ids.map(async id => (await run([id])).output.work['parsed'] ?? 0))
    expect(output.work['parsed']).toBeLessThan(alone.reduce((sum, each) => sum + each, 0))
  })

  it('are different if a reader reads something else, with the first place', async () => {
    const readers = runtime.tools.readers.map(reader => ({
      ...reader,
      parse: (document: Parameters<typeof reader.parse>[0]) => {
        const parsed = reader.parse(document)
        return { ...parsed, bars: parsed.bars?.map(bar => ({ ...bar, volume: `${bar.volume}1` })) }
      },
    })) as unknown as typeof runtime.tools.readers
    const { payload } = await answersOf(warehouse).payloadOf('get_eod', { symbol: 'GLPR.TO' })
    const [subject] = await findSubjects(db, [ids[0] as string])
    const results: ReExecuted[] = []
    const mutant = installedTools({ ...runtime.tools, readers }, runtime.raw)
    const subjects = [{ ...(subject as NonNullable<typeof subject>), payload: payload.payload }]
    await reproduceMany(mutant, subjects, each => void results.push(each), new AbortController().signal)
    expect(results).toMatchObject([
      {
        result: 'different',
        method: 'documents',
        difference: { path: expect.stringMatching(/^(count$|bars\[date=)/), before: expect.any(String) },
      },
    ])
  })

  it('are refused if nothing or something unknown is named', async () => {
    for (const args of [[], ['--seed', 'x'], ['--raw', folder, '--sample', '3'], ['--raw', folder, ids[0] as string], [`r1_${'a'.repeat(52)}`]])
      expect([args, await main(['reproduce', ...args], keptIo(envOf(config)), {})]).toEqual([args, 2])
  })
})

describe('a copy of the raw packs', () => {
  const copy = join(folder, 'raw')
  /** The environment of a machine without the installation. */
  const elsewhere = { CROSSFILE_DATA: join(folder, 'nothing'), CROSSFILE_LOG: 'silent' }
  async function away(options: readonly string[] = bundleOptions()): Promise<{ code: number; output: Output }> {
    const io = keptIo(elsewhere)
    const code = await main(['reproduce', '--raw', copy, ...options, '--json'], io, {})
    return { code, output: JSON.parse(io.output.out.join('\n')) as Output }
  }
  beforeAll(() => cpSync(rawFolder(config.dataFolder), copy, { recursive: true }))

  it('gives equal answers on a machine with the packs and the bundles alone', async () => {
    const { code, output } = await away()
    expect(output.receipts.filter(each => each.result !== 'equal')).toEqual([])
    expect([code, output.count]).toEqual([0, asked.length])
  })

  it('with one damaged document: not possible, with the reason; the others stay equal', async () => {
    const { statement_bytes } = await db
      .selectFrom('receipt')
      .select('statement as statement_bytes')
      .where('receipt_id', '=', ids[4] as string)
      .executeTakeFirstOrThrow()
    const [source] = (JSON.parse(statement_bytes.toString('utf8')) as { predicate: { sources: { sha256: string }[] } }).predicate.sources
    const place = await db
      .selectFrom('raw_document')
      .select(['pack', 'pack_offset', 'bytes'])
      .where('sha256', '=', source?.sha256 ?? '')
      .where('holds_body', '=', true)
      .executeTakeFirstOrThrow()
    const path = join(copy, place.pack)
    const bytes = readFileSync(path)
    const damaged = Buffer.from(bytes)
    const at = place.pack_offset + 400
    damaged[at] = (damaged[at] as number) ^ 1
    chmodSync(path, 0o644)
    writeFileSync(path, damaged)
    const { code, output } = await away()
    const [first, ...others] = output.receipts.filter(each => each.result !== 'equal')
    expect(first).toMatchObject({ result: 'not_possible', reason: expect.stringContaining(source?.sha256 ?? 'x') })
    expect(others.every(each => each.result === 'not_possible')).toBe(true)
    expect([code, output.different, output.equal > 0]).toEqual([0, 0, true])
    writeFileSync(path, bytes)
  })

  it('without a pack, or with a bundle that was changed, is refused', async () => {
    const io = keptIo(elsewhere)
    expect(await main(['reproduce', '--raw', join(folder, 'nothing'), ...bundleOptions()], io, {})).toBe(2)
    const forged = join(folder, 'forged.receipt.json')
    writeFileSync(forged, readFileSync(bundles[0] as string, 'utf8').replace('"receipt_id":"r1_', '"receipt_id":"r1_a'))
    expect(await main(['reproduce', '--raw', copy, '--bundle', forged], keptIo(elsewhere), {})).toBe(2)
    expect(readdirSync(copy).some(name => name.endsWith('.pack'))).toBe(true)
  })
})

describe('a sample', () => {
  const now = () => new Date('2026-11-28T03:40:00Z')
  it('is drawn by its seed, the same each time, from the entries that the seed names', async () => {
    const log = { db, folder: openLogFolder(config.dataFolder, null), keysFolder: runtime.tools.keysFolder, host: 'crossfile.localhost' }
    while ((await sequence(log)).added > 0);
    const size = await logSize(db)
    expect(size).toBeGreaterThan(asked.length)
    const one = await drawSample(db, `2026-11-28/${size}`, 5)
    expect(one.receipt_ids).toHaveLength(5)
    expect(await drawSample(db, `2026-11-28/${size}`, 5)).toEqual(one)
    expect((await drawSample(db, `2026-11-29/${size}`, 5)).receipt_ids).not.toEqual(one.receipt_ids)
    expect((await drawSample(db, '2026-11-28/0', 5)).receipt_ids).toEqual([])
    const { output } = await run(['--sample', '5', '--seed', `2026-11-28/${size}`])
    expect(output.receipts.map(each => each.receipt_id).sort()).toEqual([...one.receipt_ids].sort())
    expect(output).toMatchObject({ equal: 5, sample: { seed: `2026-11-28/${size}`, population: one.population } })
  })

  it('of the night is stored, published, and continued after it was stopped', async () => {
    expect(await checkReproduction(db)).toEqual([])
    const { signal } = new AbortController()
    await expect(reproduceSample(runtime.tools, runtime.raw, 6, now, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    expect(await findReproduction(db)).toBeNull()
    const note = await reproduceSample(runtime.tools, runtime.raw, 6, now, signal)
    expect(note).toMatch(/^6 of 6 re-executed receipts gave equal bytes \(sample 2026-11-28\/\d+\)$/)
    expect(await findReproduction(db)).toMatchObject({ size: 6, equal: 6, different: 0, not_possible: 0, share_equal: 1, different_receipts: [] })
    expect(await checkReproduction(db)).toMatchObject([{ component: 'reproduction', status: 'operational', detail: note }])
    // The same day again finds the round done.
    expect(await reproduceSample(runtime.tools, runtime.raw, 6, now, signal)).toBe('')
    const io = keptIo(envOf(config))
    await main(['status'], io, {})
    expect(io.output.out.join('\n')).toContain(note)
  })

  it('with a receipt that is different makes the component degraded, and is logged once with its id', async () => {
    const lines: string[] = []
    const broken = runtime.tools.readers.map(reader => ({
      ...reader,
      parse: (document: Parameters<typeof reader.parse>[0]) => ({ ...reader.parse(document), facts: {}, bars: [] }),
    }))
    const tools = { ...runtime.tools, readers: broken, log: (level: string, line: string) => void lines.push(`${level} ${line}`) }
    const tomorrow = () => new Date('2026-11-29T03:40:00Z')
    const note = await reproduceSample(tools, runtime.raw, 4, tomorrow, new AbortController().signal)
    const found = await findReproduction(db)
    expect(found?.different).toBeGreaterThan(0)
    expect(found?.share_equal).toBeLessThan(1)
    expect(await checkReproduction(db)).toMatchObject([{ status: 'degraded', detail: note }])
    expect(lines.filter(line => line.includes(String(found?.different_receipts[0])))).toEqual([expect.stringMatching(/^error /)])
    expect(await findComponents(db, tomorrow())).toEqual(expect.any(Array))
  })
})
