// Firings and their deliveries, in one transaction with the alert's new status: after a crash, each firing is stored once with all of its
// deliveries, or not at all.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../store/postgres.ts'
import { transaction } from '../../store/postgres.ts'
import { enqueueMails, type Mail } from '../mail/enqueue.ts'
import { enqueuePush } from '../push/send.ts'

export type Firing = {
  readonly user_id: string
  readonly kind: 'price' | 'ipo'
  readonly alert_id: string
  readonly armed: number
  /** The symbol, or the event of a deal. */
  readonly subject: string
  /** What mail and push mention. */
  readonly symbol: string
  readonly price: string | null
  readonly release: number
  readonly rule: string
  readonly ruleset: string
  readonly inputs: object
  readonly bars: readonly (readonly [string, string])[]
}
type Reader = { readonly email: string; readonly verified: boolean; readonly subscribed: boolean }

/** The same firing has the same id on every attempt, and so do its mail and its push. */
export const firingId = ({ alert_id, armed, subject }: Pick<Firing, 'alert_id' | 'armed' | 'subject'>): string =>
  `f_${hash('sha256', `${alert_id}\n${armed}\n${subject}`, 'buffer').toString('base64url').slice(0, 20)}`

export type FiringTools = {
  readonly now: string
  /** The service's public address, without a trailing slash; empty if not configured. */
  readonly baseUrl: string
  readonly crashPoint: (name: string) => void
}

/**
 * Writes the firings of some alerts, except those that were changed, deleted or fired in the meantime. Returns the written ones. `along`
 * runs in the same transaction.
 */
export async function writeFirings(
  db: Db,
  firings: readonly Firing[],
  { now, baseUrl, crashPoint }: FiringTools,
  along: (trx: Db, written: readonly Firing[]) => Promise<void> = async () => {},
): Promise<readonly Firing[]> {
  return await transaction(db, async trx => {
    const taken = new Set<string>()
    for (const kind of ['price', 'ipo'] as const) {
      const own = firings.filter(each => each.kind === kind)
      if (own.length > 0) for (const id of await trigger(trx, kind, own, now)) taken.add(id)
    }
    crashPoint('alerts-triggered')
    const fired = firings.filter(each => taken.has(each.alert_id))
    const news = new Set(await insertFirings(trx, fired, now))
    const written = fired.filter(each => news.has(firingId(each)))
    await notify(trx, written, now, baseUrl)
    await along(trx, written)
    crashPoint('alerts-written')
    return written
  })
}

/** Selects the alerts that are still armed as they were read, ordered by id so that two writers never deadlock. */
async function trigger(trx: Db, kind: Firing['kind'], firings: readonly Firing[], now: string): Promise<readonly string[]> {
  const first = [...new Map(firings.toReversed().map(each => [each.alert_id, each])).values()].sort((a, b) => (a.alert_id < b.alert_id ? -1 : 1))
  const ids = first.map(each => each.alert_id)
  const column = sql.ref(kind === 'price' ? 'alert_id' : 'ipo_alert_id')
  const table = sql.table(kind === 'price' ? 'alert' : 'ipo_alert')
  const price = kind === 'price' ? sql`, triggered_price = f.price, triggered_symbol = f.symbol` : sql``
  await sql`select from ${table} where ${column} = any(${ids}) order by ${column} for no key update`.execute(trx)
  const { rows } = await sql<{ id: string }>`
    update ${table} as a set status = 'triggered', triggered_at = ${now}::timestamptz ${price}
    from unnest(
      ${ids}::text[], ${first.map(each => each.user_id)}::text[], ${first.map(each => each.armed)}::integer[],
      ${first.map(each => each.price)}::numeric[], ${first.map(each => each.symbol)}::text[]
    ) as f(id, user_id, armed, price, symbol)
    where a.${column} = f.id and a.user_id = f.user_id and a.armed = f.armed and a.status = 'active'
    returning f.id`.execute(trx)
  return rows.map(({ id }) => id)
}

