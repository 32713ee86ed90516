// The API program. It answers from the newest release of the warehouse, and neither downloads data nor signs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Config, loadConfig } from '#schemas/config.ts'
import { BadRequest, CrossfileError, Upstream } from '#schemas/errors.ts'
import type { Plans } from '#schemas/plans.ts'
import { sharedBudget } from '#warehouse/people/accounts/budget.ts'
import { keyStore } from '#warehouse/people/accounts/keys.ts'
import { sealKeyName } from '#warehouse/people/admin/secret-key.ts'
import { formTokenOf } from '#warehouse/people/users/form-token.ts'
import { pepperName } from '#warehouse/people/users/passwords.ts'
import { findSession } from '#warehouse/people/users/sessions.ts'
import { plans } from '#warehouse/rulesets/plans/plans.ts'
import { asUpstream } from '#warehouse/store/connection-errors.ts'
import { startEmbeddedPostgres } from '#warehouse/store/embedded-postgres.ts'
import { exitCodeOf } from '#warehouse/store/exit-code.ts'
import { untilReleased } from '#warehouse/store/held-start.ts'
import { collectWhenDoubled, collectWhenIdle } from '#warehouse/store/idle-memory.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import { checkKeyFiles } from '#warehouse/store/key-fingerprints.ts'
import { checkRemote } from '#warehouse/store/lake/open-remote.ts'
import { createLog } from '#warehouse/store/log.ts'
import { type Address, connect, type Postgres } from '#warehouse/store/postgres.ts'
import { defineRequestQueues, openQueue } from '#warehouse/store/queue.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { checkApiStart } from '#warehouse/store/start-check/start-check.ts'
import { agentHandlers } from './agents/agents.ts'
import { answerTags, codeName } from './answer-tags.ts'
import { buildApp } from './app.ts'
import { type AssistantTools, openAssistant } from './assistant/assistant.ts'
import { complianceHandlers } from './compliance/compliance.ts'
import { bulkHandlers } from './data/bulk.ts'
import { allDocumentHandlers } from './data/filing-document.ts'
import { issuerRefresh, type RefreshSettings } from './data/issuer-refresh.ts'
import { healthParts, watchBucket } from './health-parts.ts'
import { lakeHandlers } from './lake-handlers.ts'
import { sharedLog } from './log-lines.ts'
import { createGauges } from './metrics/gauges.ts'
import { listenMetrics } from './metrics/listen.ts'
import { createMetrics } from './metrics/metrics.ts'
import { isEveryInterface, reachableAddress } from './reachable-address.ts'
import { receiptHandlers } from './receipts/receipts.ts'
import { openServing, type Serving } from './serving.ts'
import { statusHandlers } from './status/status.ts'
import { countViews, updateHandlers } from './updates/updates.ts'
import { userHandlers } from './user-handlers.ts'

export const version = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

const toStderr = (line: string): void => void process.stderr.write(line)

export type Server = {
  readonly app: FastifyInstance
  readonly address: string
  /** The address of GET /metrics; null: none. */
  readonly metricsAddress: string | null
  close(): Promise<void>
}

/** As `openServing`. Throws `BadRequest` if the folder of keys is not the one of the database. */
async function openChecked(...[config, db, url, log]: Parameters<typeof openServing>): Promise<Serving> {
  await checkKeyFiles(db, keysFolderOf(config.dataFolder), [pepperName, sealKeyName], { makes: false }).catch((error: unknown) => {
    // Files that this process may not read are reported by the requests that need them.
    if (error instanceof BadRequest || asUpstream(error) instanceof Upstream) throw error
    log(`the folder of keys was not checked: ${error instanceof Error ? error.message : String(error)}`)
  })
  return await openServing(config, db, url, log)
}

/** A pool for requests: no statement or transaction of a request may last. */
function openPool(url: Address, log: (message: string) => void): Postgres {
  return connect(url, {
    max: 8,
    kept: 2,
    applicationName: 'crossfile api',
    statementTimeout: 5_000,
    idleInTransactionTimeout: 10_000,
    onLost: error => log(`database connection lost: ${error.message}`),
  })
}

/**
 * Starts listening; the database must be migrated. `address` is `http://127.0.0.1:…`; `limits` are those of the installation's plans;
 * `parts` replace the answerer, the times of questions and the wait for an issuer, and `code` the name of the code that makes the answers, for
 * tests.
 */
