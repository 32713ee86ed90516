// OpenAPI 3.1.0 from the table of operations: the full description, and the curated one of the operations meant for clients.
import { z } from 'zod'
import { ErrorAnswer, Source } from '#schemas/answer.ts'
import { earliestDay, latestDay } from '#schemas/days.ts'
import { DrillInterval } from '#schemas/operations/drill.ts'
import { takesIdempotencyKey } from '#schemas/operations/outcomes.ts'
import { factsOf } from '#schemas/operations/parameters.ts'
import { areas, type Operation, type Tag, tags } from '#schemas/operations.ts'
import { type Format, formatsOf } from './formats.ts'
import { headerDescriptions, problemSchema, responsesOf, sharedResponses } from './openapi-responses.ts'

type Node = { [key: string]: unknown }
type Settings = { readonly baseUrl: string; readonly curated: boolean }

export const tagDescriptions: Readonly<Record<Tag, string>> = {
  Reference: 'Symbols, venues, plans, receipts without a key.',
  Prices: 'Quotes, end-of-day bars, charts and the ledger of restatements.',
  Fundamentals: 'Corporate actions and what issuers report.',
  Calendars: 'What is coming up, by day.',
  Macro: 'Country-level series with their vintages.',
  Screening: 'Across all symbols.',
  'Developer Data API': 'SEC filings, insider transactions, receipts and bulk files; needs an API key on every operation.',
  'Sharia screening': 'Compliance screens and purification.',
  Status: 'Health of the service.',
  Account: 'Signing up and in, profile, password.',
  Keys: 'API keys of a signed-in user, and the developer page.',
  Alerts: 'Price and IPO alerts, why they fired, and what they would have done.',
  Watchlist: 'Symbols that a user follows.',
  Portfolio: 'Positions that a user keeps.',
  Push: 'Devices and web push.',
  Billing: 'Tiers, checkout and requests about the account.',
  Referral: 'Who brought whom, and addresses left behind.',
  Privacy: 'Consent, policy, export and erasure.',
  Observability: 'What browsers report.',
  Admin: 'Administration of users, jobs and incidents.',
  Compliance: 'Calculators over dated rulesets: what is posted is answered, and neither kept nor signed.',
}
const about = `Research data for North American equities, Canada and cross-border names first: from SEC filings and the tape to signed, reproducible answers.

Every data answer says from what it was made (\`as_of\`, \`release\`, \`sources\`) and can be asked again for ever with \`release=\`. Money is a JSON number with the digits that its source printed. Null is never zero. All output is research data, not investment advice; figures republished from it should cite the accession number.

Dates and instants, in parameters and in bodies, are supported from ${earliestDay} to ${latestDay} in UTC; others are refused with 400 (422 in a body), and the error names the limit.

Errors have one shape on every status: \`detail\`, \`code\`, \`hint\`, \`docs\`.`

/** The description as a plain object. `curated` keeps the operations of the public description only. */
export function buildOpenapi(table: readonly Operation[], { baseUrl, curated }: Settings): Node {
  const listed = curated ? table.filter(each => each.curated) : table
  const used = [...tags, ...areas].filter(tag => listed.some(each => each.tag === tag))
  const paths: Record<string, Node> = {}
  for (const operation of listed) {
    const path = paths[operation.path] ?? {}
    path[operation.method.toLowerCase()] = describe(operation, baseUrl, curated)
    paths[operation.path] = path
  }
  return {
    openapi: '3.1.0',
    info: { title: curated ? 'Crossfile public API' : 'Crossfile API', version: '1.0.0', description: about },
    servers: [{ url: baseUrl === '' ? '/' : baseUrl }],
    externalDocs: { description: 'The same, to read and try', url: `${baseUrl}/api/v1/public/docs` },
    tags: used.map(name => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      schemas: answerSchemas(listed),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer cf_live_… (preferred)' },
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        ...(curated ? {} : sessionSchemes),
        query: {
          type: 'apiKey',
          in: 'query',
          name: 'apikey',
          description: 'for spreadsheets that cannot send headers; such a key has data:read at most',
        },
      },
      headers: headerDescriptions,
      responses: sharedResponses,
    },
  }
}

const sessionSchemes: Node = {
  session: { type: 'apiKey', in: 'cookie', name: 'service_session', description: 'set by POST /api/v1/auth/login' },
  token: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer cf_sess_…, the access_token of a sign-in' },
  admin: { type: 'apiKey', in: 'cookie', name: 'service_admin', description: 'set by POST /api/v1/admin/login' },
}
/** `get_eod` gives `GetEodAnswer`. */
function schemaName(operation: Operation): string {
  const pascal = operation.id.replaceAll(/(^|_)([a-z0-9])/g, (_all, _dash: string, letter: string) => letter.toUpperCase())
  return `${pascal}Answer`
}

