// End-of-day answers from the model of prices: the same bytes as from the lake, also while files of either change under the running API.
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { flipBit } from '#fixtures/damage.ts'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { buildDuePrices } from '#pipelines/jobs/models/models.ts'
import { dropDamagedBuilds } from '#warehouse/models/check.ts'
import { findPriceBuild, partPath, readManifest } from '#warehouse/models/prices/store.ts'
import { findKnownDamage } from '#warehouse/people/status/damage.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { recheckDamage } from '#warehouse/store/lake/damage.ts'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { type Server, startServer } from './server.ts'

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
const { db } = warehouse.runtime.postgres
const data = warehouse.config.dataFolder
const tools = { db, writer: warehouse.runtime.tools.writer }
// The code of the programs has a name, as that of compiled programs.
const start = (): Promise<Server> => startServer(warehouse.config, undefined, undefined, 'test')
let server: Server
beforeAll(async () => {
  server = await start()
})
afterAll(() => server.close())

// Each question is another one for the cache of answers.
const questions = ['NGP.TO', 'NGP', 'GLPR.TO', 'BHWU', 'HSTI.TO', 'PSR-UN.TO'].flatMap(symbol =>
  ['', '?adjust=none&order=desc', '?from=2026-03-02&to=2026-10-30&adjust=split', '?limit=3&order=desc'].map(
    query => `/api/v1/market/eod/${symbol}${query}`,
  ),
)
async function ask(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string; tag: string | null }> {
  const response = await fetch(server.address + path, { headers: { authorization: `Bearer ${key}`, ...headers } })
  return { status: response.status, body: await response.text(), tag: response.headers.get('etag') }
}
const restart = async (): Promise<void> => {
  await server.close()
  server = await start()
}
/** The files of the model's blocks. */
async function parts(): Promise<string[]> {
  const build = await findPriceBuild(db)
  return (await readManifest(data, build?.sha256 as string)).parts.map(part => partPath(data, part.sha256))
}

it('are those of the lake, need no file of bars, and fall back to the lake for a damaged block', async () => {
  const fromLake = new Map<string, Omit<Awaited<ReturnType<typeof ask>>, 'status'>>()
  for (const path of questions) {
    const { status, ...answer } = await ask(path)
    expect(status).toBe(200)
    fromLake.set(path, answer)
  }
  expect(new Set([...fromLake.values()].map(({ tag }) => tag)).size).toBe(questions.length)
  expect(await buildDuePrices(tools, Date.now(), true)).toMatchObject([{ model: 'prices' }])
  expect(await buildDuePrices(tools, Date.now(), true)).toEqual([])

  // Without whole files of bars, every answer is read from the model.
  const files = ((await loadCatalogue(db)).files.get('bars') ?? []).map(file => lakePath(data, file))
  const whole = await Promise.all(files.map(path => readFile(path)))
  for (const path of files) await flipBit(path)
  await restart()
  for (const path of questions) expect(await ask(path)).toEqual({ status: 200, ...fromLake.get(path) })
  // A release of the past is read from the lake, and is refused.
  expect((await ask(`${questions[0]}?release=${(await findPriceBuild(db))?.release}`)).status).toBe(200)
  expect((await ask(`${questions[0]}?as_of=2026-11-10T00:00:00Z`)).status).toBe(503)

  // With damaged blocks too, nothing can be answered.
  await restart()
  const blocks = await parts()
  const wholeBlocks = await Promise.all(blocks.map(path => readFile(path)))
  for (const [at, path] of blocks.entries()) {
    const wrong = Buffer.from(wholeBlocks[at] as Buffer)
    for (let byte = 0; byte < wrong.length; byte += 64) wrong[byte] = (wrong[byte] as number) ^ 1
    await writeFile(path, wrong)
  }
  for (const path of questions) expect((await ask(path)).status).toBe(503)
  // Except a client that has the answer already.
  for (const path of questions)
    expect(await ask(path, { 'if-none-match': fromLake.get(path)?.tag as string })).toEqual({ status: 304, body: '', tag: fromLake.get(path)?.tag })

  // The lake is whole again: the answers are, too, before the model is.
  for (const [at, path] of files.entries()) await writeFile(path, whole[at] as Buffer)
  await recheckDamage(db, tools.writer.verifier)
  await expect.poll(async () => [...(await findKnownDamage(db)).byComponent.keys()]).toEqual(['model:prices'])
  await restart()
  for (const path of questions) expect(await ask(path)).toEqual({ status: 200, ...fromLake.get(path) })

  // A worker builds it again, and the API uses it.
  expect(await dropDamagedBuilds(db, data)).toMatchObject([{ model: 'prices' }])
  expect(await buildDuePrices(tools, Date.now(), true)).toMatchObject([{ model: 'prices' }])
  expect((await findKnownDamage(db)).files).toEqual([])
  for (const path of files) await flipBit(path)
  await restart()
  for (const path of questions) expect(await ask(path)).toEqual({ status: 200, ...fromLake.get(path) })
})
