// A user's alerts on offerings: create, list, arm again, delete, and evaluate against the IPO calendar.
import { type Selectable, sql } from 'kysely'
import { maxIpoAlerts } from '#schemas/alerts.ts'
import { addDays } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { daysBack, findDealRows, ipoDatasets } from '../../answers/ipo-calendar.ts'
import type { DealRow } from '../../answers/ipo-deal.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import type { Db } from '../../store/postgres.ts'
import { deleteOwn, type Trx } from '../users/own-rows.ts'
import { type AlertPage, type Page, serialise } from './alerts.ts'
import { type Evaluated, type EvaluationTools, inChunks } from './evaluate.ts'
import { type Firing, writeFirings } from './fire.ts'
import { eventsOf, type Happened, ipoEventRules, isOf, seenOf } from './ipo-events.ts'
import type { AlertTables } from './tables.ts'

export type IpoAlertRow = Selectable<AlertTables['ipo_alert']>

const noAlert = (): NotFound => new NotFound('there is no such alert on an offering', { hint: 'GET /api/v1/ipo-alerts lists yours' })

/** Deals that an alert may be about on a day: registrations awaiting pricing, and current lock-ups. */
export const findCurrentDeals = async (context: ReleaseContext, now: string): Promise<readonly DealRow[]> =>
  await findDealRows(context, addDays(now.slice(0, 10), -daysBack), addDays(now.slice(0, 10), 366))

type Fired = Pick<Selectable<AlertTables['alert_firing']>, 'subject' | 'release' | 'rule' | 'inputs'> & { readonly ipo_alert_id: string | null }
function printed(row: IpoAlertRow, fired: Fired | undefined): object {
  const inputs = fired?.inputs as Happened | undefined
  return {
    id: row.ipo_alert_id,
    ticker: row.ticker,
    event: row.event,
    lead_days: row.lead_days,
    note: row.note,
    status: row.status,
    triggered_at: row.triggered_at,
    fired:
      fired && inputs
        ? {
            event: fired.subject,
            release: fired.release,
            rule: fired.rule,
            deal: inputs.deal,
            company: inputs.company,
            date: inputs.date,
            url: inputs.url,
          }
        : null,
    created_at: row.created_at,
  }
}

/** The newest firing of each alert. */
async function lastFirings(trx: Trx, userId: string, ids: readonly string[]): Promise<ReadonlyMap<string | null, Fired>> {
  if (ids.length === 0) return new Map()
  const rows = await trx
    .selectFrom('alert_firing')
    .select(['ipo_alert_id', 'subject', 'release', 'rule', 'inputs'])
    .distinctOn('ipo_alert_id')
    .where('user_id', '=', userId)
    .where('ipo_alert_id', 'in', ids)
    .orderBy('ipo_alert_id')
    .orderBy('armed', 'desc')
    .orderBy('firing_id')
    .execute()
  return new Map(rows.map(row => [row.ipo_alert_id, row]))
}

/** The user's alerts on offerings, newest first, one more than the limit if there are more. */
export async function findIpoAlerts(trx: Trx, userId: string, { status, limit, after }: Page): Promise<AlertPage<IpoAlertRow>> {
  const rows = await trx
    .selectFrom('ipo_alert')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(status !== undefined, query => query.where('status', '=', status as IpoAlertRow['status']))
    .$if(after !== null, query => query.where(sql<boolean>`(created_at, ipo_alert_id) < (${after?.[0]}::timestamptz, ${after?.[1]})`))
    .orderBy('created_at', 'desc')
    .orderBy('ipo_alert_id', 'desc')
    .limit(limit + 1)
    .execute()
  const fired = await lastFirings(
    trx,
    userId,
    rows.map(({ ipo_alert_id }) => ipo_alert_id),
  )
  return { rows, printed: rows.map(row => printed(row, fired.get(row.ipo_alert_id))) }
}

/** One alert. Throws `NotFound`. */
export async function getIpoAlert(trx: Trx, userId: string, id: string): Promise<object> {
  const row = await trx.selectFrom('ipo_alert').selectAll().where('user_id', '=', userId).where('ipo_alert_id', '=', id).executeTakeFirst()
  if (!row) throw noAlert()
  return printed(row, (await lastFirings(trx, userId, [id])).get(id))
}

export type NewIpoAlert = Pick<IpoAlertRow, 'ipo_alert_id' | 'ticker' | 'event' | 'lead_days' | 'note'>

