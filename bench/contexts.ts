// What benches run on, each made when the first bench asks for it: the generated market with its API, worker and database,
// and a started installation with the bundled universe. Everything lies in one temporary folder, which goes at the end.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRuntime, type Runtime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import { createKey } from '#warehouse/people/accounts/keys.ts'
import { type Catalogue, loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { filesFor, lakePath } from '#warehouse/store/lake/open.ts'
import { startInstallation } from './installation.ts'
import { type Program, startProgram } from './processes.ts'
import { buildUniverse, type Universe, universeOf } from './universe.ts'

export type Options = { readonly scale: number; readonly rounds: number; readonly seconds: number; readonly data: string | null }
export type Market = {
  readonly universe: Universe
  readonly runtime: Runtime
  readonly env: NodeJS.ProcessEnv
  readonly key: string
  catalogue(): Promise<Catalogue>
  /** The files of a dataset that can hold rows of a symbol, as the catalogue names them. */
  files(catalogue: Catalogue, dataset: 'bars' | 'adjustment_factors', symbol: string): string[]
  /** The API program on the market; started at first, and anew with `fresh`. */
  api(options?: { readonly fresh?: boolean; readonly core?: 0 | 1 | null }): Promise<Program>
  worker(): Promise<Program>
}
export type ReleaseContexts = {
  readonly options: Options
  readonly say: (text: string) => void
  /** A new empty folder. */
  folder(name: string): Promise<string>
  market(): Promise<Market>
  /** A data folder as `npm start` leaves it, with the bundled universe; nothing runs on it but its database. */
  installation(): Promise<{ readonly env: NodeJS.ProcessEnv; readonly key: string }>
  close(): Promise<void>
}

/** No request may leave the machine: every upstream is a port where nobody listens. */
const nowhere = 'http://127.0.0.1:9'
const jobs = `version: 1
jobs:
  drop-in:
    title: CSV files of bars and actions that the operator drops into the data folder
    source: csv
    plan: csv-drop-in
    datasets: [symbols, directory_sightings, bars, bar_corrections, corporate_actions, adjustment_factors]
    schedule: null
    backfill: none
    freshness_minutes: null
`

export async function openContexts(options: Options, say: (text: string) => void): Promise<ReleaseContexts> {
  const base = await mkdtemp(join(tmpdir(), 'crossfile-bench-'))
  const closing: (() => Promise<void>)[] = []
  let market: Promise<Market> | null = null
  let installed: Promise<{ env: NodeJS.ProcessEnv; key: string }> | null = null
  return {
    options,
    say,
    async folder(name) {
      const path = await mkdtemp(join(base, `${name}-`))
      return path
    },
    market: () => {
      market ??= openMarket(options, base, say, closing)
      return market
    },
    installation: () => {
      installed ??= (async () => {
        const data = join(base, 'installation')
        say('starting an installation with the bundled universe …')
        const started = await startInstallation(data)
        await untilSigned(`${started.api}${signedPath}`, started.key)
        await started.stop()
        // No contact and no upstream: with nobody to ask, an issuer's filings are answered as they stand.
        return { env: { CROSSFILE_DATA: data, CROSSFILE_LOG: 'warn', PORT: '0', NODE_ENV: 'production' }, key: started.key }
      })()
      return installed
    },
    async close() {
      for (const each of closing.reverse()) await each().catch(error => say(String(error)))
      await rm(base, { recursive: true, force: true })
    },
  }
}

/** The page that benches read with a key. Without a worker, an API that lacks it waits for a signature every few seconds. */
export const signedPath = '/api/v1/data/form4?ticker=BRLX'

/** Requests a page until the worker has signed it. Throws if it is not signed after a minute. */
async function untilSigned(url: string, key: string): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    if (response.status === 200 && typeof ((await response.json()) as { readonly receipt_id?: unknown }).receipt_id === 'string') return
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
  throw new Error(`${url} was not signed within a minute`)
}

async function openMarket(options: Options, base: string, say: (text: string) => void, closing: (() => Promise<void>)[]): Promise<Market> {
  const data = options.data ?? join(base, 'market')
  await mkdir(data, { recursive: true })
  const jobsFile = join(base, 'jobs.yaml')
  await writeFile(jobsFile, jobs)
  const own = { CROSSFILE_DATA: data, CROSSFILE_JOBS: jobsFile, CROSSFILE_UPSTREAM_BASE: nowhere, CROSSFILE_LOG: 'warn', PORT: '0' }
  const config = loadConfig(own)
  const runtime = await openRuntime(config, (level, message) => (level === 'debug' || level === 'info' ? undefined : say(message)), 'crossfile bench')
  closing.push(() => runtime.close())
  const marker = join(data, 'bench-scale')
  const kept = existsSync(marker) ? (await readFile(marker, 'utf8')).trim() : null
  if (kept !== null && kept !== String(options.scale))
    throw new Error(`${data} holds the market of --scale ${kept}; give that scale, or another folder`)
  if (kept === null) {
    say(`generating the market at scale ${options.scale} …`)
    const begun = performance.now()
    await buildUniverse(runtime, options.scale, text => say(`  ${text}`))
    await writeFile(marker, String(options.scale))
    say(`  done in ${Math.round((performance.now() - begun) / 1000)} s`)
  }
  const { text: key } = await createKey(runtime.postgres.db, { name: 'bench', tier: 'prime', days: 1 }, new Date())
  const env = { ...own, NODE_ENV: 'production' }
  let api: Promise<Program> | null = null
  let apiCore: 0 | 1 | null = null
  let worker: Promise<Program> | null = null
  closing.push(async () => {
    await (await worker)?.stop()
    await (await api)?.stop()
  })
  return {
    universe: universeOf(options.scale),
    runtime,
    env,
    key,
    catalogue: () => loadCatalogue(runtime.postgres.db),
    files: (catalogue, dataset, symbol) => filesFor(catalogue.files.get(dataset) ?? [], [symbol]).map(file => lakePath(data, file)),
    async api({ fresh = false, core = null } = {}) {
      if (api && (fresh || core !== apiCore)) {
        await (await api).stop()
        api = null
      }
      apiCore = core
      api ??= startProgram('bench/api-process.ts', env, core)
      return await api
    },
    worker: () => {
      worker ??= startProgram('pipelines/jobs/worker/main.ts', env)
      return worker
    },
  }
}
