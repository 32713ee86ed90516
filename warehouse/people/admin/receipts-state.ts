// Signing keys, the receipt log and samples computed again, for administrators. Nothing here reads a private key.
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'
import { countWaiting } from '../../store/receipts/countersign.ts'
import type { LogFolder } from '../../store/receipts/log/folder.ts'
import { readLogState } from '../../store/receipts/log/state.ts'
import { findKeyRows } from '../../store/receipts/store.ts'

type Round = {
  readonly seed: string
  readonly population: number
  readonly size: number
  readonly started_at: string
  readonly ended_at: string | null
  readonly equal: number
  readonly different: number
  readonly not_possible: number
}

/** `folder`: the published files of the log. */
export async function readReceiptsState(db: Db, folder: LogFolder) {
  const receipts = await sql<{ receipts: number }>`select count(*)::int as receipts from receipt`.execute(db)
  const rounds = await sql<Round>`
    select r.seed, r.population::float8 as population, r.size, r.started_at, r.ended_at,
      count(*) filter (where s.result = 'equal')::int as equal, count(*) filter (where s.result = 'different')::int as different,
      count(*) filter (where s.result = 'not_possible')::int as not_possible
    from reproduction_round r left join reproduction_result s on s.seed = r.seed
    group by r.seed order by r.started_at desc limit 20`.execute(db)
  const { witnesses, ...log } = await readLogState(db, folder)
  return {
    receipts: receipts.rows[0]?.receipts ?? 0,
    waiting: await countWaiting(db),
    keys: (await findKeyRows(db)).map(({ x: _x, ...row }) => row),
    log: {
      ...log,
      witnesses: witnesses.map(({ name, url, state, detail, state_since, size, succeeded_at }) => ({
        name,
        url,
        state,
        detail,
        state_since,
        size,
        succeeded_at,
      })),
    },
    reproductions: rounds.rows,
  }
}
