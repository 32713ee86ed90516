// Health, plans, and the descriptions of the service itself.
import { z } from 'zod'
import { envelope } from '../answer.ts'
import { Plan } from '../plans.ts'
import { Count, Instant, Release, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'

const Check = z.object({ name: Text, status: z.enum(['ok', 'failed']), latency_ms: Count.nullable(), detail: Text.nullable() })
const HealthAnswer = z.object({
  status: z.enum(['ok', 'degraded']).describe('degraded: it answers, but a component in checks fails; GET /api/v1/status lists more'),
  checks: z
    .array(Check)
    .optional()
    .describe(
      'the components that fail now (postgres, bucket, files, storage, signing), with a reason in detail where there is one; omitted if all work',
    ),
  service: z.literal('crossfile'),
  version: Text,
  release: Release.nullable().describe('the release that this process answers from; null before the first'),
  as_of: Instant,
  uptime_seconds: Count,
})
const ReadyAnswer = z.object({ ready: z.boolean(), checks: z.array(Check), as_of: Instant })
const PlansAnswer = z.object({
  count: Count,
  plans: z.array(
    z.object({
      ...Plan.omit({ rates: true }).shape,
      limits: z.array(
        z.object({
          limit_class: Text,
          limit: Count.describe('units per window_seconds'),
          window_seconds: Count,
          burst: Count.describe('units allowed in a burst'),
          daily: Count.nullable().describe('units per UTC day; null: no daily cap'),
        }),
      ),
    }),
  ),
  costs: z
    .array(z.object({ operation: Text, limit_class: Text, cost: Count }))
    .describe('units that one request of an operation costs; without those of administrators, which no key can call'),
  classes: z.record(Text, Text),
  ruleset: Text,
  valid_from: Text,
  note: Text,
  ...envelope,
})

const described = {
  tag: 'Reference',
  access: 'public',
  curated: false,
  served_from: 'process',
  cache: 'steady',
  freshness: 'with the service',
} as const
const status = { tag: 'Status', access: 'public', served_from: 'process', cost: 0 } as const

export const systemOperations = [
  operation('get_health', 'GET /health', {
    ...status,
    summary: 'Whether the service is up',
    description: 'Returns 200 while the process can answer at all; use /health/ready to route traffic.',
    answer: HealthAnswer,
  }),
  operation('get_healthz', 'GET /healthz', {
    ...status,
    curated: false,
    summary: 'Alias of /health',
    description: 'The same answer as /health.',
    answer: HealthAnswer,
  }),
  operation('get_readiness', 'GET /health/ready', {
    ...status,
    curated: false,
    summary: 'Whether this process is ready for requests',
    description: '200 with ready true, or 503 in the error shape with the failed check.',
    answer: ReadyAnswer,
    rows: 'checks',
    can_be_unavailable: true,
  }),
  operation('ping', 'GET /ping', {
    ...status,
    curated: false,
    summary: 'Answers the text pong',
    description: 'The text pong, nothing else.',
    media_type: 'text/plain; charset=utf-8',
  }),
  operation('list_plans', 'GET /api/v1/data/plans', {
    tag: 'Reference',
    access: 'public',
    summary: 'What each tier allows',
    description: 'Rate limits, daily caps and history of each tier, and the cost of each operation: the table that the limiter uses.',
    question: dataQuestion({}),
    answer: PlansAnswer,
    rows: 'plans',
    data: true,
    served_from: 'page',
    cache: 'steady',
    repeat_ms: 5000,
    freshness: 'with the service',
    agents: [research('coverage', 'plans', [])],
  }),
  operation('get_openapi_json', 'GET /openapi.json', {
    ...described,
    summary: 'The full description, OpenAPI 3.1.0, JSON',
    description: 'Every operation of the service.',
    answer: z.looseObject({ openapi: z.literal('3.1.0') }),
  }),
  operation('get_openapi_yaml', 'GET /openapi.yaml', {
    ...described,
    summary: 'The full description, OpenAPI 3.1.0, YAML',
    description: 'Every operation of the service.',
    media_type: 'application/yaml; charset=utf-8',
  }),
  operation('get_public_openapi', 'GET /api/v1/public/openapi.json', {
    ...described,
    summary: 'The curated public description, OpenAPI 3.1.0, JSON',
    description: 'The operations meant for API clients, the Developer Data API included.',
    answer: z.looseObject({ openapi: z.literal('3.1.0') }),
  }),
  operation('get_docs', 'GET /api/v1/public/docs', {
    ...described,
    summary: 'The documentation as pages',
    description: 'The first page of the documentation: guides, and a link to the page of every operation.',
    cache: 'live',
    media_type: 'text/html; charset=utf-8',
  }),
] as const
