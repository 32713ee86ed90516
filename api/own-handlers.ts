// Operations that the API answers without the lake: health, plans, catalogue, and the descriptions of the service.
import { createHash } from 'node:crypto'
import { Unauthorized, Upstream } from '#schemas/errors.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { madeOnce } from '#schemas/once.ts'
import type { Operation } from '#schemas/operations.ts'
import { LimitClass, type Plans } from '#schemas/plans.ts'
import { type Answered, type Context, type Dependencies, type Handlers, type OwnOperation, PartFailed, type Probe } from './handler.ts'
import { formatsOf } from './plugins/formats.ts'
import { buildOpenapi } from './plugins/openapi.ts'
import { parameterNames } from './question.ts'

const limitClasses: readonly LimitClass[] = LimitClass.options
/** Checks of /health that need the database: while it is unavailable they are omitted, and only `postgres` fails. */
const askDatabase: ReadonlySet<string> = new Set(['signing'])

export function ownHandlers(dependencies: Dependencies, table: readonly Operation[]): Pick<Handlers, Exclude<OwnOperation, 'get_docs'>> {
  const { head, now, version, probes, baseUrl } = dependencies
  const { plans } = dependencies.limits
  const started = now().getTime()
  const parts = rememberedFor(healthMs, () => runProbes(dependencies.parts ?? {}))
  const health = async (): Promise<Answered> => {
    const failures = (await parts()).filter(each => each.status === 'failed')
    const away = failures.some(each => each.name === 'postgres')
    const failed = failures.filter(each => !away || !askDatabase.has(each.name))
    const { release, as_of } = head()
    const uptime_seconds = Math.max(0, Math.floor((now().getTime() - started) / 1000))
    const damaged = (dependencies.damaged?.() ?? []).length > 0
    const state = { status: failed.length === 0 && !damaged ? 'ok' : 'degraded', ...(failed.length === 0 ? {} : { checks: failed }) }
    return json({ ...state, service: 'crossfile', version, release, as_of, uptime_seconds }, release)
  }
  const ourselves = (name: string) => ({ ...head(), sources: [{ name, accession: null, url: null, retrieved_at: null, sha256: null }] })
  // Descriptions contain the base URL, which is known only when the server listens, so they are built on first use.
  const openapi = madeOnce(() => Buffer.from(JSON.stringify(buildOpenapi(table, { baseUrl: baseUrl(), curated: false }))))
  const yaml = madeOnce(async () => (await import('yaml')).stringify(JSON.parse(openapi().toString('utf8')), { aliasDuplicateObjects: false }))
  const curated = madeOnce(() => Buffer.from(JSON.stringify(buildOpenapi(table, { baseUrl: baseUrl(), curated: true }))))

  return {
    get_health: health,
    get_healthz: health,
    get_readiness: async () => {
      const checks = await runProbes(probes)
      const failed = checks.filter(each => each.status === 'failed').map(each => each.name)
      if (failed.length > 0) {
        throw new Upstream(`not ready: ${failed.join(', ')} failed`, { retryAfterSeconds: 2, hint: 'send requests elsewhere until this answers 200' })
      }
      return json({ ready: true, checks, as_of: now().toISOString() }, head().release)
    },
    ping: () => ({ kind: 'text', body: 'pong', media_type: 'text/plain; charset=utf-8' }),
    list_plans: () => json({ ...plansAnswer(plans, table), ...ourselves(plans.ruleset) }, head().release),
    get_catalog: () => json({ ...catalogue(table), ...ourselves(`Crossfile ${version}`) }, head().release),
    get_data_health: (_question, context) => json({ ...keyHealth(plans, context), ...ourselves(`Crossfile ${version}`) }, head().release),
    get_openapi_json: () => ({ kind: 'text', body: openapi(), media_type: 'application/json; charset=utf-8' }),
    get_openapi_yaml: async () => ({ kind: 'text', body: await yaml(), media_type: 'application/yaml; charset=utf-8' }),
    get_public_openapi: () => ({ kind: 'text', body: curated(), media_type: 'application/json; charset=utf-8' }),
  }
}

