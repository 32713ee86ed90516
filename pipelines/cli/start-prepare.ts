// The part of `crossfile start` that needs much memory for a short time: checks, migrations, the first key, and the bundled universe if it
// is not loaded yet. It is a separate process, so that its memory is released when it ends and the supervisor stays small. DuckDB and the
// readers (load-universe.ts) are loaded only if there is something to load, and what needs the database (prepare-database.ts) while Postgres starts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, loadConfig } from '#schemas/config.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import { createLog, type Log } from '#warehouse/store/log.ts'
import { explainFullDisk } from '#warehouse/store/start-check/full-disk.ts'
import { type BundledPackage, readBundledPackage } from './bundled-package.ts'
import { claimFolder } from './claim-folder.ts'
import type { Packaged, Prepared } from './prepare-database.ts'
import type { ReadAhead } from './read-ahead.ts'

/** The argument of a start after a crash: the settings were checked before, and the ports may be in use by this service. */
const checkedBefore = 'checked'

/** Reads the documents of the package until `until` settles. Null if it could not be written: who needs it writes it again, or reports why. */
async function readAheadOf(written: Promise<BundledPackage>, until: Promise<void>, stop: AbortSignal): Promise<ReadAhead | null> {
  const universe = await written.catch(() => null)
  if (universe === null) return null
  const { readAhead } = await import('./read-ahead.ts')
  return readAhead(universe.documents, until, stop)
}

/** `isNew`: the package will be needed, so it is written from now on. */
function packageOf(isNew: boolean, stop: AbortSignal): Packaged {
  const abandoned = new AbortController()
  let written: Promise<BundledPackage> | null = null
  const get = (): Promise<BundledPackage> => {
    if (written === null) {
      const mine = readBundledPackage(AbortSignal.any([stop, abandoned.signal]))
      written = mine
      mine.catch(() => {
        written = null
      })
    }
    return written
  }
  if (isNew) get().catch(() => undefined)
  return {
    get,
    async abandon() {
      abandoned.abort()
      await written?.catch(() => undefined)
    },
  }
}

const sendToParent = (message: Prepared): Promise<void> =>
  new Promise(resolve => {
    if (process.send) process.send(message, () => resolve())
    else resolve()
  })

async function prepare(config: Config, log: Log, stop: AbortSignal): Promise<void> {
  const isNew = config.mode === 'bundled' && !existsSync(join(config.dataFolder, 'mode'))
  const packaged = packageOf(isNew, stop)
  try {
    if (process.argv[2] !== checkedBefore) {
      // Loaded while the package is written: the checks know every plan and source.
      const { checkStart } = await import('../jobs/start-check.ts')
      await checkStart(config)
      await claimFolder(config)
    }
    // A signal that was aborted meanwhile fires no event.
    stop.throwIfAborted()
    const answered = new Promise<void>((resolve, reject) => {
      process.once('message', () => resolve())
      stop.addEventListener('abort', () => reject(stop.reason), { once: true })
    })
    answered.catch(() => undefined)
    await sendToParent({ stage: 'checked' })
    // While Postgres starts; an error comes again where the module is used.
    const loading = import('./prepare-database.ts').then(({ prepareDatabase }) => prepareDatabase)
    loading.catch(() => undefined)
    if (isNew) import('./load-universe.ts').catch(() => undefined)
    const ahead = isNew ? readAheadOf(packaged.get(), answered, stop) : null
    // An error comes again where the readings are used.
    ahead?.catch(() => undefined)
    await answered
    await (await loading)({ config, packaged, ahead, log, stop, send: sendToParent })
  } finally {
    await packaged.abandon()
  }
}

/** The exit code of a program that was asked to stop before its work was done: the supervisor starts it again unless it stops itself. */
const stoppedCode = 130

const stop = new AbortController()
let code = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(signal as 'SIGINT', () => stop.abort(new Error('stopping')))
try {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel, line => process.stderr.write(line), undefined, config.logFormat)
  await prepare(config, log, stop.signal).catch(async (error: unknown) => {
    throw stop.signal.aborted ? error : await explainFullDisk(error, config)
  })
} catch (error) {
  if (stop.signal.aborted) code = stoppedCode
  else {
    const known = error instanceof CrossfileError
    await sendToParent({
      stage: 'failed',
      message: error instanceof Error ? error.message || error.name : String(error),
      hint: (known ? error.hint : null) ?? null,
      code: exitCodeOf(error),
      stack: known || !(error instanceof Error) ? null : (error.stack ?? null),
    })
  }
}
process.exit(code)
