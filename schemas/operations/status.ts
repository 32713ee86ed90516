// The service's own state: components, hours, incidents.
import { z } from 'zod'
import { envelope } from '../answer.ts'
import { ComponentStatus, HistoryPoint, IncidentOut, ReproductionStatus } from '../status.ts'
import { Count, Instant } from '../values.ts'
import { operation, question, research } from './operation.ts'
import { capped, moment, oneOf, text } from './parameters.ts'

const given = { as_of: envelope.as_of, release: envelope.release, sources: envelope.sources }
const common = { tag: 'Status', access: 'public', served_from: 'pg', cache: 'quotes', repeat_ms: 2000, freshness: 'a minute' } as const

export const statusOperations = [
  operation('get_status', 'GET /api/v1/status', {
    ...common,
    summary: 'Current state of each component',
    description:
      'API, database, worker and storage; each dataset against the freshness target of the jobs that feed it; each source in use. A worker checks every minute.',
    answer: z.object({
      status: z.enum(['operational', 'degraded', 'down', 'loading']).describe('the worst of the components; loading: before the first release'),
      count: Count,
      components: z.array(ComponentStatus),
      reproduction: ReproductionStatus.nullable().describe('the newest nightly re-execution of a sample of the receipts; null before the first'),
      ...given,
    }),
    rows: 'components',
    agents: [research('coverage', 'status', [])],
  }),
  operation('list_status_history', 'GET /api/v1/status/history', {
    ...common,
    summary: 'Uptime of each component by the hour or the day',
    description:
      'Newest first. A component has no entry for an hour or a day in which it was not checked. With by=day, an entry is a day in UTC: hour is its beginning, status the worst of its hours, and uptime_pct the share of its checks.',
    question: question({
      component: text('one component only', 100, 'api').optional(),
      by: oneOf('length of an entry', ['hour', 'day'], 'day').default('hour'),
      from: moment('first hour; default: a day before to').optional(),
      to: moment('last hour; default: now').optional(),
      limit: capped(10_000, 'entries', 1000),
    }),
    answer: z.object({ from: Instant, to: Instant, count: Count, history: z.array(HistoryPoint), ...given }),
    rows: 'history',
    can_be_missing: true,
    example: '/api/v1/status/history?component=api',
  }),
  operation('list_incidents', 'GET /api/v1/status/incidents', {
    ...common,
    summary: 'Incidents, newest first',
    description:
      'Opened automatically when a component fails consecutive checks, and resolved when it recovers; or opened and resolved by the operator. impact maintenance: planned work.',
    question: question({
      state: oneOf('which', ['open', 'resolved', 'all'], 'all').default('all'),
      limit: capped(1000, 'incidents', 100),
    }),
    answer: z.object({ count: Count, incidents: z.array(IncidentOut), ...given }),
    rows: 'incidents',
  }),
] as const
