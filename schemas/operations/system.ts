// Health, plans, and the descriptions of the service itself.
import { z } from 'zod'
import { envelope } from '../answer.ts'
import { Plan } from '../plans.ts'
import { Count, Instant, Release, Text } from '../values.ts'
import { dataQuestion, operation, question } from './operation.ts'

const Check = z.object({ name: Text, status: z.enum(['ok', 'failed']), latency_ms: Count.nullable(), detail: Text.nullable() })
const HealthAnswer = z.object({
  status: z
    .enum(['ok', 'degraded'])
    .meta({ description: 'degraded: it answers, but a component in checks fails or a dataset is damaged, as listed by GET /api/v1/status' }),
  checks: z.array(Check).optional().meta({ description: 'the components that fail now (postgres, storage); omitted if all work' }),
  service: z.literal('crossfile'),
  version: Text,
  release: Release.nullable().meta({ description: 'the release that this process answers from; null before the first' }),
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
          limit: Count.meta({ description: 'units per window_seconds' }),
          window_seconds: Count,
          burst: Count.meta({ description: 'units allowed in a burst' }),
          daily: Count.nullable().meta({ description: 'units per UTC day; null: no daily cap' }),
        }),
      ),
    }),
  ),
  costs: z
    .array(z.object({ operation: Text, limit_class: Text, cost: Count }))
    .meta({ description: 'units that one request of an operation costs; without those of administrators, which no key can call' }),
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
  operation({
    ...status,
    id: 'get_health',
    path: '/health',
    summary: 'Whether the service is up',
    description: 'Returns 200 while the process can answer at all; use /health/ready to route traffic.',
    question: question({}),
    answer: HealthAnswer,
    example: { request: '/health' },
  }),
  operation({
    ...status,
    id: 'get_healthz',
    path: '/healthz',
    curated: false,
    summary: 'Alias of /health',
    description: 'The same answer as /health.',
    question: question({}),
    answer: HealthAnswer,
    example: { request: '/healthz' },
  }),
  operation({
    ...status,
    id: 'get_readiness',
    path: '/health/ready',
    curated: false,
    summary: 'Whether this process is ready for requests',
    description: '200 with ready true, or 503 in the error shape with the failed check.',
    question: question({}),
    answer: ReadyAnswer,
    rows: 'checks',
    can_be_unavailable: true,
    example: { request: '/health/ready' },
  }),
  operation({
    ...status,
    id: 'ping',
    path: '/ping',
    curated: false,
    summary: 'Answers the text pong',
    description: 'The text pong, nothing else.',
    question: question({}),
    media_type: 'text/plain; charset=utf-8',
    example: { request: '/ping' },
  }),
  operation({
    id: 'list_plans',
    path: '/api/v1/data/plans',
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
    agents: [{ endpoint: 'research', tool: 'coverage', view: 'plans', takes: [] }],
    example: { request: '/api/v1/data/plans' },
  }),
  operation({
    ...described,
    id: 'get_openapi_json',
    path: '/openapi.json',
    summary: 'The full description, OpenAPI 3.1.0, JSON',
    description: 'Every operation of the service.',
    question: question({}),
    answer: z.looseObject({ openapi: z.literal('3.1.0') }),
    example: { request: '/openapi.json' },
  }),
  operation({
    ...described,
    id: 'get_openapi_yaml',
    path: '/openapi.yaml',
    summary: 'The full description, OpenAPI 3.1.0, YAML',
    description: 'Every operation of the service.',
    question: question({}),
    media_type: 'application/yaml; charset=utf-8',
    example: { request: '/openapi.yaml' },
  }),
  operation({
    ...described,
    id: 'get_public_openapi',
    path: '/api/v1/public/openapi.json',
    summary: 'The curated public description, OpenAPI 3.1.0, JSON',
    description: 'The operations meant for API clients, the Developer Data API included.',
    question: question({}),
    answer: z.looseObject({ openapi: z.literal('3.1.0') }),
    example: { request: '/api/v1/public/openapi.json' },
  }),
  operation({
    ...described,
    id: 'get_docs',
    path: '/api/v1/public/docs',
    summary: 'The documentation as pages',
    description: 'The first page of the documentation: guides, and a link to the page of every operation.',
    cache: 'live',
    question: question({}),
    media_type: 'text/html; charset=utf-8',
    example: { request: '/api/v1/public/docs' },
  }),
] as const