/** Creates an alert; throws 409 `conflict` above the maximum number per user. */
export async function insertIpoAlert(
  trx: Trx,
  userId: string,
  given: NewIpoAlert,
  deals: readonly DealRow[],
  now: string,
  dataNow = now,
): Promise<object> {
  await serialise(trx, userId)
  const { count } = await trx
    .selectFrom('ipo_alert')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  if (count >= maxIpoAlerts)
    throw new BadRequest(`you have ${count} alerts on offerings, the most is ${maxIpoAlerts}`, {
      status: 409,
      code: 'conflict',
      hint: 'delete one: DELETE /api/v1/ipo-alerts/{id}',
    })
  const seen = JSON.stringify(seenOf(deals, given.ticker, given.event, dataNow.slice(0, 10)))
  const row = await trx
    .insertInto('ipo_alert')
    .values({ ...given, user_id: userId, status: 'active', armed_at: now, seen, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  return printed(row, undefined)
}

/** Arms or dismisses; setting an active alert to active changes nothing. Throws `NotFound`. */
export async function changeIpoAlert(
  trx: Trx,
  userId: string,
  id: string,
  status: 'active' | 'dismissed',
  deals: readonly DealRow[],
  now: string,
  dataNow = now,
): Promise<object> {
  const own = trx.selectFrom('ipo_alert').selectAll().where('user_id', '=', userId).where('ipo_alert_id', '=', id)
  const row = await own.forNoKeyUpdate().executeTakeFirst()
  if (!row) throw noAlert()
  const arms = status === 'active' && row.status !== 'active'
  const seen = JSON.stringify(arms ? seenOf(deals, row.ticker, row.event, dataNow.slice(0, 10)) : row.seen)
  await trx
    .updateTable('ipo_alert')
    .set({ status, seen, ...(arms ? { armed: row.armed + 1, armed_at: now } : {}) })
    .where('user_id', '=', userId)
    .where('ipo_alert_id', '=', id)
    .execute()
  return await getIpoAlert(trx, userId, id)
}

/** Deletes an alert with its firings. Throws `NotFound`. */
export async function deleteIpoAlert(trx: Trx, userId: string, id: string): Promise<void> {
  if (!(await deleteOwn(trx, 'ipo_alert', 'ipo_alert_id', userId, id))) throw noAlert()
}

/**
 * Evaluates all active alerts if the calendar is newer than the last round, the day has changed, or alerts were armed since. May be run
 * again at any point, and by several workers.
 */
export async function evaluateIpoAlerts({ db, context, ...tools }: EvaluationTools): Promise<Evaluated> {
  const { now, dataNow = now, crashPoint } = tools
  const { release } = context.lake.versionOf(ipoDatasets)
  const today = dataNow.slice(0, 10)
  const round = await db.selectFrom('alert_round').select(['release', 'day', 'read_at']).where('kind', '=', 'ipo').executeTakeFirst()
  const none = { release, alerts: 0, listings: 0, fired: 0 }
  if (round && round.release > release) return none
  const armedSince = round?.release === release && round.day === today ? round.read_at : null
  const { rows: clock } = await sql<{ at: string }>`select clock_timestamp() as at`.execute(db)
  const alerts = await findActive(db, armedSince)
  if (alerts.length === 0 && armedSince !== null) return none
  const deals = alerts.length === 0 ? [] : await findCurrentDeals(context, dataNow)
  const news: Firing[] = alerts.flatMap(alert => firingsOf(alert, deals, today, release))
  let fired = 0
  for (const chunk of inChunks(news, 200)) {
    fired += (await writeFirings(db, chunk, tools)).length
    crashPoint('alerts-fired')
  }
  await sql`insert into alert_round (kind, release, day, read_at) values ('ipo', ${release}, ${today}, ${clock[0]?.at ?? now})
    on conflict (kind) do update set release = excluded.release, day = excluded.day, read_at = excluded.read_at
    where alert_round.release <= excluded.release`.execute(db)
  return { release, alerts: alerts.length, listings: deals.length, fired }
}

type Active = IpoAlertRow & { readonly reported: readonly string[] }

/** Active alerts of users who may use them, each with the events for which it already fired. */
async function findActive(db: Db, armedSince: string | null): Promise<readonly Active[]> {
  const late = armedSince === null ? sql`` : sql`and a.armed_at > ${armedSince}::timestamptz - interval '5 minutes'`
  const { rows } = await sql<Active>`
    select a.*, array(select f.subject from alert_firing f where f.ipo_alert_id = a.ipo_alert_id) as reported
    from ipo_alert a join app_user u on u.user_id = a.user_id and u.is_active and u.erasure_requested_at is null
    where a.status = 'active' ${late}
    order by a.ipo_alert_id`.execute(db)
  return rows
}

/** The events that are new to an alert; those of one moment fire together. */
function firingsOf(alert: Active, deals: readonly DealRow[], today: string, release: number): Firing[] {
  const known = new Set([...alert.seen, ...alert.reported])
  const happened = deals
    .filter(row => isOf(row, alert.ticker))
    .flatMap(row => eventsOf(row, alert.event, alert.lead_days, today))
    .filter(({ key }) => !known.has(key))
  return happened.map(each => ({
    user_id: alert.user_id,
    kind: 'ipo',
    alert_id: alert.ipo_alert_id,
    armed: alert.armed,
    subject: each.key,
    symbol: alert.ticker,
    price: null,
    release,
    rule: `${each.company}: ${each.rule}`,
    ruleset: ipoEventRules,
    inputs: each,
    bars: [],
  }))
}
