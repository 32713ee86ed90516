// One round of checks: whether the API and the database respond, the data is fresh, and the sources accept requests.
import { sql } from 'kysely'
import { Agent, request } from 'undici'
import type { JobDefinition } from '#schemas/jobs.ts'
import { models } from '#warehouse/models/model.ts'
import { pricesModel } from '#warehouse/models/prices/part.ts'
import type { Check } from '#warehouse/people/status/checks.ts'
import { findKnownDamage, modelComponent } from '#warehouse/people/status/damage.ts'
import { type DatasetStatus, readFreshness } from '#warehouse/people/status/freshness.ts'
import { findInstalledAt } from '#warehouse/people/status/installed-at.ts'
import { bucketAway, checkStorage } from '#warehouse/people/status/live.ts'
import { checkReproduction } from '#warehouse/people/status/reproductions.ts'
import { type StatusRules, statusRules } from '#warehouse/rulesets/status/rules.ts'
import { keysFolderOf } from '#warehouse/store/key-files.ts'
import type { Availability } from '#warehouse/store/lake/remote.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { deadLetterQueue } from '#warehouse/store/queue.ts'
import { rawComponent } from '#warehouse/store/raw/damage.ts'
import { countWaiting } from '#warehouse/store/receipts/countersign.ts'
import type { LogFolder } from '#warehouse/store/receipts/log/folder.ts'
import { readLogState } from '#warehouse/store/receipts/log/state.ts'
import { listWitnesses } from '#warehouse/store/receipts/log/witnesses.ts'
import { checkSigning } from '#warehouse/store/receipts/rotation.ts'
import { getUpstream } from '../../fetch/sources/index.ts'

export type ProbeTools = {
  readonly db: Db
  readonly dataFolder: string
  /** The jobs that run here. */
  readonly on: readonly JobDefinition[]
  readonly now: () => Date
  /** Milliseconds that only go forward. */
  readonly monotonic: () => number
  /** What is wrong with warehouse.duckdb and was not fixed yet; null if nothing is. */
  readonly analystFileFault?: () => string | null
  /** The bucket of the lake; null or omitted: the lake is on this disk. */
  readonly bucket?: Pick<Availability, 'probe'> | null
  /** The published files of the receipt log. */
  readonly receiptLog: LogFolder
}

const askMs = 5_000
/** The signal of a request ends no attempt to connect, which takes 10 s by default where nothing answers. */
const toApis = new Agent({ connect: { timeout: askMs } })
const good = (component: string, latency_ms: number | null = null): Check => ({ component, status: 'operational', latency_ms, detail: null })

/** All checks of a round; a failed check is a finding and does not throw. */
export async function probeAll(tools: ProbeTools, rules: StatusRules = statusRules): Promise<Check[]> {
  const { db, now, on } = tools
  const database = await probeDatabase(tools, rules)
  // What asks only the database does so in turn, on one connection: done at the same time, it opened seven each minute.
  const inDatabase = async () => ({
    worker: await probeQueue(db, rules),
    witnesses: await probeWitnesses(db),
    reproduction: await checkReproduction(db),
    freshness: await readFreshness(db, on, now()),
    sources: await probeSources(tools),
    damaged: await findKnownDamage(db),
    installedAt: await findInstalledAt(db),
    signing: await probeSigning(tools),
  })
  const [{ worker, signing, witnesses, reproduction, freshness, sources, damaged, installedAt }, api, storage, bucket] = await Promise.all([
    inDatabase(),
    probeApis(tools, rules),
    checkStorage(tools.dataFolder, rules),
    probeBucket(tools),
  ])
  /** A component that is operational unless a part of it is damaged. */
  const whole = (component: string): Check => {
    const detail = damaged.byComponent.get(component)
    return detail === undefined ? good(component) : { component, status: 'degraded', latency_ms: null, detail }
  }
  return [
    api,
    database,
    worker,
    storage,
    signing,
    ...witnesses,
    ...reproduction,
    whole(rawComponent),
    ...[...models.map(({ name }) => name), pricesModel].map(name => whole(modelComponent(name))),
    checkAnalystFile(tools.analystFileFault?.() ?? null),
    ...bucket,
    ...freshness
      .filter(each => each.rows > 0 || each.limit_minutes !== null)
      .map(each => {
        const found = whole(`dataset:${each.dataset}`)
        return found.status === 'operational' ? checkFreshness(each, now(), installedAt) : found
      }),
    ...sources,
  ]
}

