// Consent, policy, export and erasure.
import { ConsentHistory, ConsentRequest, ConsentResponse, DeleteRequest, ErasureCancelled, ErasureQueued, Policy } from '../privacy.ts'
import { operation, question } from './operation.ts'
import { cursor, pageLimit } from './parameters.ts'

const common = { tag: 'Privacy', curated: false, cache: 'live', served_from: 'pg', question: question({}) } as const
const mine = { ...common, access: 'user', while_leaving: true } as const
/** Both ways to ask for the export. */
const exported = {
  ...mine,
  description:
    'Your data from every table with personal data in the privacy policy, without passwords, secrets and their hashes; then your consents and the actions on your account. One JSON document, streamed while it is read.',
} as const

export const privacyOperations = [
  operation('record_consent', 'POST /api/v1/consent/record', {
    ...common,
    access: 'public',
    summary: 'Record a consent or its withdrawal',
    description:
      'Append-only: a withdrawal is a separate entry. A signed-in user is recorded under a pseudonym, a visitor under the hash of session_id. Without either, the entry cannot be found again. The second field may be named action.',
    body: ConsentRequest,
    body_bytes: 8 * 1024,
    success: 201,
    answer: ConsentResponse,
    cost: 10,
    example: {
      body: { consent_type: 'analytics', consent_action: 'granted', session_id: 'b7a1d2c9', language: 'fr-CA' },
    },
  }),
  operation('list_my_consent', 'GET /api/v1/consent/my-history', {
    ...mine,
    summary: 'Your consents and withdrawals',
    description: 'Newest first.',
    question: question({ limit: pageLimit(100, 1000, 'entries'), cursor }),
    answer: ConsentHistory,
    rows: 'entries',
    cursor_key: ['count'],
  }),
  operation('get_privacy_policy', 'GET /api/v1/gdpr/policy', {
    ...common,
    access: 'public',
    cache: 'steady',
    served_from: 'process',
    summary: 'What personal data is stored, why, for how long, and the rights of the person',
    description: 'Generated from the list that export and erasure use, so it always matches them.',
    answer: Policy,
    rows: 'data',
    freshness: 'with each version of the service and its configuration',
  }),
  operation('export_my_data', 'GET /api/v1/user/export', {
    ...exported,
    summary: 'All data stored about you',
    cost: 20,
  }),
  operation('export_my_data_alias', 'GET /api/v1/gdpr/export', {
    ...exported,
    summary: 'All data stored about you (alternative URL)',
    cost: 20,
  }),
  operation('delete_my_account', 'POST /api/v1/user/delete', {
    ...mine,
    summary: 'Queue the erasure of your account',
    description:
      'Needs a sign-in, or POST /api/v1/auth/prove, within the last 15 minutes (403 otherwise). Erasure runs after 30 days. All sessions end, all API keys are revoked, and devices and push subscriptions are deleted immediately. Until then, signing in allows only the export and the cancellation.',
    body: DeleteRequest,
    success: 202,
    answer: ErasureQueued,
    idempotency_key: true,
    example: { body: { confirm: true, reason: 'I no longer invest' } },
  }),
  operation('cancel_my_erasure', 'POST /api/v1/user/delete/cancel', {
    ...mine,
    summary: 'Cancel the erasure of your account',
    description: '409 if no erasure is queued. Revoked API keys stay revoked.',
    answer: ErasureCancelled,
    idempotency_key: true,
  }),
] as const
