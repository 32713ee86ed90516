// Consents and withdrawals: an append-only chain, in which a withdrawal is a separate entry.
import { hash, randomBytes } from 'node:crypto'
import type { Db } from '../../store/postgres.ts'
import { linkHash, nextPlace } from '../users/chain.ts'
import type { Visitor } from '../users/sessions.ts'

export type Consent = {
  readonly consent_type: string
  readonly consent_action: string
  readonly consent_version: string
  readonly privacy_policy_version: string
  readonly language: string
}
export type ConsentEntry = Consent & {
  readonly id: string
  readonly created_at: string
  readonly address_prefix: string
  readonly agent: string
  readonly previous_id: string | null
}

/** A signed-out visitor, by the session id that the page sent; only its hash is stored. Without an id, visitors cannot be distinguished. */
export const visitorSubject = (sessionId: string | null): string =>
  sessionId === null ? 'nobody' : `v_${hash('sha256', sessionId, 'base64url').slice(0, 27)}`

/** Appends an entry. Its errors do not depend on the subject, so that they reveal nothing about it. */
export async function recordConsent(db: Db, subject: string, consent: Consent, visitor: Visitor, now: Date): Promise<ConsentEntry> {
  return await db.transaction().execute(async trx => {
    const { seq, previous } = await nextPlace(trx, 'consent_entry')
    const before =
      subject === 'nobody'
        ? undefined
        : await trx
            .selectFrom('consent_entry')
            .select('consent_id')
            .where('subject', '=', subject)
            .where('consent_type', '=', consent.consent_type)
            .orderBy('seq', 'desc')
            .limit(1)
            .executeTakeFirst()
    const row = {
      seq,
      consent_id: `c_${randomBytes(9).toString('base64url')}`,
      at: now.toISOString(),
      subject,
      ...consent,
      ...visitor,
      previous_id: before?.consent_id ?? null,
    }
    await trx
      .insertInto('consent_entry')
      .values({ ...row, previous, hash: linkHash(previous, row) })
      .execute()
    const { consent_id, at, subject: _subject, seq: _seq, ...rest } = row
    return { ...rest, id: consent_id, created_at: at }
  })
}

export type ConsentPage = { readonly entries: readonly ConsentEntry[]; readonly next: number | null }
/** The entries of a subject, newest first; `before`: those before that position of the chain. */
export async function findConsent(
  db: Db,
  subject: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<ConsentPage> {
  const rows = await db
    .selectFrom('consent_entry')
    .select([
      'seq',
      'consent_id',
      'at',
      'consent_type',
      'consent_action',
      'consent_version',
      'privacy_policy_version',
      'language',
      'address_prefix',
      'agent',
      'previous_id',
    ])
    .where('subject', '=', subject)
    .$if(before !== null, query => query.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    entries: shown.map(({ seq: _seq, consent_id, at, ...rest }) => ({ ...rest, id: consent_id, created_at: at })),
    next: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null,
  }
}
