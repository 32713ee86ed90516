// The input and report of a check of `crossfile doctor`. One file each; doctor.ts lists them.
import type { Config } from '#schemas/config.ts'
import type { Db } from '#warehouse/store/postgres.ts'

export type Finding = {
  /** `unchecked`: the check could not be made; counts as wrong only if its reason is itself listed as wrong. */
  readonly state: 'ok' | 'wrong' | 'unchecked'
  readonly found: string
  /** What to do; null if nothing. */
  readonly remedy: string | null
}

export type ReleaseContext = {
  readonly config: Config
  /** Null if the database cannot be reached. */
  readonly db: Db | null
  /** Why the database cannot be reached; null if it can. */
  readonly databaseFault: { readonly message: string; readonly hint: string | null } | null
  /** Why the bucket of the lake cannot be used; null if it can, or if the lake is on the disk. */
  readonly bucketFault: string | null
  /** By this machine's clock. */
  readonly now: () => Date
  readonly signal: AbortSignal
}

export type DoctorCheck = { readonly name: string; readonly run: (context: ReleaseContext) => Promise<readonly Finding[]> }

export const ok = (found: string): Finding => ({ state: 'ok', found, remedy: null })
export const wrong = (found: string, remedy: string): Finding => ({ state: 'wrong', found, remedy })
export const unchecked = (found: string): Finding => ({ state: 'unchecked', found, remedy: null })

/** A check that needs the database; without one it reports `unchecked`. */
export function withDb(name: string, run: (db: Db, context: ReleaseContext) => Promise<readonly Finding[]>): DoctorCheck {
  return { name, run: async context => (context.db === null ? [unchecked('needs the database')] : await run(context.db, context)) }
}

/** A check that also reads the bucket of the lake, if there is one; while it is away, the check reports `unchecked`. */
export function withBucket(name: string, run: (db: Db, context: ReleaseContext) => Promise<readonly Finding[]>): DoctorCheck {
  return withDb(name, async (db, context) => (context.bucketFault === null ? await run(db, context) : [unchecked('needs the bucket of the lake')]))
}