async function probeDatabase({ db, monotonic }: ProbeTools, rules: StatusRules): Promise<Check> {
  const started = monotonic()
  await sql`select release from head`.execute(db)
  const latency = Math.round(monotonic() - started)
  return latency <= rules.slow_database_ms
    ? good('database', latency)
    : { component: 'database', status: 'degraded', latency_ms: latency, detail: `took ${latency} ms to answer` }
}

/** Whether this worker can sign. The page is public: the finding names the key but no file. */
async function probeSigning({ db, dataFolder, receiptLog, bucket = null }: ProbeTools): Promise<Check> {
  const { kid, fault } = await checkSigning(db, keysFolderOf(dataFolder))
  const degraded = (detail: string): Check => ({ component: 'signing', status: 'degraded', latency_ms: null, detail })
  if (fault)
    return degraded(
      kid === null ? 'no signing key is active: answers carry no receipt' : `the active key ${kid} cannot be used: answers carry no receipt`,
    )
  const waiting = await countWaiting(db)
  if (waiting > 0) return degraded(`${waiting} receipts of a revoked key wait for their second signature`)
  // A bucket that does not answer is its own component, and attempts to read it take longer than a round.
  if (bucket !== null && (await bucket.probe()) !== null) return good('signing')
  const log = await readLogState(db, receiptLog)
  return log.fault === null
    ? good('signing')
    : degraded('the receipt log cannot be continued safely: receipts are signed, and wait for their place in it')
}

/** The bucket of the lake, if it has one. The page is public: the finding does not name it. */
async function probeBucket({ bucket = null, monotonic }: ProbeTools): Promise<Check[]> {
  if (bucket === null) return []
  const started = monotonic()
  if ((await bucket.probe()) === null) return [good('bucket', Math.round(monotonic() - started))]
  return [bucketAway]
}

/** The witnesses of the receipt log, if there are any. The page is public: the finding names them without their addresses. */
async function probeWitnesses(db: Db): Promise<Check[]> {
  const witnesses = await listWitnesses(db)
  if (witnesses.length === 0) return []
  const silent = witnesses.filter(({ state }) => state !== 'ok' && state !== 'waiting')
  if (silent.length === 0) return [good('witnesses')]
  const words = silent.map(({ name, state }) => `${name} (${state})`).join(', ')
  return [
    {
      component: 'witnesses',
      status: 'degraded',
      latency_ms: null,
      detail: `${silent.length} of ${witnesses.length} do not cosign the receipt log: ${words}`,
    },
  ]
}

/** The analysts' file. Requests to the API do not need it. */
const checkAnalystFile = (fault: string | null): Check =>
  fault === null ? good('warehouse.duckdb') : { component: 'warehouse.duckdb', status: 'degraded', latency_ms: null, detail: fault }

/** Checks every API process that holds a lease, at the address that it registered. */
async function probeApis({ db, monotonic }: ProbeTools, rules: StatusRules): Promise<Check> {
  const { rows } = await sql<{ address: string }>`
    select distinct address from reader_lease where address is not null and expires_at > clock_timestamp() order by address`.execute(db)
  if (rows.length === 0) return { component: 'api', status: 'down', latency_ms: null, detail: 'no API process is known to run' }
  const answers = await Promise.all(
    rows.map(async ({ address }) => {
      const started = monotonic()
      const found = await answersAt(address)
      return { found, latency: Math.round(monotonic() - started) }
    }),
  )
  const latency_ms = Math.max(...answers.map(each => each.latency))
  const failed = answers.filter(each => each.found === 'failed').length
  if (failed === answers.length) return { component: 'api', status: 'down', latency_ms, detail: `${failed} of ${failed} processes did not answer` }
  if (failed > 0) return { component: 'api', status: 'degraded', latency_ms, detail: `${failed} of ${answers.length} processes did not answer` }
  if (answers.some(each => each.found === 'loading'))
    return { component: 'api', status: 'loading', latency_ms, detail: 'answers; nothing was released yet' }
  if (latency_ms > rules.slow_api_ms) return { component: 'api', status: 'degraded', latency_ms, detail: `took ${latency_ms} ms to answer` }
  return good('api', latency_ms)
}

