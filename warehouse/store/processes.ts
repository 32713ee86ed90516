// Which processes of Crossfile are alive, by their database sessions: the same for one machine and for many.
import { sql } from 'kysely'
import type { Db } from './postgres.ts'

/** The session name of a worker, which its sessions have. */
export const workerProgram = 'crossfile worker'

export type Processes = { readonly workers: number; readonly apis: number }

/** Each worker and each API process holds one listening session; while it reconnects, its other sessions count. */
export async function findProcesses(db: Db): Promise<Processes> {
  const { rows } = await sql<{ name: string; sessions: number }>`
    select application_name as name, count(*)::int as sessions from pg_stat_activity
    where datname = current_database() and application_name like 'crossfile %' group by 1`.execute(db)
  const sessions = new Map(rows.map(row => [row.name, row.sessions]))
  const alive = (program: string): number => sessions.get(`${program} listener`) ?? (sessions.has(program) ? 1 : 0)
  return { workers: alive(workerProgram), apis: alive('crossfile api') }
}
