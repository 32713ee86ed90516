// Erasures of accounts and reports of browsers, as `crossfile erasures` and `crossfile telemetry` print them.
import { AdminErasures, AdminTelemetry } from '../admin-privacy.ts'
import { cursor, rowLimit, shared } from './admin-parameters.ts'
import { operation, question } from './operation.ts'
import { integer } from './parameters.ts'

export const adminPrivacyOperations = [
  operation('list_erasures', 'GET /api/v1/admin/erasures', {
    ...shared,
    summary: 'Accounts that will be erased, and erased accounts by hash',
    description:
      'Erased accounts newest first. The job erasure erases what is due each day: POST /api/v1/admin/jobs/erasure/run does it now. After a restore, crossfile erasures replay erases the accounts of a list again, before the API starts.',
    question: question({ limit: rowLimit(50), cursor }),
    answer: AdminErasures,
    rows: 'erasures',
    cursor_key: ['instant', 'text'],
    example: {
      answer: {
        grace_days: 30,
        waiting_count: 1,
        waiting: [
          {
            user_id: 'u_kTZCHfYkpWO5',
            email: 'jane@example.org',
            requested_at: '2026-11-02T09:00:00.000Z',
            erase_after: '2026-12-02T09:00:00.000Z',
            is_due: false,
          },
        ],
        count: 1,
        of: 1,
        erasures: [
          {
            subject_sha256: '5f2b0c2c3f9c4e1a7a3c6f0c1f5d1f0a9b7e3d2c1b0a99887766554433221100',
            requested_at: '2026-10-01T09:00:00.000Z',
            erased_at: '2026-10-31T09:00:05.000Z',
            rows: 214,
          },
        ],
        next_cursor: null,
      },
    },
  }),
  operation('get_admin_telemetry', 'GET /api/v1/admin/telemetry', {
    ...shared,
    summary: 'Page speed of visitors, and what the content security policy blocked',
    description:
      'By day, as browsers report them without addresses of people: the 75th percentile of each Web Vital and page, counted every 15 minutes by the job telemetry, and the blocked hosts.',
    question: question({ days: integer('the last days', 1, 400, { fallback: 7 }).default(7) }),
    answer: AdminTelemetry,
    rows: 'vitals',
    example: {
      answer: {
        days: 7,
        kept_days: { measurements: 14, figures: 400, violations: 30 },
        vitals_count: 2,
        vitals: [
          { day: '2026-11-20', page: '/screener', metric: 'CLS', unit: 'score', p75: 0.02, grade: 'good', visits: 41 },
          { day: '2026-11-20', page: '/screener', metric: 'LCP', unit: 'ms', p75: 2830, grade: 'needs improvement', visits: 44 },
        ],
        violations_count: 1,
        violations: [{ day: '2026-11-20', directive: 'script-src-elem', blocked: 'cdn.example.net', reports: 3 }],
      },
    },
  }),
] as const
