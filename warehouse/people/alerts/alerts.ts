// A user's price alerts: create, list, arm again, delete. Each statement names the user, in a transaction that shows no other user's rows.
import { sql } from 'kysely'
import { maxAlerts, maxWatchlistAlerts } from '#schemas/alerts.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { AlertTerms } from '../../rules/indicators/alerts.ts'
import { deleteOwn, type Trx } from '../users/own-rows.ts'
import { evaluate, type State } from './evaluate-condition.ts'
import type { Picture } from './pictures.ts'
import { type AlertRow, printedAlert, printedFiring, termsOf } from './print.ts'
import type { AlertStatus, SplitOn } from './tables.ts'

/** The same error for another user's alert and for one that never existed. */
const noAlert = (): NotFound => new NotFound('there is no such alert', { hint: 'GET /api/v1/alerts lists yours' })

/** Locks the user's alerts, so that a count stays valid until the end of the transaction. */
export async function serialise(trx: Trx, userId: string): Promise<void> {
  await trx.selectFrom('app_user').select('user_id').where('user_id', '=', userId).forNoKeyUpdate().execute()
}

export type NewAlert = {
  readonly alert_id: string
  readonly ticker: string
  readonly instrument_id: string | null
  readonly scope: 'ticker' | 'watchlist'
  readonly terms: AlertTerms
  readonly note: string | null
  /** For scope ticker: evaluates the alert immediately, so that the next release can make it true. */
  readonly picture: Picture | null
  readonly release: number
}

