// `npm start`: sets everything up, starts Postgres, worker and API, loads the bundled universe where nothing is there yet, and
// says what to ask. It supervises: a child that dies is started again, Ctrl-C stops all of it, and a second start goes on from
// the data that is there.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { type Config, loadConfig } from '#schemas/config.ts'
import { addDays } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { keyDigest } from '#warehouse/accounts/key-text.ts'
import { createKey, findByHash } from '#warehouse/accounts/keys.ts'
import { type DataClock, dataNow, describeDataClock, findDataClock, freezeDataClock } from '#warehouse/data-clock.ts'
import { sha256Hex } from '#warehouse/raw/pack.ts'
import { loadDecisions } from '../ingest/decisions.ts'
import { ingest } from '../ingest/ingest.ts'
import { findUnread, keepUnread } from '../ingest/was-read.ts'
import { createLog, type Log } from '../log.ts'
import { refreshModels } from '../models/models.ts'
import { openRuntime, type Runtime } from '../runtime.ts'
import { checkContact } from '../sources/upstream.ts'
import { outlast } from './outlast.ts'

type Mode = Config['mode']
const root = join(import.meta.dirname, '..', '..')
const withParent = pathToFileURL(join(import.meta.dirname, 'with-parent.mjs')).href
const restartMs = [100, 1_000, 2_000, 5_000, 15_000]
const withoutDatabaseMs = 1_000
/** A program that ran for so long after it was ready is started again at once when it ends. */
const steadyMs = 10_000
const batchDocuments = 120

async function claimFolder(data: string, mode: Mode): Promise<void> {
  await mkdir(data, { recursive: true })
  const path = join(data, 'mode')
  const held = existsSync(path) ? (await readFile(path, 'utf8')).trim() : null
  if (held === null) await writeFile(path, `${mode}\n`)
  else if (held !== mode) {
    throw new BadRequest(`the data folder holds the ${held === 'bundled' ? 'bundled fictional universe' : 'live data'}, and this start is ${mode}`, {
      hint:
        mode === 'live'
          ? 'give live data a folder of its own, e.g. CROSSFILE_DATA=./data-live'
          : 'set CROSSFILE_CONTACT again, or give the bundled universe a folder of its own with CROSSFILE_DATA',
    })
  }
}

