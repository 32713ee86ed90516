// API keys: their owner creates, lists, changes and revokes them.
import { KeyList, KeyMade, KeyPatch, KeyRecord, KeyRequest, KeyUsage } from '../keys.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const shared = { tag: 'Keys', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the key', /^k_[\w-]{1,40}$/, 'an id such as k_7Qm2xYb81LqA', 'k_7Qm2xYb81LqA')

export const keyOperations = [
  operation('list_keys', 'GET /api/v1/keys', {
    ...shared,
    summary: 'Your API keys',
    description:
      'Active keys and those that expired within the last 30 days, newest first, then by id; a revoked key is not listed. The text of a key is never shown again.',
    answer: KeyList,
    rows: 'keys',
  }),
  operation('list_key_usage', 'GET /api/v1/keys/usage', {
    ...shared,
    summary: 'Use of your API keys over 30 days',
    description:
      'Requests of each key by class of limits and UTC day, over the last 30 days, today included. Keys that were revoked or have expired are listed if they were used in that time. A request is counted within half a minute; a process that is killed loses the counts of its last half minute.',
    answer: KeyUsage,
    rows: 'usage',
  }),
  operation('create_key', 'POST /api/v1/keys', {
    ...shared,
    summary: 'Make an API key',
    description:
      'Returns the key, only once. Each use counts against your current tier. An account has at most 10 active keys, and its address must be verified. You are notified of every new key by mail. A repeated Idempotency-Key creates no second key, and its answer has key null.',
    body: KeyRequest,
    success: 201,
    answer: KeyMade,
    idempotency_key: true,
    example: {
      body: { name: 'spreadsheet', scopes: ['data:read'], allowed_addresses: ['192.0.2.0/24'], expires_in_days: 365 },
    },
  }),
  operation('update_key', 'PATCH /api/v1/keys/{id}', {
    ...shared,
    summary: 'Change an API key',
    description:
      'Renames a key, sets the addresses that may use it, removes scopes or brings its expiry forward. Scopes cannot be added and the expiry cannot be extended, because the key may be in use elsewhere under its present terms. Create a new key instead. Takes effect everywhere within 5 seconds.',
    question: question({ id }),
    body: KeyPatch,
    answer: KeyRecord,
    idempotency_key: true,
    example: { request: '/api/v1/keys/k_7Qm2xYb81LqA', body: { name: 'old spreadsheet', allowed_addresses: ['192.0.2.7'] } },
  }),
  operation('revoke_key', 'DELETE /api/v1/keys/{id}', {
    ...shared,
    summary: 'Revoke an API key',
    description: 'Revokes a key permanently: it is refused everywhere within 5 seconds.',
    question: question({ id }),
    success: 204,
    example: '/api/v1/keys/k_7Qm2xYb81LqA',
  }),
] as const