/** Creates an alert; throws 409 `conflict` above the maximum number per user. */
export async function insertAlert(trx: Trx, userId: string, given: NewAlert, now: string): Promise<object> {
  await serialise(trx, userId)
  const { count, watching } = await trx
    .selectFrom('alert')
    .select([sql<number>`count(*)::integer`.as('count'), sql<number>`(count(*) filter (where scope = 'watchlist'))::integer`.as('watching')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const full = count >= maxAlerts ? `alerts, the most is ${maxAlerts}` : `alerts on your watchlist, the most is ${maxWatchlistAlerts}`
  if (count >= maxAlerts || (given.scope === 'watchlist' && watching >= maxWatchlistAlerts))
    throw new BadRequest(`you have ${count >= maxAlerts ? count : watching} ${full}`, {
      status: 409,
      code: 'conflict',
      hint: 'delete one: DELETE /api/v1/alerts/{id}',
    })
  const { alert_id, ticker, instrument_id, scope, note, picture, release } = given
  const state = picture && evaluate(given.terms, null, picture).state
  const terms = { ...given.terms, baseline_price: given.terms.baseline_price ?? state?.baseline_price ?? null }
  const row = await trx
    .insertInto('alert')
    .values({ alert_id, user_id: userId, ticker, instrument_id, scope, ...terms, note, status: 'active', armed_at: now, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (state) await insertState(trx, userId, alert_id, ticker, state, release)
  return printedAlert(row, [])
}

async function insertState(trx: Trx, userId: string, alertId: string, symbol: string, state: State, release: number): Promise<void> {
  const { baseline_price, priced_on, holds } = state
  const values = { alert_id: alertId, user_id: userId, symbol, baseline_price, priced_on, splits: JSON.stringify(state.splits), holds, release }
  await trx.insertInto('alert_symbol').values(values).execute()
}

/** Splits of the alerts' listings since they were created, by alert. */
async function splitsSince(trx: Trx, userId: string, rows: readonly AlertRow[]): Promise<ReadonlyMap<string, readonly SplitOn[]>> {
  const own = rows.filter(({ scope }) => scope === 'ticker').map(({ alert_id }) => alert_id)
  if (own.length === 0) return new Map()
  const states = await trx
    .selectFrom('alert_symbol')
    .select(['alert_id', 'splits'])
    .where('user_id', '=', userId)
    .where('alert_id', 'in', own)
    .execute()
  return new Map(states.map(({ alert_id, splits }) => [alert_id, splits]))
}

export type Page = { readonly status?: AlertStatus | undefined; readonly limit: number; readonly after: readonly [string, string] | null }

/** Rows, and the same rows as they are printed. */
export type AlertPage<Row> = { readonly rows: readonly Row[]; readonly printed: object[] }

/** The user's alerts, newest first, then by id; one more than the limit if there are more. */
export async function findAlerts(trx: Trx, userId: string, { status, limit, after }: Page): Promise<AlertPage<AlertRow>> {
  const rows = await trx
    .selectFrom('alert')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(status !== undefined, query => query.where('status', '=', status as AlertStatus))
    .$if(after !== null, query => query.where(sql<boolean>`(created_at, alert_id) < (${after?.[0]}::timestamptz, ${after?.[1]})`))
    .orderBy('created_at', 'desc')
    .orderBy('alert_id', 'desc')
    .limit(limit + 1)
    .execute()
  const splits = await splitsSince(trx, userId, rows)
  return { rows, printed: rows.map(row => printedAlert(row, splits.get(row.alert_id) ?? [])) }
}

/** The row of an alert of the user. */
export async function findAlert(trx: Trx, userId: string, alertId: string): Promise<AlertRow | undefined> {
  return await trx.selectFrom('alert').selectAll().where('user_id', '=', userId).where('alert_id', '=', alertId).executeTakeFirst()
}

/** One alert. Throws `NotFound`. */
export async function getAlert(trx: Trx, userId: string, alertId: string): Promise<{ row: AlertRow; printed: object }> {
  const row = await findAlert(trx, userId, alertId)
  if (!row) throw noAlert()
  return { row, printed: printedAlert(row, (await splitsSince(trx, userId, [row])).get(alertId) ?? []) }
}

export type AlertChange = {
  readonly status?: 'active' | 'dismissed' | null | undefined
  readonly note?: string | null | undefined
  /** New conditions: the alert is armed with them, as if it was created now; null: unchanged. */
  readonly terms: AlertTerms | null
  /** The inputs for evaluating an alert of scope ticker when it is armed again. */
  readonly picture: Picture | null
  readonly release: number
}

/** Changes conditions, status or note; setting an active alert to active keeps its state. Throws `NotFound`. */
export async function changeAlert(trx: Trx, userId: string, alertId: string, change: AlertChange, now: string): Promise<object> {
  const row = await trx
    .selectFrom('alert')
    .selectAll()
    .where('user_id', '=', userId)
    .where('alert_id', '=', alertId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw noAlert()
  const arms = change.terms !== null || (change.status === 'active' && row.status !== 'active')
  const state = change.terms && change.picture && evaluate(change.terms, null, change.picture).state
  const set = {
    ...(change.terms === null
      ? {}
      : { ...change.terms, baseline_price: change.terms.baseline_price ?? state?.baseline_price ?? null, status: 'active' as const }),
    ...(change.status ? { status: change.status } : {}),
    ...(change.note === undefined ? {} : { note: change.note }),
    ...(arms ? { armed: row.armed + 1, armed_at: now } : {}),
  }
  if (Object.keys(set).length > 0) await trx.updateTable('alert').set(set).where('user_id', '=', userId).where('alert_id', '=', alertId).execute()
  if (change.terms !== null) {
    await trx.deleteFrom('alert_symbol').where('user_id', '=', userId).where('alert_id', '=', alertId).execute()
    if (state) await insertState(trx, userId, alertId, row.ticker, state, change.release)
  } else if (arms) await rearm(trx, userId, row, change)
  return (await getAlert(trx, userId, alertId)).printed
}

/** Deletes the alert's evaluated state and evaluates it on current data: it does not fire until it has been false. */
async function rearm(trx: Trx, userId: string, row: AlertRow, { picture, release }: AlertChange): Promise<void> {
  const own = trx.updateTable('alert_symbol').where('user_id', '=', userId).where('alert_id', '=', row.alert_id)
  if (picture === null) {
    await own.set({ holds: null, release }).execute()
    return
  }
  const state = await trx
    .selectFrom('alert_symbol')
    .select(['baseline_price', 'priced_on', 'splits', 'holds'])
    .where('user_id', '=', userId)
    .where('alert_id', '=', row.alert_id)
    .where('symbol', '=', row.ticker)
    .executeTakeFirst()
  const { state: after } = evaluate(termsOf(row), state ? { ...state, holds: null } : null, picture)
  if (!state) await insertState(trx, userId, row.alert_id, row.ticker, after, release)
  else
    await own
      .set({ priced_on: after.priced_on, splits: JSON.stringify(after.splits), holds: after.holds, release })
      .where('symbol', '=', row.ticker)
      .execute()
}

/** Deletes an alert with its firings. Throws `NotFound`. */
export async function deleteAlert(trx: Trx, userId: string, alertId: string): Promise<void> {
  if (!(await deleteOwn(trx, 'alert', 'alert_id', userId, alertId))) throw noAlert()
}

/** Firings of an alert, newest first, one more than the limit if there are more. Throws `NotFound`. */
export async function findFirings(
  trx: Trx,
  userId: string,
  alertId: string,
  { limit, after }: Omit<Page, 'status'>,
): Promise<{ rows: readonly { readonly fired_at: string; readonly firing_id: string }[]; printed: object[] }> {
  await getAlert(trx, userId, alertId)
  const rows = await trx
    .selectFrom('alert_firing')
    .selectAll()
    .where('user_id', '=', userId)
    .where('alert_id', '=', alertId)
    .$if(after !== null, query => query.where(sql<boolean>`(fired_at, firing_id) < (${after?.[0]}::timestamptz, ${after?.[1]})`))
    .orderBy('fired_at', 'desc')
    .orderBy('firing_id', 'desc')
    .limit(limit + 1)
    .execute()
  const ids = rows.map(({ firing_id }) => firing_id)
  const deliveries =
    ids.length === 0
      ? []
      : await trx.selectFrom('alert_delivery').selectAll().where('user_id', '=', userId).where('firing_id', 'in', ids).orderBy('channel').execute()
  return {
    rows,
    printed: rows.map(row =>
      printedFiring(
        row,
        deliveries.filter(({ firing_id }) => firing_id === row.firing_id),
      ),
    ),
  }
}