export async function startServer(
  config: Config,
  limits: Plans = plans,
  parts: Pick<AssistantTools, 'answer' | 'times'> & { readonly refresh?: RefreshSettings } = {},
  code: string | null = codeName(process.argv[1]),
): Promise<Server> {
  const write = createLog(config.logLevel, toStderr, undefined, config.logFormat)
  const log = (message: string): void => write('warn', `api: ${message}`)
  const embedded = config.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        dataDir: join(config.dataFolder, 'postgres'),
        log: line => write('info', `api: postgres: ${line}`),
        // A supervisor does this for its children.
        keep: process.send === undefined,
      })
  const url = (): string => config.databaseUrl?.reveal() ?? embedded?.url ?? ''
  const postgres = openPool(url, log)
  if (!config.cookies.secure)
    log('CROSSFILE_PLAIN_HTTP is on: sessions and passwords cross the network readable to everybody on it; use it on a trusted network only')
  const serving = await openChecked(config, postgres.db, url, log)
  const stopWatching = watchBucket(serving, log)
  const clock = await openSharedClock(postgres.db)
  const queue = await openQueue(postgres.db, false, log)
  await defineRequestQueues(queue)
  let address = ''
  const views = countViews(postgres.db, log)
  const metrics = config.metricsPort === null ? null : createMetrics()
  const headOf = () => {
    const { release, committed_at } = serving.head()
    return { release: release === 0 ? null : release, as_of: committed_at }
  }
  const userTools = { db: postgres.db, queue, serving, config, baseUrl: () => config.publicUrl ?? address, warn: log }
  const assistant = openAssistant({ ...userTools, ...parts })
  const tags = answerTags(serving.catalogue, code)
  const app = await buildApp({
    ...(metrics ? { observe: metrics.observe } : {}),
    version,
    baseUrl: () => config.publicUrl ?? address,
    now: clock.now,
    dataClock: serving.dataClock,
    keys: keyStore(postgres.db),
    sessions: { find: (text, now) => findSession(postgres.db, text, now) },
    formTokens: session => formTokenOf(postgres.db, session),
    cookies: config.cookies,
    limits: { plans: limits, store: sharedBudget(postgres.db) },
    head: headOf,
    heldTag: tags.heldTag,
    damaged: () => [...serving.damage().keys()],
    onSigningKeys: serving.onSigningKeys,
    handlers: {
      ...lakeHandlers(serving, queue, config.contact || config.upstreamBase ? issuerRefresh(serving, queue, parts.refresh) : null, tags.tagOf),
      ...bulkHandlers(serving),
      ...receiptHandlers(serving, queue),
      ...statusHandlers(serving),
      ...complianceHandlers(serving),
      ...agentHandlers({ version, baseUrl: () => config.publicUrl ?? address, warn: log }),
      ...allDocumentHandlers(userTools),
      ...updateHandlers({ db: postgres.db, views, baseUrl: () => config.publicUrl ?? address }),
      ...userHandlers(userTools),
      ...assistant.handlers,
    },
    probes: {
      postgres: async () => void (await postgres.pool.query('select 1')),
      release: async () => {
        if (serving.head().release === 0) throw new Error('nothing was released yet')
      },
    },
    parts: healthParts(postgres, serving, config, clock.now),
    options: {
      trustedProxies: config.trustedProxies,
      logLevel: config.logLevel === 'silent' ? false : config.logLevel === 'info' ? 'warn' : config.logLevel,
      logStream: sharedLog(toStderr, config.logFormat),
    },
  })
  try {
    address = await app.listen({ host: config.host, port: config.port })
    await serving.servesAt(await reachableAddress(address, config.host, url()))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
    throw new BadRequest(`port ${config.port} of ${config.host} is in use by another program`, {
      cause,
      hint: 'set PORT to a free port, or PORT=0 to take any free one',
    })
  }
  const gauges = metrics === null ? null : createGauges(postgres.db, headOf, clock.now)
  const scraped =
    metrics === null || gauges === null
      ? null
      : await listenMetrics(config.metricsHost, config.metricsPort ?? 0, async () => metrics.render(await gauges.read()))
  return {
    app,
    address,
    metricsAddress: scraped?.address ?? null,
    async close() {
      await scraped?.close()
      gauges?.close()
      await assistant.close()
      await app.close()
      await views.close()
      await queue.close()
      clock.close()
      stopWatching()
      await serving.close()
      await postgres.close()
      await embedded?.stop()
    },
  }
}

async function main(): Promise<void> {
  collectWhenDoubled()
  await untilReleased()
  const config = loadConfig(process.env)
  await checkApiStart(config, checkRemote(config, false))
  const server = await startServer(config)
  const log = createLog(config.logLevel, toStderr, undefined, config.logFormat)
  const others = isEveryInterface(config.host) ? ', and at every other address of this machine' : ''
  log('info', `api: listening on ${server.address}${others}`)
  if (server.metricsAddress) log('info', `api: metrics on ${server.metricsAddress}/metrics`)
  collectWhenIdle()
  if (process.send) process.send({ ready: true, address: server.address })
  await new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.once(signal as 'SIGINT', () => resolve())
  })
  await server.close()
  // The message channel to the supervisor would keep the process alive.
  if (process.connected) process.disconnect?.()
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    const known = error instanceof CrossfileError
    process.stderr.write(`crossfile api: ${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    if (known && error.hint) process.stderr.write(`  ${error.hint}\n`)
    process.exit(exitCodeOf(error))
  })
}
