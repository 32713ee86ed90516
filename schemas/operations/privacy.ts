// Consent, policy, export and erasure.
import { ConsentHistory, ConsentRequest, ConsentResponse, DeleteRequest, ErasureCancelled, ErasureQueued, Policy } from '../privacy.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'
import { cursor, pageLimit } from './parameters.ts'

const common = { tag: 'Privacy', curated: false, cache: 'live', served_from: 'pg', question: question({}) } as const
const mine = { ...common, access: 'user', while_leaving: true } as const
const exported =
  'Every table that names you, as the privacy policy lists them, without passwords, secrets and their hashes; then what you consented to and the acts about your account. One JSON document, written as it is read.'

export const privacyOperations = [
  operation({
    ...common,
    id: 'record_consent',
    method: 'POST',
    path: '/api/v1/consent/record',
    access: 'public',
    summary: 'Record what somebody agreed to, or took back',
    description:
      'Append-only: withdrawing is an entry of its own. Whoever is signed in is recorded under a pseudonym; a visitor under the hash of session_id; without either nobody can find the entry again. The second field may be named action.',
    body: ConsentRequest,
    body_bytes: 8 * 1024,
    success: 201,
    answer: ConsentResponse,
    cost: 10,
    example: examples.record_consent,
  }),
  operation({
    ...mine,
    id: 'list_my_consent',
    path: '/api/v1/consent/my-history',
    summary: 'Everything that you agreed to and took back',
    description: 'Newest first.',
    question: question({ limit: pageLimit(100, 1000, 'entries'), cursor }),
    answer: ConsentHistory,
    rows: 'entries',
    example: examples.list_my_consent,
  }),
  operation({
    ...common,
    id: 'get_privacy_policy',
    path: '/api/v1/gdpr/policy',
    access: 'public',
    cache: 'steady',
    served_from: 'process',
    summary: 'What is held of people, why, for how long, and what they can do about it',
    description: 'Made from the list that export and erasure are made from, so that it cannot say another thing than they do.',
    answer: Policy,
    rows: 'data',
    freshness: 'with each version of the service and its configuration',
    example: examples.get_privacy_policy,
  }),
  operation({
    ...mine,
    id: 'export_my_data',
    path: '/api/v1/user/export',
    summary: 'Everything that is held of you',
    description: exported,
    cost: 20,
    example: examples.export_my_data,
  }),
  operation({
    ...mine,
    id: 'export_my_data_alias',
    path: '/api/v1/gdpr/export',
    summary: 'Everything that is held of you (the other address)',
    description: exported,
    cost: 20,
    example: examples.export_my_data_alias,
  }),
  operation({
    ...mine,
    id: 'delete_my_account',
    method: 'POST',
    path: '/api/v1/user/delete',
    summary: 'Queue the erasure of your account',
    description:
      'Needs a sign-in, or POST /api/v1/auth/prove, within the last 15 minutes (403 otherwise). Done after 30 days. At once all sessions end, all API keys are revoked, and devices and push subscriptions are gone. Signing in until then allows the export and cancelling.',
    body: DeleteRequest,
    success: 202,
    answer: ErasureQueued,
    example: examples.delete_my_account,
  }),
  operation({
    ...mine,
    id: 'cancel_my_erasure',
    method: 'POST',
    path: '/api/v1/user/delete/cancel',
    summary: 'Keep your account after all',
    description: '409 where no erasure is queued. API keys that were revoked stay revoked.',
    answer: ErasureCancelled,
    example: examples.cancel_my_erasure,
  }),
] as const
