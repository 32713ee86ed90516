// `npm start`: checks everything, starts Postgres, worker and API, loads the bundled universe if there is no data, and prints example
// requests. This process only supervises: children do the work that needs memory. A child that dies is restarted, Ctrl-C stops everything,
// and a second start continues with the existing data.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '#schemas/config.ts'
import { addDays, utcDay } from '#schemas/days.ts'
import { BadRequest, Broken, Upstream } from '#schemas/errors.ts'
import { type DataClock, dataNow, describeDataClock } from '#warehouse/store/data-clock.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#warehouse/store/embedded-postgres.ts'
import type { Release } from '#warehouse/store/held-start.ts'
import { collectOnceStarted } from '#warehouse/store/idle-memory.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'
import { checkContact } from '../fetch/sources/upstream.ts'
import { simulatorProgram } from './compiled.mjs'
import { type FirstKey, firstKeyFile } from './first-key.ts'
import { outlast } from './outlast.ts'
import type { Prepared } from './prepare-database.ts'
import { isRemembered } from './remembered-file.ts'
import { quoted, shellWord } from './shell.ts'
import { type Child, type Message, type Program, supervise } from './start-children.ts'

type Mode = Config['mode']

/** The error of the program that prepares the start, as if it had been thrown here. */
function errorOf({ message, hint, code, stack }: Extract<Prepared, { stage: 'failed' }>): Error {
  const details = hint === null ? {} : { hint }
  if (code === 2) return new BadRequest(message, details)
  if (code === 3) return new Upstream(message, details)
  if (stack === null) return new Broken(message, details)
  return Object.assign(new Error(message), { stack })
}

type Preparing = {
  readonly child: Child
  readonly migrated: Promise<Extract<Prepared, { stage: 'migrated' }>>
  readonly loaded: Promise<Extract<Prepared, { stage: 'loaded' }>>
}

/** Runs start-prepare.ts, which ends when everything is loaded. It waits for `onChecked` before it opens the database. */
function prepare(env: NodeJS.ProcessEnv, onChecked: () => Promise<void>, log: Log): Preparing {
  const migrated = Promise.withResolvers<Extract<Prepared, { stage: 'migrated' }>>()
  const loaded = Promise.withResolvers<Extract<Prepared, { stage: 'loaded' }>>()
  const fail = (error: unknown): void => {
    migrated.reject(error)
    loaded.reject(error)
  }
  for (const { promise } of [migrated, loaded]) promise.catch(() => undefined)
  let checked = false
  const onMessage = (received: Message): void => {
    const message = received as Prepared
    if (message.stage === 'checked') {
      checked = true
      onChecked().then(() => child.send({ open: true }), fail)
    }
    if (message.stage === 'migrated') migrated.resolve(message)
    if (message.stage === 'loaded') loaded.resolve(message)
    if (message.stage === 'failed') fail(errorOf(message))
  }
  // After the first check, the ports may be in use by this service: the argument is start-prepare.ts's `checkedBefore`.
  const args = (): string[] => (checked ? ['checked'] : [])
  const child = supervise({ name: 'preparation', file: 'pipelines/cli/start-prepare.ts', args, env, onMessage, ends: true }, log)
  child.ready.catch(fail)
  return { child, migrated: migrated.promise, loaded: loaded.promise }
}

/** The simulator of the upstreams, which keeps its port when it is restarted. */
function startSimulator(env: NodeJS.ProcessEnv, log: Log): { readonly child: Child; readonly origin: Promise<string> } {
  let port = '0'
  const onMessage = (message: Message): void => {
    port = new URL(String(message['origin'])).port
  }
  const child = supervise({ name: 'simulator', file: simulatorProgram, args: () => [port], env, onMessage }, log)
  const origin = child.ready.then(message => String(message['origin']))
  origin.catch(() => undefined)
  return { child, origin }
}

type Held = { readonly child: Child; release(environment: Release['environment']): void }

/** A program whose modules are loaded now, and that begins when it is released. */
function hold(program: Pick<Program, 'name' | 'file' | 'env'>, log: Log): Held {
  const { promise: heldFor, resolve: release } = Promise.withResolvers<Release['environment']>()
  return { child: supervise({ ...program, heldFor }, log), release }
}

/** API and worker, each started by its first call. */
function createPrograms(env: NodeJS.ProcessEnv, log: Log, supervised: (child: Child) => Child) {
  // The worker calls the model: the API needs its settings, but not its key.
  const { CROSSFILE_MODEL_KEY: _key, ...apiEnv } = env
  const lazily = (program: Pick<Program, 'name' | 'file' | 'env'>): (() => Held) => {
    let held: Held | null = null
    return () => {
      if (held === null) {
        held = hold(program, log)
        supervised(held.child)
      }
      return held
    }
  }
  return {
    api: lazily({ name: 'api', file: 'api/server.ts', env: apiEnv }),
    worker: lazily({ name: 'worker', file: 'pipelines/jobs/worker/main.ts', env }),
  }
}

/** Aborts `stop` and resolves `stopped` at the first signal. */
function stopOnSignal(log: Log): { readonly stop: AbortController; readonly stopped: Promise<void> } {
  const stop = new AbortController()
  const stopped = new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (stop.signal.aborted) return
        log('info', 'stopping: running jobs are given back, nothing is lost')
        stop.abort(new Error('stopping'))
        resolve()
      })
    }
  })
  return { stop, stopped }
}