/** A process of this service, at the address that it wrote into the database: not an upstream, so the HTTP client for upstreams is not used. */
async function answersAt(address: string): Promise<'ok' | 'loading' | 'failed'> {
  try {
    // A new connection, closed after the answer: that new clients are accepted belongs to the check.
    const { statusCode, body } = await request(`${address}/health/ready`, { dispatcher: toApis, signal: AbortSignal.timeout(askMs), reset: true })
    const text = await body.text()
    if (statusCode === 200) return 'ok'
    return text.includes('"detail":"not ready: release failed"') ? 'loading' : 'failed'
  } catch {
    return 'failed' // refused, reset or too late: each is a finding
  }
}

/** This worker is alive; the oldest ready job shows whether the workers keep up. */
async function probeQueue(db: Db, rules: StatusRules): Promise<Check> {
  const { rows } = await sql<{ waiting: number; oldest_minutes: number | null }>`
    select count(*)::int as waiting, floor(extract(epoch from now() - min(start_after)) / 60)::int as oldest_minutes
    from pgboss.job where name <> ${deadLetterQueue} and state in ('created', 'retry') and start_after <= now()`.execute(db)
  const { waiting = 0, oldest_minutes = null } = rows[0] ?? {}
  if (oldest_minutes === null || oldest_minutes < rules.waiting_minutes) return good('worker')
  return { component: 'worker', status: 'degraded', latency_ms: null, detail: `${waiting} jobs wait, the oldest for ${oldest_minutes} minutes` }
}

/** A dataset against its own target (the strictest freshness_minutes of the scheduled jobs that feed it). */
export function checkFreshness({ dataset, state, loaded_at, limit_minutes }: DatasetStatus, now: Date, installedAt: string | null = null): Check {
  const component = `dataset:${dataset}`
  if (state === 'ok') return good(component)
  if (state === 'no_limit') return { component, status: 'unscheduled', latency_ms: null, detail: 'nothing that is switched on loads it by schedule' }
  const young = installedAt !== null && now.getTime() - Date.parse(installedAt) <= (limit_minutes ?? 0) * 60_000
  if (state === 'never' && young)
    return {
      component,
      status: 'loading',
      latency_ms: null,
      detail: `nothing was loaded yet; the target is ${limit_minutes} minutes after the installation`,
    }
  const target = `the target is ${limit_minutes} minutes`
  const detail =
    state === 'never' || loaded_at === null
      ? `nothing was loaded yet; ${target}`
      : `last loaded ${Math.round((now.getTime() - Date.parse(loaded_at)) / 60_000)} minutes ago; ${target}`
  return { component, status: 'degraded', latency_ms: null, detail }
}

/** The sources of enabled jobs: whether one stopped our requests, or does not respond. */
async function probeSources({ db, on, now }: ProbeTools): Promise<Check[]> {
  const wanted = [...new Set(on.map(job => job.source))].filter(name => name !== 'crossfile' && name !== 'csv').sort()
  if (wanted.length === 0) return []
  const { rows } = await sql<{ name: string; stopped_until: string | null; stop_reason: string | null; opened_at: string | null }>`
    select name, stopped_until, stop_reason, opened_at from upstream_limit`.execute(db)
  const at = now().getTime()
  return wanted.map(name => {
    const component = `source:${name}`
    const { group } = getUpstream(name).limits
    // A simulator has its own row, `<group> at <address>`.
    const limit = rows.find(row => row.name === group || row.name.startsWith(`${group} at `))
    const stopped = limit?.stopped_until ?? null
    if (stopped !== null && stopped !== 'infinity' && Date.parse(stopped) > at)
      return {
        component,
        status: 'degraded',
        latency_ms: null,
        detail: `no requests until ${stopped}: ${limit?.stop_reason ?? 'the source requested a pause'}`,
      }
    if (limit?.opened_at) return { component, status: 'down', latency_ms: null, detail: `does not answer since ${limit.opened_at}` }
    return good(component)
  })
}
