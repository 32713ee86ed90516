// Witnesses of the receipt log in the database: which are due, what is sent to them, and the cosignatures that they gave.
import { sql } from 'kysely'
import { BadRequest } from '#schemas/errors.ts'
import type { Db } from '../../postgres.ts'
import { printAddCheckpoint } from '../../transparency/add-checkpoint.ts'
import { readCheckpointHead } from '../../transparency/checkpoint.ts'
import { cosignedAt, cosignerKey } from '../../transparency/cosignature.ts'
import { consistencyProof } from '../../transparency/merkle.ts'
import { parseSignatures, printSignature } from '../../transparency/note.ts'
import { type LogFolder, nodesOfFolder } from './folder.ts'

/** A witness as the operator configured it. `url`: the submission prefix, without a slash at the end. */
export type WitnessAddress = { readonly vkey: string; readonly name: string; readonly url: string }

/**
 * `waiting`: nothing was sent yet. `unreachable`: no answer, or one of a server that fails. `refused`: it does not accept the log or the
 * checkpoint. `wrong`: its answer has no valid cosignature.
 */
type WitnessState = 'waiting' | 'ok' | 'unreachable' | 'refused' | 'wrong'
export type WitnessRow = WitnessAddress & {
  readonly state: WitnessState
  readonly detail: string | null
  readonly state_since: string
  readonly size: number
  readonly failures: number
  readonly succeeded_at: string | null
}

/** Seconds during which no other worker sends to the witness: longer than an attempt may take. */
const LEASE_SECONDS = 60
/** A witness gets at most one checkpoint in this time. */
const BETWEEN_SECONDS = 5
const LONGEST_WAIT_SECONDS = 300
/** A clock of a witness may be ahead by this much. */
const AHEAD_SECONDS = 300

/** Makes the list of the database that of the configuration. The state of a witness whose key stays is kept. */
export async function registerWitnesses(db: Db, witnesses: readonly WitnessAddress[]): Promise<void> {
  await db.transaction().execute(async trx => {
    const keys = witnesses.map(each => each.vkey)
    await (keys.length === 0 ? trx.deleteFrom('log_witness') : trx.deleteFrom('log_witness').where('vkey', 'not in', keys)).execute()
    if (witnesses.length === 0) return
    await trx
      .insertInto('log_witness')
      .values(witnesses.map(({ vkey, name, url }) => ({ vkey, name, url })))
      .onConflict(conflict => conflict.column('vkey').doUpdateSet({ url: sql<string>`excluded.url`, next_at: sql<string>`clock_timestamp()` }))
      .execute()
  })
}

const columns = ['vkey', 'name', 'url', 'state', 'detail', 'state_since', 'size', 'failures', 'succeeded_at'] as const

/** Every configured witness, by name. */
export async function listWitnesses(db: Db): Promise<WitnessRow[]> {
  return await db.selectFrom('log_witness').select(columns).orderBy('name').orderBy('vkey').execute()
}

/** The witnesses that lack the newest checkpoint and whose time has come, leased to the caller. */
export async function claimWitnesses(db: Db): Promise<WitnessRow[]> {
  return await db
    .updateTable('log_witness')
    .set({ leased_until: sql<string>`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})` })
    .where('next_at', '<=', sql<string>`clock_timestamp()`)
    .where('leased_until', '<=', sql<string>`clock_timestamp()`)
    .where(eb =>
      eb.or([
        eb('state', '!=', 'ok'),
        eb(
          'size',
          '<',
          eb.selectFrom('log_checkpoint').select(({ fn }) => fn.max('size').as('size')),
        ),
      ]),
    )
    .where(eb => eb.exists(eb.selectFrom('log_checkpoint').select('size')))
    .returning(columns)
    .execute()
}

export type Submission = { readonly size: number; readonly note: string; readonly body: string }

/**
 * The request for the newest checkpoint, with a proof from the tree of `old`; null if the newest tree is smaller. `Broken` if the files of
 * the log are damaged.
 */
export async function buildSubmission(db: Db, folder: LogFolder, old: number): Promise<Submission | null> {
  const newest = await db.selectFrom('log_checkpoint').select(['size', 'note']).orderBy('size', 'desc').limit(1).executeTakeFirst()
  if (newest === undefined || newest.size < old) return null
  const { size, note } = newest
  return { size, note, body: printAddCheckpoint({ old, proof: await consistencyProof(old, size, nodesOfFolder(folder, size)), note }) }
}

type Cosignature = { readonly line: string; readonly seconds: number }

/**
 * The cosignature of a witness in the body of its answer. Lines of other keys are ignored. `BadRequest` if the body is not lines of
 * signatures, if there is none of the witness, if it does not verify, or if its time is more than 300 s after `now` (milliseconds since 1970).
 */
export function readCosignature(body: string, note: string, vkey: string, now: number): Cosignature {
  const { text } = readCheckpointHead(note)
  const key = cosignerKey(vkey)
  for (const signature of parseSignatures(body)) {
    const seconds = cosignedAt(text, signature, key)
    if (seconds === null) continue
    if (seconds > now / 1000 + AHEAD_SECONDS) throw new BadRequest(`cosignature: its time is ${Math.round(seconds - now / 1000)} s in the future`)
    return { line: printSignature(signature), seconds }
  }
  throw new BadRequest(`cosignature: the answer has none of the key ${key.name}`)
}

/** Keeps a cosignature with its checkpoint; the first of a witness stays. */
export async function keepCosignature(db: Db, size: number, vkey: string, { line, seconds }: Cosignature): Promise<void> {
  await db
    .insertInto('log_cosignature')
    .values({ size, vkey, line, cosigned_at: new Date(seconds * 1000).toISOString() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

export type Attempt = { readonly state: Exclude<WitnessState, 'waiting'>; readonly detail: string | null; readonly size: number }

/** Records an attempt and ends the lease: the next follows after 5 s, or after 5 to 300 s if it failed. True if the state changed. */
export async function settleWitness(db: Db, before: WitnessRow, { state, detail, size }: Attempt): Promise<boolean> {
  const failures = state === 'ok' ? 0 : before.failures + 1
  const wait = state === 'ok' ? BETWEEN_SECONDS : Math.min(LONGEST_WAIT_SECONDS, BETWEEN_SECONDS * 2 ** Math.min(failures - 1, 16))
  await db
    .updateTable('log_witness')
    .set({
      state,
      detail: detail?.slice(0, 500) ?? null,
      size,
      failures,
      leased_until: '-infinity',
      next_at: sql<string>`clock_timestamp() + make_interval(secs => ${wait})`,
      ...(state === 'ok' ? { succeeded_at: sql<string>`clock_timestamp()` } : {}),
      ...(state === before.state ? {} : { state_since: sql<string>`clock_timestamp()` }),
    })
    .where('vkey', '=', before.vkey)
    .execute()
  return state !== before.state
}

export type StoredCosignature = { readonly vkey: string; readonly line: string; readonly cosigned_at: string }

/** The cosignatures of the checkpoint of a size, in the order of their keys. */
export async function findCosignatures(db: Db, size: number): Promise<StoredCosignature[]> {
  return await db.selectFrom('log_cosignature').select(['vkey', 'line', 'cosigned_at']).where('size', '=', size).orderBy('vkey').execute()
}
