// What the operations of administration share.
import { capped, shaped } from './parameters.ts'

export const shared = { tag: 'Admin', access: 'admin', curated: false, cache: 'live', served_from: 'pg' } as const
/** Rows of a page, `fallback` of them by default. */
export const rowLimit = (fallback: number) => capped(500, 'rows', fallback)
/** A signing key, as examples show it. */
export const exampleKid = 'Q2xpZW50cyBrZWVwIHRoZWlyIG93biBjb3BpZXM_exa'
export const exampleSigningKey = {
  kid: exampleKid,
  status: 'active',
  valid_from: 3,
  valid_to: null,
  compromised_from: null,
  created_at: '2026-11-01T09:00:00Z',
  receipts: 251,
} as const
export const cursor = shaped(
  'next_cursor of the previous page',
  /^[\w-]{1,1000}$/,
  'a cursor that this operation gave',
  'bm90IGEgcmVhbCBvbmU',
).optional()
export const jobName = shaped('name of a job', /^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name as GET /api/v1/admin/jobs lists it', 'fx')
export const proof = 'Needs a second-factor code given within the last 15 minutes; otherwise 403, and the administrator signs in again.'