function json(value: object, release: number | null): Answered {
  const body = Buffer.from(JSON.stringify(value))
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { kind: 'bytes', body, etag, release, last_modified: null, receipt_id: null, immutable: false }
}

/** How long a result of /health's checks is reused: it is public, and each check may need a statement. */
const healthMs = 1_000

type Checked = { name: string; status: 'ok' | 'failed'; latency_ms: number; detail: string | null }

const runProbes = (probes: Readonly<Record<string, Probe>>): Promise<Checked[]> =>
  Promise.all(Object.entries(probes).map(([name, probe]) => check(name, probe)))

/** The result of `make`, shared by all callers while it is built and for `ms` after. */
function rememberedFor<T>(ms: number, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly value: Promise<T>; endsAt: number } | null = null
  return () => {
    if (made !== null && performance.now() < made.endsAt) return made.value
    const mine = { value: make(), endsAt: Number.POSITIVE_INFINITY }
    made = mine
    const ended = (): void => {
      mine.endsAt = performance.now() + ms
    }
    mine.value.then(ended, ended)
    return mine.value
  }
}

async function check(name: string, probe: Probe): Promise<Checked> {
  const started = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within a second')), 1000)
  })
  try {
    await Promise.race([probe(), late])
    return { name, status: 'ok', latency_ms: Math.round(performance.now() - started), detail: null }
  } catch (error) {
    // The log contains the details of a failure; the public answer contains the name of the check, and a reason that was written for it.
    const detail = error instanceof PartFailed ? error.message : null
    return { name, status: 'failed', latency_ms: Math.round(performance.now() - started), detail }
  } finally {
    clearTimeout(timer)
  }
}

function plansAnswer(plans: Plans, table: readonly Operation[]): object {
  const listed = plans.plans.map(({ rates, ...plan }) => ({
    ...plan,
    limits: limitClasses.map(limit_class => ({ limit_class, ...rates[limit_class] })),
  }))
  const costs = table
    .filter(each => each.cost > 0 && each.access !== 'admin')
    .map(({ id, limit_class, cost }) => ({ operation: id, limit_class, cost }))
  const { classes, ruleset, valid_from, note } = plans
  return { count: listed.length, plans: listed, costs, classes, ruleset, valid_from, note }
}

function catalogue(table: readonly Operation[]): object {
  const listed = table.map(each => {
    const { id, method, path, tag, access, summary, rows, limit_class, cost, freshness, example } = each
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')
    const parameters = [...inPath, ...parameterNames(each).filter(name => name !== 'apikey')]
    const docs = `/api/v1/public/docs${each.curated ? `#${id}` : ''}`
    return {
      operation: id,
      method,
      path,
      tag,
      access,
      summary,
      parameters,
      rows,
      formats: formatsOf(each),
      limit_class,
      cost,
      freshness,
      example: example.request,
      docs,
    }
  })
  const datasets = datasetNames.map(datasetOf).map(({ name, title, description, key, order, freshness, licence, columns }) => ({
    name,
    title,
    description,
    key,
    order,
    freshness,
    licence,
    columns: columns.map(({ name, type, description }) => ({ name, type, description })),
  }))
  return { count: listed.length, operations: listed, datasets }
}

function keyHealth(plans: Plans, { credential, remaining }: Context): object {
  if (credential === null) throw new Unauthorized('this operation needs an API key', { hint: 'send "Authorization: Bearer <key>"' })
  const { key_id, name, last4, tier, scopes, sent_as, created_at, expires_at } = credential
  const rates = plans.plans.find(plan => plan.tier === tier)?.rates
  const limits = rates ? limitClasses.map(limit_class => ({ limit_class, ...rates[limit_class], remaining: remaining(limit_class) })) : []
  return { status: 'ok', key: { id: key_id, name, last4, tier, scopes, sent_as, created_at, expires_at }, limits }
}
