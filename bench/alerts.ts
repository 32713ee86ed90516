// 100,000 alerts against one release: rows read, listings read, every condition judged, what fires written with its mail; beside the
// closes alone, read by plain DuckDB from the same files.
import { sql } from 'kysely'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { evaluateAlerts } from '#warehouse/people/alerts/evaluate.ts'
import { AlertCondition } from '#warehouse/rulesets/indicators/rules.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { filesFor, lakePath, openLake } from '#warehouse/store/lake/open.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { compared, figure, interleave, type Report } from './measure.ts'

const users = 200
const alerts = 100_000
/** Alerts that become true on the release: one in a hundred. */
const firing = 1000
const now = '2026-11-19T23:30:00Z'

/** Alerts of all ten conditions over all listings of the market; every fifth has a second condition. */
async function addAlerts({ runtime, universe }: Market): Promise<void> {
  const { db } = runtime.postgres
  const names = AlertCondition.options
  await db.deleteFrom('app_user').execute()
  await db.deleteFrom('alert_round').execute()
  await sql`insert into app_user (user_id, email, email_key, email_verified_at, subject_key)
    select 'u_' || n, 'u' || n || '@example.org', 'u' || n || '@example.org', now(), decode(repeat('00', 32), 'hex') from generate_series(1, ${users}) as n`.execute(
    db,
  )
  await sql`insert into alert (alert_id, user_id, scope, ticker, condition, threshold, baseline_price, condition2, threshold2, logic, status, armed_at, created_at)
    select 'a_' || n, 'u_' || (n % ${users} + 1), 'ticker', (${[...universe.symbols]}::text[])[n * 7919::bigint % ${universe.symbols.length} + 1],
      (${names}::text[])[n % ${names.length} + 1], 20 + n % 60, 50, case when n % 5 = 0 then (${names}::text[])[n / 10 % ${names.length} + 1] end,
      case when n % 5 = 0 then 30 end, case when n % 5 = 0 then 'OR' end, 'active', ${now}::timestamptz, ${now}::timestamptz
    from generate_series(1, ${alerts}) as n`.execute(db)
}

/** As before the release: everything armed, and some of what holds last known to be false. */
async function arm({ runtime }: Market): Promise<void> {
  const { db } = runtime.postgres
  for (const table of ['alert_delivery', 'alert_firing', 'mail_outbox', 'alert_round'] as const) await db.deleteFrom(table).execute()
  await sql`update alert set status = 'active' where status <> 'active'`.execute(db)
  await sql`update alert_symbol set holds = false where alert_id in (select alert_id from alert_symbol where holds order by alert_id limit ${firing})`.execute(
    db,
  )
}

export async function alertsOnRelease(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const { db } = market.runtime.postgres
  const { writer } = market.runtime.tools
  await addAlerts(market)
  const catalogue = await market.catalogue()
  const context = await contextOf(openLake(catalogue, writer.connections, writer.verifier), null)
  const round = async (): Promise<{ ms: number; fired: number }> => {
    const begun = performance.now()
    const { fired, alerts: evaluated } = await evaluateAlerts({ db, context, now, baseUrl: '', crashPoint: () => {} })
    if (evaluated !== alerts) throw new Error(`${evaluated} of ${alerts} alerts were judged`)
    return { ms: performance.now() - begun, fired }
  }
  const first = await round()
  const files = filesFor(catalogue.files.get('bars') ?? [], market.universe.symbols).map(file => lakePath(market.runtime.config.dataFolder, file))
  const plain = async (): Promise<number> => {
    const begun = performance.now()
    await writer.connections.use(connection =>
      queryRows(connection, "select symbol, date, close from read_parquet($files) where date >= date '2025-10-15' order by symbol, date", { files }),
    )
    return performance.now() - begun
  }
  let fired = 0
  const measured = await interleave(
    [
      {
        name: 'round',
        run: async () => {
          await arm(market)
          const done = await round()
          fired = done.fired
          return done.ms / 1000
        },
      },
      { name: 'closes', run: async () => (await plain()) / 1000 },
    ],
    contexts.options.rounds,
  )
  if (fired < firing) throw new Error(`${fired} alerts fired, expected at least ${firing}`)
  return {
    figures: [
      compared(
        `${alerts.toLocaleString('en-US')} alerts on a release`,
        's',
        measured.get('round') ?? [],
        'plain DuckDB: the closes alone',
        measured.get('closes') ?? [],
        {
          of: 'value',
          most: 5,
        },
      ),
      figure('the first round, which keeps a state of each', 's', [first.ms / 1000]),
    ],
    notes: [
      `over ${market.universe.symbols.length} listings, all ten conditions, every fifth alert with a second one; ${fired} fire and are written with their mail, ${users} users`,
    ],
  }
}