function describe(operation: Operation, baseUrl: string, curated: boolean): Node {
  const { id, tag, access, summary, description, freshness, cost, limit_class, cache } = operation
  const parameters = [...parametersOf(operation), ...(takesIdempotencyKey(operation) ? [idempotencyKey] : [])]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters,
    ...(operation.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [operation.body_media[0] ?? 'application/json']: {
                schema: tidy(z.toJSONSchema(operation.body, { io: 'input' })),
                ...(operation.example.body === undefined ? {} : { example: operation.example.body }),
              },
              ...(operation.body_media.includes('text/csv') ? { 'text/csv': { schema: { type: 'string' } } } : {}),
            },
          },
        }),
    responses: responsesOf(operation, schemaName(operation)),
    security: securityOf(operation, curated),
    externalDocs: { url: `${baseUrl}/api/v1/public/docs${operation.curated ? `#${id}` : ''}` },
    'x-tier': access,
    'x-cost': { limit_class, units: cost },
    'x-cache': cache,
    'x-freshness': freshness,
    'x-example-request': operation.example.request,
  }
}

const idempotencyKey: Node = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name for this request, such as a UUID: repeated with the same body within a day it takes no effect again and answers as the first time, with `Idempotency-Replayed: true`; with another body it is 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  example: '3f1c2a9e-5b7d-4c1e-9a40-6c2f8f0f7a11',
}

/** A session opens what its user may see; keys are for data. */
function securityOf({ access }: Operation, curated: boolean): Node[] {
  if (access === 'public') return []
  if (access === 'admin') return [{ admin: [] }]
  const session = [{ session: [] }, { token: [] }]
  if (access === 'user') return session
  const keys = [{ bearer: [] }, { header: [] }, { query: [] }]
  return access === 'session' && !curated ? [...keys, ...session] : keys
}

/** Parameters of path and query, with format where the operation has more than one. */
export function parametersOf(operation: Operation): Node[] {
  const own = Object.entries(operation.question.shape).map(([name, schema]) => {
    const { wire, description, example, clamped = false } = factsOf(schema)
    // A description's maximum would have clients refuse what is accepted and cut.
    const { maximum, ...uncut } = wire
    const inPath = operation.path.includes(`{${name}}`)
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath || !schema.safeParse(undefined).success,
      description,
      schema: clamped || maximum === undefined ? uncut : wire,
      example: wire.type === 'integer' ? Number(example) : wire.type === 'boolean' ? example === '1' : example,
    }
  })
  const formats: readonly Format[] = formatsOf(operation)
  if (formats.length < 2) return own
  const standard = operation.answer === null ? undefined : 'json'
  return [
    ...own,
    {
      name: 'format',
      in: 'query',
      required: false,
      description: 'excel is tab-separated text with a header row; csv as RFC 4180; scalars beside the rows come as X-Meta headers',
      schema: { type: 'string', enum: formats, ...(standard === undefined ? {} : { default: standard }) },
      example: formats.at(-1) ?? 'csv',
    },
  ]
}

/** The schemas of answers, with what they share named once. */
function answerSchemas(listed: readonly Operation[]): Node {
  const registry = z.registry<{ id: string }>()
  registry.add(ErrorAnswer, { id: 'Error' })
  registry.add(Source, { id: 'Source' })
  if (listed.some(each => each.id === 'interpret_drill')) registry.add(DrillInterval, { id: 'DrillInterval' })
  const aliases: Record<string, string> = {}
  const names = new Map<z.ZodType, string>()
  for (const operation of listed) {
    if (operation.answer === null) continue
    const name = schemaName(operation)
    const known = names.get(operation.answer)
    if (known !== undefined) aliases[name] = known
    else {
      names.set(operation.answer, name)
      registry.add(operation.answer, { id: name })
    }
  }
  const { schemas } = z.toJSONSchema(registry, { uri: id => `#/components/schemas/${id}` })
  const tidied = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema as Node)]))
  for (const [name, known] of Object.entries(aliases)) tidied[name] = { $ref: `#/components/schemas/${known}` }
  tidied['Problem'] = problemSchema
  return tidied
}

/** Without what is ours alone (Parquet column types) and what a component does not carry. */
function tidy(value: unknown): Node {
  const visit = (node: unknown, inProperties: boolean): unknown => {
    if (Array.isArray(node)) return node.map(each => visit(each, false))
    if (typeof node !== 'object' || node === null) return node
    const kept = Object.entries(node).filter(([key]) => inProperties || !['column', 'decimal', 'absent', '$schema', '$id', 'id'].includes(key))
    return Object.fromEntries(kept.map(([key, inner]) => [key, visit(inner, !inProperties && key === 'properties')]))
  }
  return visit(value, false) as Node
}
