// What a check of `crossfile doctor` is given and reports. One file each; doctor.ts lists them.
import type { Config } from '#schemas/config.ts'
import type { Db } from '#warehouse/postgres.ts'

export type Finding = {
  /** `unchecked`: it could not be checked, which counts as wrong only where the reason itself is listed as wrong. */
  readonly state: 'ok' | 'wrong' | 'unchecked'
  readonly found: string
  /** What to do; null where nothing is to be done. */
  readonly remedy: string | null
}

export type Ground = {
  readonly config: Config
  /** Null where the database is away. */
  readonly db: Db | null
  /** Why the database is away; null where it is there. */
  readonly databaseFault: { readonly message: string; readonly hint: string | null } | null
  /** By this machine's clock. */
  readonly now: () => Date
  readonly signal: AbortSignal
}

export type DoctorCheck = { readonly name: string; readonly run: (ground: Ground) => Promise<readonly Finding[]> }

export const ok = (found: string): Finding => ({ state: 'ok', found, remedy: null })
export const wrong = (found: string, remedy: string): Finding => ({ state: 'wrong', found, remedy })
export const unchecked = (found: string): Finding => ({ state: 'unchecked', found, remedy: null })

/** A check that needs the database; without one it reports that it was not made. */
export function withDb(name: string, run: (db: Db, ground: Ground) => Promise<readonly Finding[]>): DoctorCheck {
  return { name, run: async ground => (ground.db === null ? [unchecked('needs the database')] : await run(ground.db, ground)) }
}