export async function start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } })
  const config = loadConfig(env)
  const { mode } = config
  const log = createLog(config.logLevel, line => process.stderr.write(line), undefined, config.logFormat)
  const { stop, stopped } = stopOnSignal(log)
  const unlessStopped = <T>(work: Promise<T>): Promise<T> => Promise.race([work, stopped.then(() => Promise.reject(stop.signal.reason))])
  const children: Child[] = []
  let simulator: ReturnType<typeof startSimulator> | null = null
  let embedded: Promise<EmbeddedPostgres | null> | null = null
  const openPostgres = async (): Promise<EmbeddedPostgres | null> => {
    if (config.databaseUrl) return null
    const options = { dataDir: join(config.dataFolder, 'postgres'), keep: true, log: (line: string) => log('info', `postgres: ${line}`) }
    return await outlast(() => startEmbeddedPostgres(options), config, log, stop.signal)
  }
  // Assigned in a callback, which the compiler does not see.
  const simulatorOf = () => simulator as ReturnType<typeof startSimulator> | null
  const supervised = (child: Child): Child => {
    children.push(child)
    return child
  }
  try {
    const ownEnv: NodeJS.ProcessEnv = { ...env, CROSSFILE_DATA: config.dataFolder }
    const open = async (): Promise<void> => {
      stop.signal.throwIfAborted()
      if (mode === 'bundled') simulator ??= startSimulator(ownEnv, log)
      embedded ??= openPostgres()
      await embedded
      // A first start has both cores busy until here: with the cluster, the package of the universe and the modules that load it.
      stop.signal.throwIfAborted()
      programs.api()
    }
    const programs = createPrograms(ownEnv, log, supervised)
    const preparing = prepare(ownEnv, open, log)
    supervised(preparing.child)
    const loadsUniverse = mode === 'bundled' && !isRemembered(config.dataFolder)
    if (!loadsUniverse) programs.api()
    const { key, own } = await unlessStopped(preparing.migrated)
    // While the universe is loaded for the first time, one core is free.
    if (loadsUniverse) programs.worker()
    if (own) {
      log('info', 'the data folder holds data of your own: the bundled universe is neither loaded into it nor served')
      await simulatorOf()?.child.stop()
    }
    const origin = own ? undefined : await unlessStopped(simulatorOf()?.origin ?? Promise.resolve(undefined))
    const environment: Release['environment'] = origin === undefined ? {} : { CROSSFILE_UPSTREAM_BASE: origin }
    const api = programs.api()
    api.release(environment)
    const { clock } = await unlessStopped(preparing.loaded)
    if (loadsUniverse) programs.worker().release(environment)
    const { address } = await unlessStopped(api.child.ready)
    // Where nothing has to be loaded, the API answers a second before the worker has loaded its modules, so it has both cores first.
    const worker = programs.worker()
    worker.release(environment)
    if (loadsUniverse) await unlessStopped(worker.child.ready)
    printReady({ api: String(address), key, mode: own ? 'live' : mode, clock }, config, values.json)
    collectOnceStarted()
    // A worker that cannot start with these settings ends the start, with its reason.
    await Promise.race([stopped, worker.child.ready.then(() => stopped)])
    return 0
  } catch (error) {
    if (stop.signal.aborted) return 130
    throw error
  } finally {
    for (const child of children) await child.stop()
    // Last, because a job of the worker may be in the middle of a request.
    await simulatorOf()?.child.stop()
    const server = await (embedded as Promise<EmbeddedPostgres | null> | null)?.catch(() => null)
    await server?.stop()
    log('info', 'stopped')
  }
}

type Ready = { readonly api: string; readonly key: FirstKey; readonly mode: Mode; readonly clock: DataClock }

/** Reports that the API answers: one line of JSON, or a text for a person. */
function printReady({ api, key, mode, clock }: Ready, config: Config, asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify({ ready: true, api, key: key.text, data: config.dataFolder })}\n`)
  else process.stdout.write(welcome(api, shownKey(key, config, process.stdout.isTTY === true), config, mode, clock))
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

/** The first key as the welcome shows it: complete on a terminal only, so that no log file or pipe contains it. */
export function shownKey(key: FirstKey, config: Pick<Config, 'dataFolder'>, terminal: boolean): ShownKey {
  const path = firstKeyFile(config.dataFolder)
  if (key.text === null) {
    const known = `${key.keyId}, which ends in ${key.last4}; ${path} lacks its text`
    const remedy = `copy the file from the host that has it, or run crossfile keys revoke ${key.keyId} and start again for another key`
    return { line: `${known}: ${remedy}`, inCommand: 'YOUR-KEY' }
  }
  const tier = "tier prime, the highest: it is yours, the operator's; keys for others: crossfile keys create --tier"
  return terminal
    ? { line: `${key.text}   (kept in ${path}; ${tier})`, inCommand: key.text }
    : { line: `in the file ${path}   (not printed, because this output is not a terminal; ${tier})`, inCommand: `$(cat ${quoted(path)})` }
}

function welcome(api: string, key: ShownKey, config: Config, mode: Mode, clock: DataClock): string {
  const from = addDays(utcDay(dataNow(clock, new Date())), -21)
  const [eod, symbol] = mode === 'bundled' ? ['GLPR.TO', 'GLPR.TO'] : ['AAPL', 'AAPL']
  const fault = contactFault(config)
  const lines = [
    '',
    `Crossfile is ready at ${api}`,
    `  documentation   ${api}/api/v1/public/docs`,
    `  API key         ${key.line}`,
    `  warehouse       duckdb -readonly ${shellWord(join(config.dataFolder, 'warehouse.duckdb'))}`,
    ...(mode === 'bundled' ? [`  example PDF     ${join(config.inboxFolder, 'kettle-creek-drill-release.pdf')} (docs/documents.md)`] : []),
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
