// API keys as their owner makes, sees, changes and revokes them.
import { KeyList, KeyMade, KeyPatch, KeyRecord, KeyRequest } from '../keys.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const shared = { tag: 'Keys', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
const id = shaped('id of the key', /^k_[\w-]{1,40}$/, 'an id such as k_7Qm2xYb81LqA', 'k_7Qm2xYb81LqA')

export const keyOperations = [
  operation({
    ...shared,
    id: 'list_keys',
    path: '/api/v1/keys',
    summary: 'Your API keys',
    description:
      'The keys that live and those that expired within the last 30 days, newest first, then by id; a revoked key is not listed. The text of a key is never shown again.',
    question: question({}),
    answer: KeyList,
    rows: 'keys',
    example: examples.list_keys,
  }),
  operation({
    ...shared,
    id: 'create_key',
    method: 'POST',
    path: '/api/v1/keys',
    summary: 'Make an API key',
    description:
      'Answers the key, this once. It counts against the tier that you have at each use. At most 10 keys live at the same time; the address of the account must be verified. A mail tells you of every new key. A repeated Idempotency-Key makes no second key, and its answer has key null.',
    question: question({}),
    body: KeyRequest,
    success: 201,
    answer: KeyMade,
    example: examples.create_key,
  }),
  operation({
    ...shared,
    id: 'update_key',
    method: 'PATCH',
    path: '/api/v1/keys/{id}',
    summary: 'Change an API key',
    description:
      'Renames a key, lists the addresses that may use it, takes scopes away or brings its end forward. Scopes are never added and its end is never put off: the key lies where it was given out under its terms, so more is for a new key. Holds everywhere within 5 seconds.',
    question: question({ id }),
    body: KeyPatch,
    answer: KeyRecord,
    example: examples.update_key,
  }),
  operation({
    ...shared,
    id: 'revoke_key',
    method: 'DELETE',
    path: '/api/v1/keys/{id}',
    summary: 'Revoke an API key',
    description: 'Ends a key for good: refused everywhere within 5 seconds.',
    question: question({ id }),
    success: 204,
    example: examples.revoke_key,
  }),
] as const