async function insertFirings(trx: Db, firings: readonly Firing[], now: string): Promise<readonly string[]> {
  if (firings.length === 0) return []
  const rows = await trx
    .insertInto('alert_firing')
    .values(
      firings.map(each => ({
        firing_id: firingId(each),
        user_id: each.user_id,
        alert_id: each.kind === 'price' ? each.alert_id : null,
        ipo_alert_id: each.kind === 'ipo' ? each.alert_id : null,
        armed: each.armed,
        subject: each.subject,
        fired_at: now,
        release: each.release,
        price: each.price,
        rule: each.rule,
        ruleset: each.ruleset,
        inputs: JSON.stringify(each.inputs),
        bars: JSON.stringify(each.bars),
      })),
    )
    .onConflict(conflict => conflict.doNothing())
    .returning('firing_id')
    .execute()
  return rows.map(({ firing_id }) => firing_id)
}

async function readersOf(trx: Db, firings: readonly Firing[]): Promise<ReadonlyMap<string, Reader>> {
  const ids = [...new Set(firings.map(each => each.user_id))]
  if (ids.length === 0) return new Map()
  const rows = await trx
    .selectFrom('app_user as u')
    .select(['u.user_id', 'u.email', 'u.email_verified_at'])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('push_subscription as p').select('p.user_id').whereRef('p.user_id', '=', 'u.user_id')).as('subscribed'),
    )
    .where('u.user_id', 'in', ids)
    .execute()
  return new Map(rows.map(row => [row.user_id, { email: row.email, verified: row.email_verified_at !== null, subscribed: row.subscribed === true }]))
}

const path = ({ kind, alert_id }: Firing): string => (kind === 'price' ? `/api/v1/alerts/${alert_id}/firings` : `/api/v1/ipo-alerts/${alert_id}`)

const lastPrice = ({ price }: Firing): string => (price === null ? '' : ` The last price is ${price}.`)
const dedupeKey = (firing: Firing): string => `alert ${firingId(firing)}`

function mailOf(firing: Firing, to_address: string, baseUrl: string): Mail {
  const { user_id, symbol, rule } = firing
  return {
    dedupe_key: dedupeKey(firing),
    user_id,
    to_address,
    kind: 'alert_fired',
    subject: `Your alert on ${symbol} fired`,
    body: `${symbol}: ${rule}.${lastPrice(firing)}\n\nThe values it was evaluated on: ${baseUrl}${path(firing)}\nThe alert will not fire again until you set it to active.\n\nThis is research data, not advice.\n`,
  }
}

async function push(trx: Db, firing: Firing): Promise<number> {
  const { user_id, symbol, rule, kind } = firing
  return await enqueuePush(trx, {
    user_id,
    dedupe_key: dedupeKey(firing),
    title: `${symbol}: alert`,
    body: `${rule}.${lastPrice(firing)}`,
    url: path(firing),
    topic: null,
    symbol: kind === 'price' ? symbol : null,
  })
}

/** Firings in the API, by mail if the address is verified, by push if a device is registered. */
async function notify(trx: Db, firings: readonly Firing[], now: string, baseUrl: string): Promise<void> {
  const readers = await readersOf(trx, firings)
  const readerOf = (firing: Firing): Reader | undefined => readers.get(firing.user_id)
  await enqueueMails(
    trx,
    firings.flatMap(firing => (readerOf(firing)?.verified ? [mailOf(firing, readerOf(firing)?.email ?? '', baseUrl)] : [])),
  )
  const ways = []
  for (const firing of firings) {
    const pushed = readerOf(firing)?.subscribed ? await push(trx, firing) : 0
    const way = { firing_id: firingId(firing), user_id: firing.user_id, queued_at: now }
    ways.push(
      { ...way, channel: 'api' as const, skipped: null },
      { ...way, channel: 'mail' as const, skipped: readerOf(firing)?.verified ? null : 'the address is not verified' },
      { ...way, channel: 'push' as const, skipped: pushed > 0 ? null : 'no device takes pushes of it' },
    )
  }
  if (ways.length > 0) await trx.insertInto('alert_delivery').values(ways).execute()
}