/** The ready key: made once, kept in a 0600 file, the same at the next start; made anew where it was revoked. */
async function readyKey(runtime: Runtime): Promise<string> {
  const path = join(runtime.config.dataFolder, 'api-key')
  if (existsSync(path)) {
    const text = (await readFile(path, 'utf8')).trim()
    const known = await findByHash(runtime.postgres.db, keyDigest(text))
    if (known && known.revoked_at === null && (known.expires_at === null || Date.parse(String(known.expires_at)) > Date.now())) return text
  }
  const { text } = await createKey(runtime.postgres.db, { name: 'npm start', tier: 'prime', days: null }, new Date())
  const file = await open(path, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.write(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return text
}

/** True where the folder already holds something that is not the bundled universe, e.g. from `crossfile ingest`: the two are not mixed. */
async function holdsOwnData(runtime: Runtime): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select exists (select from raw_document) and not exists (select from raw_document where url like 'https://www.sec.gov/Archives/edgar/data/99%') as own`.execute(
    runtime.postgres.db,
  )
  return rows[0]?.own === true
}

async function universeClock(): Promise<string> {
  const [{ clockOf }, { buildWorld }] = await Promise.all([import('#fixtures/world/upstream.ts'), import('#fixtures/world/world.ts')])
  return clockOf(buildWorld('small'))
}

/** Loads the fictional universe as recorded documents, in the order of their retrieval; what was read already is not read again. */
async function loadBundled(runtime: Runtime, log: Log, signal: AbortSignal): Promise<void> {
  // What a start that was killed wrote and did not index is not kept twice.
  await runtime.raw.recover()
  const { worldDocuments } = await import('#fixtures/world/documents.ts')
  const documents = [...worldDocuments('small')].map(({ source, url, retrieved_at, status, headers, body }) => ({
    source,
    url,
    retrieved_at,
    status,
    headers,
    body,
    sha256: sha256Hex(body),
  }))
  const missing = await findUnread(runtime.tools, documents, 'any')
  if (missing.length === 0) return
  log('info', `loading the bundled fictional universe: ${missing.length} documents`)
  const decisions = await loadDecisions(runtime.postgres.db)
  for (let from = 0; from < missing.length; from += batchDocuments) {
    signal.throwIfAborted()
    const batch = missing.slice(from, from + batchDocuments)
    const held = await keepUnread(runtime.postgres.db, runtime.raw, batch)
    const outcome = await ingest(runtime.tools, {
      job: 'bundled',
      partition: `documents ${from + 1} to ${from + batch.length}`,
      documents: held,
      decisions,
      fence: null,
    })
    log('info', `bundled universe: ${from + batch.length} of ${missing.length} documents, release ${outcome.release ?? '-'}`)
  }
}

type Child = { readonly name: string; stop(): Promise<void>; readonly ready: Promise<Record<string, unknown>> }

/** A program of ours as a child that is started again when it dies; `ready` is its first message. */
function supervise(name: string, file: string, args: readonly string[], env: NodeJS.ProcessEnv, log: Log): Child {
  let child: ChildProcess | null = null
  let stopping = false
  let fails = 0
  let wasReady = false
  let resolveReady: (message: Record<string, unknown>) => void = () => {}
  let rejectReady: (error: Error) => void = () => {}
  const ready = new Promise<Record<string, unknown>>((resolve_, reject) => {
    resolveReady = resolve_
    rejectReady = reject
  })
  ready.catch(() => undefined)
  const start = (): void => {
    let readyAt: number | null = null
    child = spawn(process.execPath, ['--import', withParent, join(root, file), ...args], {
      env: { ...env, CROSSFILE_PARENT_PIPE: '3' },
      // stdin, stdout, stderr, the pipe whose end says that we are gone, and messages.
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
    })
    child.on('message', message => {
      wasReady = true
      readyAt ??= performance.now()
      resolveReady(message as Record<string, unknown>)
    })
    child.on('error', error => {
      log('error', `${name}: ${error.message}`)
      // A process that was never made has no end.
      if (child?.pid === undefined) ended(1, null)
    })
    child.on('exit', ended)
    function ended(code: number | null, signal: NodeJS.Signals | null): void {
      if (stopping) return
      // Exit code 2 before the first ready: a setting is wrong (start-check.ts), and another start would fail in the same way.
      if (code === 2 && !wasReady) {
        rejectReady(new BadRequest(`${name} cannot start with these settings`, { hint: 'its message is in the lines above' }))
        return
      }
      if (readyAt !== null && performance.now() - readyAt > steadyMs) fails = 0
      // Exit code 3: the database could not be reached, which says nothing about this program.
      const wait = code === 3 ? withoutDatabaseMs : (restartMs[Math.min(fails, restartMs.length - 1)] as number)
      if (code !== 3) fails += 1
      log('warn', `${name} ended (${signal ?? `exit ${code}`}); starting it again${wait < 1000 ? '' : ` in ${wait / 1000} s`}`)
      if (fails > 3) rejectReady(new BadRequest(`${name} does not start: it ended ${fails} times`, { hint: 'the lines above say why' }))
      setTimeout(() => {
        if (!stopping) start()
      }, wait)
    }
  }
  start()
  return {
    name,
    ready,
    async stop() {
      stopping = true
      const own = child
      if (!own || own.exitCode !== null || own.signalCode !== null) return
      const ended = new Promise<void>(resolve_ => own.once('exit', () => resolve_()))
      own.kill('SIGTERM')
      const hard = setTimeout(() => own.kill('SIGKILL'), 30_000)
      await ended
      clearTimeout(hard)
    },
  }
}

export async function start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } })
  if (values.help) {
    process.stdout.write('crossfile start [--json]\n\nStarts Postgres, worker and API on the data folder and keeps them running until Ctrl-C.\n')
    return 0
  }
  const config = loadConfig(env)
  const { mode } = config
  const log = createLog(config.logLevel, line => process.stderr.write(line))
  await claimFolder(config.dataFolder, mode)
  const stop = new AbortController()
  const stopped = new Promise<void>(resolve_ => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) return
        log('info', 'stopping: running jobs are given back, nothing is lost')
        stop.abort(new Error('stopping'))
        resolve_()
      })
    }
  })
  let runtime: Runtime
  try {
    runtime = await outlast(() => openRuntime(config, log, 'crossfile start', undefined, true), log, stop.signal)
  } catch (error) {
    if (stop.signal.aborted) return 130
    throw error
  }
  const children: Child[] = []
  let simulator: { origin: string; close(): Promise<void> } | null = null
  try {
    const key = await outlast(() => readyKey(runtime), log, stop.signal)
    const own = mode === 'bundled' && (await outlast(() => holdsOwnData(runtime), log, stop.signal))
    if (own) log('info', 'the data folder holds data of your own: the bundled universe is neither loaded into it nor served')
    if (mode === 'bundled' && !own) {
      const load = async (): Promise<void> => {
        await freezeDataClock(runtime.postgres.db, await universeClock())
        await loadBundled(runtime, log, stop.signal)
        await refreshModels(runtime, Date.now())
      }
      await outlast(load, log, stop.signal)
      const { startWorldServer } = await import('#fixtures/world/server.ts')
      simulator = await startWorldServer({ scale: 'small', port: 0 })
    }
    const childEnv: NodeJS.ProcessEnv = {
      ...env,
      CROSSFILE_DATA: config.dataFolder,
      ...(simulator ? { CROSSFILE_UPSTREAM_BASE: simulator.origin } : {}),
    }
    const worker = supervise('worker', 'pipelines/worker/main.ts', [], childEnv, log)
    const api = supervise('api', 'api/server.ts', [], childEnv, log)
    children.push(api, worker)
    const [{ address }] = await Promise.race([Promise.all([api.ready, worker.ready]), stopped.then(() => Promise.reject(stop.signal.reason))])
    if (values.json) process.stdout.write(`${JSON.stringify({ ready: true, api: address, key, data: config.dataFolder })}\n`)
    else {
      const clock = await outlast(() => findDataClock(runtime.postgres.db), log, stop.signal)
      const shown = shownKey(key, config, process.stdout.isTTY === true)
      process.stdout.write(welcome(String(address), shown, config, own ? 'live' : mode, clock))
    }
    await stopped
    return 0
  } catch (error) {
    if (stop.signal.aborted) return 130
    throw error
  } finally {
    for (const child of children) await child.stop()
    await simulator?.close()
    await runtime.close()
    log('info', 'stopped')
  }
}

function contactFault(config: Config): string | null {
  if (!config.contact) return null
  try {
    checkContact(config.contact)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type ShownKey = { readonly line: string; readonly inCommand: string }

/** The first key as the welcome shows it: in full on a terminal only, so that no log file or pipe holds it. */
export function shownKey(key: string, config: Pick<Config, 'dataFolder'>, terminal: boolean): ShownKey {
  const path = join(config.dataFolder, 'api-key')
  const tier = "tier prime, the highest: it is yours, the operator's; keys for others: crossfile keys create --tier"
  return terminal
    ? { line: `${key}   (kept in ${path}; ${tier})`, inCommand: key }
    : { line: `in the file ${path}   (not printed, because this output is not a terminal; ${tier})`, inCommand: `$(cat '${path}')` }
}

function welcome(api: string, key: ShownKey, config: Config, mode: Mode, clock: DataClock): string {
  const from = addDays(dataNow(clock, new Date()).toISOString().slice(0, 10), -21)
  const [eod, symbol] = mode === 'bundled' ? ['GLPR.TO', 'GLPR.TO'] : ['AAPL', 'AAPL']
  const fault = contactFault(config)
  const lines = [
    '',
    `Crossfile is ready at ${api}`,
    `  documentation   ${api}/api/v1/public/docs`,
    `  API key         ${key.line}`,
    `  warehouse       duckdb ${join(config.dataFolder, 'warehouse.duckdb')}`,
    '',
    'Try:',
    `  curl "${api}/api/v1/market/eod/${eod}?from=${from}"`,
    `  curl "${api}/api/v1/market/symbols/${symbol}"`,
    `  curl -H "Authorization: Bearer ${key.inCommand}" "${api}/api/v1/data/form4?ticker=${mode === 'bundled' ? 'BRLX' : 'AAPL'}"`,
    '',
    ...(mode === 'bundled'
      ? [
          ...[describeDataClock(clock)].filter(line => line !== null),
          'For live EDGAR filings, start with an address at which the SEC can reach you:',
          '  CROSSFILE_CONTACT="Your Name you@your-firm.com" npm start        (its data goes to ./data-live)',
        ]
      : fault
        ? [`Live, but the EDGAR jobs are off: ${fault}. Put your own address into CROSSFILE_CONTACT.`]
        : ['Live: jobs run on the real upstreams by jobs.yaml. `npm run -s crossfile -- jobs` shows which are on, and why others are not.']),
    'Stop with Ctrl-C.',
    '',
  ]
  return `${lines.join('\n')}\n`
}
