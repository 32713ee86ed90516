// All holders of a widely held security in a quarter of 8,000 managers and 3 million rows: by the sorted copy of the quarter's file, beside
// the file itself, which is sorted by manager.
import { statSync } from 'node:fs'
import { commitRows, holdingsQuarterSql, reportsQuarterSql, widelyHeldSql } from '#fixtures/holdings-quarter.ts'
import { openRuntime, type Runtime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import { createContexts } from '#warehouse/context/release-contexts.ts'
import { findHolders } from '#warehouse/datasets/holdings/holdings.ts'
import { copiesOf, makeDueCopies } from '#warehouse/models/copies.ts'
import { modelsFolder } from '#warehouse/models/folder.ts'
import { openDuckdb, queryRows } from '#warehouse/store/duckdb.ts'
import { type Catalogue, loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openConnections } from '#warehouse/store/lake/connections.ts'
import type { FindCopies } from '#warehouse/store/lake/copies.ts'
import { createVerifier, lakeFolder, lakePath, openLake } from '#warehouse/store/lake/open.ts'
import type { ReleaseContexts } from './contexts.ts'
import { compared, figure, interleave, type Report } from './measure.ts'

const quarter = '2026Q3'
/** Quarters of reports; the rows of one quarter are generated. */
const quarters = ['2025Q4', '2026Q1', '2026Q2', quarter]
const perRound = 5

async function load(runtime: Runtime, managers: number): Promise<void> {
  await commitRows(runtime.tools, 'holdings', holdingsQuarterSql({ quarter, managers, securities: managers * 2.5 }), 10_240)
  const reports = quarters.map(each => `select * from ${reportsQuarterSql({ quarter: each, managers })}`)
  await commitRows(runtime.tools, 'holdings_reports', `(${reports.join(' union all ')})`, 10_240)
}

/** A process that reads as the API does: one thread, no spilling, nothing read before. */
async function openReader(data: string, catalogue: Catalogue, find: FindCopies | undefined) {
  const instance = await openDuckdb({ memoryLimit: '1GB', threads: 1, tempFolder: '', folders: [lakeFolder(data), modelsFolder(data)] })
  const connections = await openConnections(instance, 4)
  const verifier = createVerifier(data)
  const lake = openLake(catalogue, connections, verifier, catalogue.release, undefined, find)
  const context: ReleaseContext = await createContexts(1)(lake, null)
  const [held] = await connections.use(connection => queryRows<{ cusip: string; name: string }>(connection, widelyHeldSql))
  const { cusip = '', name = '' } = held ?? {}
  const answer = async (query: string): Promise<string> =>
    (await buildPayload('get_13f_issuer', context, { query, period: quarter, limit: 100 }, '2026-11-20T00:00:00Z'))?.payload.toString() ?? ''
  return {
    rows: async () => (await findHolders(lake, quarter, [cusip], [], null)).length,
    answer: async () => await answer(cusip),
    byName: async () => await answer(name),
    close() {
      connections.close()
      instance.closeSync()
    },
  }
}
type Reader = Awaited<ReturnType<typeof openReader>>
type Asked = Exclude<keyof Reader, 'close'>

const timed = (run: () => Promise<unknown>, times: number) => async (): Promise<number> => {
  const begun = performance.now()
  for (let time = 0; time < times; time += 1) await run()
  return (performance.now() - begun) / times
}

/** Milliseconds of processor of all threads of this process: what a busy machine changes least. */
const processor = (run: () => Promise<unknown>, times: number) => async (): Promise<number> => {
  const begun = process.cpuUsage()
  for (let time = 0; time < times; time += 1) await run()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000 / times
}

export async function holders(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const { rounds, scale } = contexts.options
  const managers = Math.min(8_000, Math.round(80_000 * scale))
  const data = await contexts.folder('holders')
  const runtime = await openRuntime(loadConfig({ CROSSFILE_DATA: data, CROSSFILE_LOG: 'warn', PORT: '0' }), () => {}, 'crossfile bench')
  const { db, writer } = runtime.tools
  const opened: Reader[] = []
  const reader = async (find?: FindCopies): Promise<Reader> => {
    opened.push(await openReader(data, await loadCatalogue(db), find))
    return opened.at(-1) as Reader
  }
  try {
    contexts.say(`generating the filings of ${managers} managers …`)
    await load(runtime, managers)
    const made = await makeDueCopies({ db, writer }, undefined)
    const [copy] = made
    if (!copy) throw new Error('the quarter is too small for a copy; give a larger --scale')
    const catalogue = await loadCatalogue(db)
    const [file] = catalogue.files.get('holdings') ?? []
    const find = copiesOf(db, data)
    const [bySecurity, byManager] = [await reader(find), await reader()]
    for (const ask of ['answer', 'byName'] as const)
      if ((await bySecurity[ask]()) !== (await byManager[ask]())) throw new Error('the copy and the file gave different answers')
    const count = await bySecurity.rows()
    if (count < managers / 3) throw new Error(`the security has ${count} rows, expected one of every second manager`)
    const first = (own: FindCopies | undefined, ask: Asked) => async (): Promise<number> => {
      const fresh = await reader(own)
      return await timed(() => fresh[ask](), 1)()
    }
    const again = (ask: Asked, clock: typeof timed): Promise<Map<string, number[]>> =>
      interleave(
        [
          { name: 'own', run: clock(() => bySecurity[ask](), perRound) },
          { name: 'other', run: clock(() => byManager[ask](), perRound) },
        ],
        rounds,
      )
    const once = (ask: Asked): Promise<Map<string, number[]>> =>
      interleave(
        [
          { name: 'own', run: first(find, ask) },
          { name: 'other', run: first(undefined, ask) },
        ],
        rounds,
      )
    const of = (label: string, values: Map<string, number[]>, most?: number) =>
      compared(
        label,
        'ms',
        values.get('own') ?? [],
        'the file by manager',
        values.get('other') ?? [],
        most === undefined ? undefined : { of: 'value', most },
      )
    const fileBytes = file === undefined ? 0 : statSync(lakePath(data, file)).size
    return {
      figures: [
        of(`its ${count.toLocaleString('en-US')} rows, read again`, await again('rows', timed), 30),
        of('the same, processor time', await again('rows', processor)),
        of('its rows, read first', await once('rows')),
        of('the answer, 100 holders of a page, again', await again('answer', timed)),
        of('the same, processor time', await again('answer', processor)),
        of('the answer, first', await once('answer')),
        of('the answer by the name of its issuer, again', await again('byName', timed)),
        figure('the copy is made', 's', [copy.ms / 1000]),
        compared('size of the copy', 'MB', [copy.bytes / 1e6], 'the file by manager', [fileBytes / 1e6]),
      ],
      notes: [
        `${copy.rows.toLocaleString('en-US')} rows of ${managers.toLocaleString('en-US')} managers in one quarter; "first" is a process that has read nothing yet and hashes the file or its copy; both sides give the same bytes`,
      ],
    }
  } finally {
    for (const each of opened) each.close()
    await runtime.close()
  }
}
