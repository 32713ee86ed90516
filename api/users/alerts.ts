// Alerts on prices and offerings. The state of a listing is read before the transaction that writes the alert.
import { randomBytes } from 'node:crypto'
import {
  type AlertCreate,
  type AlertDryRun,
  type AlertPatch,
  type IpoAlertCreate,
  type IpoAlertPatch,
  maxDryRunSymbols,
  storedTicker,
} from '#schemas/alerts.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { decimalText } from '#schemas/values.ts'
import { resolveHeld } from '#warehouse/answers/listed.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import {
  type AlertPage,
  changeAlert,
  deleteAlert,
  findAlert,
  findAlerts,
  findFirings,
  getAlert,
  insertAlert,
} from '#warehouse/people/alerts/alerts.ts'
import { dryRun } from '#warehouse/people/alerts/dry-run.ts'
import { presentSymbol } from '#warehouse/people/alerts/evaluate.ts'
import { readsHistory } from '#warehouse/people/alerts/evaluate-condition.ts'
import { changeIpoAlert, deleteIpoAlert, findCurrentDeals, findIpoAlerts, getIpoAlert, insertIpoAlert } from '#warehouse/people/alerts/ipo-alerts.ts'
import { findPictures, type Picture, priceDatasets } from '#warehouse/people/alerts/pictures.ts'
import { asUser, type Trx } from '#warehouse/people/users/own-rows.ts'
import type { AlertTerms } from '#warehouse/rules/indicators/alerts.ts'
import type { Context, Handlers } from '../handler.ts'
import { jsonAnswer, noContent, type UserTools, userOf, written } from './tools.ts'

type AlertOperation =
  | 'list_alerts'
  | 'create_alert'
  | 'dry_run_alert'
  | 'get_alert'
  | 'update_alert'
  | 'delete_alert'
  | 'list_alert_firings'
  | 'list_ipo_alerts'
  | 'create_ipo_alert'
  | 'get_ipo_alert'
  | 'update_ipo_alert'
  | 'delete_ipo_alert'

const newId = (prefix: string): string => `${prefix}_${randomBytes(9).toString('base64url')}`

/** An amount with the digits that were sent, in canonical form. */
function decimalOf(value: string): string {
  const text = decimalText(value)
  if (text === null) throw new Broken('an amount passed its schema and is no decimal')
  return text
}
const maybe = (value: string | null | undefined): string | null => (value === null || value === undefined ? null : decimalOf(value))

const termsOf = ({ condition, threshold, baseline_price, condition2, threshold2, logic }: Omit<AlertCreate, 'ticker' | 'scope'>): AlertTerms => ({
  condition,
  threshold: maybe(threshold),
  baseline_price: maybe(baseline_price),
  condition2: condition2 ?? null,
  threshold2: maybe(threshold2),
  logic: logic ?? null,
})

/** The new conditions of a patch; null: they stay as they are. */
const patchOf = ({ status, note, condition, ...others }: AlertPatch) => ({
  status,
  note,
  terms: condition === undefined ? null : termsOf({ ...others, condition }),
})

async function pictureOf(
  releaseContext: ReleaseContext,
  symbol: string,
  terms: Pick<AlertTerms, 'condition' | 'condition2'>,
  now: Date,
): Promise<Picture> {
  const pictures = await findPictures(releaseContext, [{ symbol, history: readsHistory(terms), since: null, stale: true }], now.toISOString())
  return pictures.get(symbol) as Picture
}

/** A change in percent is calculated from a baseline, which must be given if no close is known. */
function checkBaseline(terms: AlertTerms, picture: Picture): void {
  const reads = [terms.condition, terms.condition2].some(name => name === 'pct_up' || name === 'pct_down')
  if (reads && terms.baseline_price === null && picture.last_close === null)
    throw new BadRequest('no close of this listing is known that a change could be calculated from', {
      status: 422,
      code: 'validation_error',
      hint: 'give baseline_price',
      items: [{ loc: ['body', 'baseline_price'], msg: 'no close is known: give baseline_price', type: 'missing' }],
    })
}

/** The listings of the user's watchlist, in its order. */
async function watchedSymbols(trx: Trx, userId: string, { symbols }: ReleaseContext): Promise<string[]> {
  const items = await trx
    .selectFrom('watchlist_item')
    .select(['instrument_id', 'symbol'])
    .where('user_id', '=', userId)
    .orderBy('position')
    .orderBy('item_id')
    .execute()
  return items.map(({ instrument_id, symbol: named }) => presentSymbol(symbols, { instrument_id, named }))
}

/** A page of a list, and the cursor of the next one if there is more. */
function pageOf<R extends object>(
  name: string,
  operation: string,
  filters: object,
  limit: number,
  { rows, printed }: AlertPage<object>,
  keyOf: (row: R) => [string, string],
): object {
  const last = rows[limit - 1] as R | undefined
  const more = rows.length > limit && last !== undefined
  const page = printed.slice(0, limit)
  return { count: page.length, [name]: page, next_cursor: more ? encodeCursor(operation, { ...filters }, 0, keyOf(last)) : null }
}
function afterOf(cursor: string | undefined, operation: string, filters: object): [string, string] | null {
  if (cursor === undefined) return null
  const [at, id] = decodeCursor(cursor, operation, { ...filters }).after
  return [String(at), String(id)]
}

export function alertHandlers(tools: UserTools): Pick<Handlers, AlertOperation> {
  const { db, serving } = tools
  const releaseContext = (): Promise<ReleaseContext> => serving.releaseContext(null, null)
  const mine = <T>(context: Context, work: (trx: Parameters<Parameters<typeof asUser>[2]>[0], userId: string) => Promise<T>): Promise<T> => {
    const { user_id } = userOf(context)
    return asUser(db, user_id, trx => work(trx, user_id))
  }

  async function createAlert(context: Context) {
    const body = context.body as AlertCreate
    const terms = termsOf(body)
    const now = context.now()
    const known = await releaseContext()
    const symbol = body.scope === 'ticker' ? await resolveHeld(known, body.ticker) : null
    const listing = symbol === null ? null : known.symbols.find(symbol)
    const picture = symbol === null ? null : await pictureOf(known, symbol, terms, context.dataNow())
    if (picture) checkBaseline(terms, picture)
    const given = {
      ticker: symbol ?? body.ticker,
      instrument_id: listing?.instrument_id ?? null,
      scope: body.scope,
      terms,
      note: body.note ?? null,
      picture,
      release: known.lake.versionOf(priceDatasets).release,
    }
    return await written(tools, context, async trx => ({
      status: 201,
      body: await insertAlert(trx, userOf(context).user_id, { alert_id: newId('a'), ...given }, now.toISOString()),
    }))
  }

  async function updateAlert(id: string, context: Context) {
    const { status, note, terms } = patchOf(context.body as AlertPatch)
    const { user_id } = userOf(context)
    const now = context.now()
    // A repeated request returns its first answer, even if the alert was deleted: only the transaction below refuses.
    const row = status === 'active' || terms !== null ? await mine(context, trx => findAlert(trx, user_id, id)) : undefined
    const known = row ? await releaseContext() : null
    const picture =
      row && known && row.scope === 'ticker'
        ? await pictureOf(
            known,
            presentSymbol(known.symbols, { instrument_id: row.instrument_id, named: row.ticker }),
            terms ?? row,
            context.dataNow(),
          )
        : null
    if (terms && picture) checkBaseline(terms, picture)
    const release = known?.lake.versionOf(priceDatasets).release ?? 0
    return await written(tools, context, async trx => ({
      status: 200,
      body: await changeAlert(trx, user_id, id, { status, note, terms, picture, release }, now.toISOString()),
    }))
  }

  async function dryRunAlert(context: Context) {
    const { days, ...body } = context.body as AlertDryRun
    const known = await releaseContext()
    const symbols =
      body.scope === 'ticker' ? [await resolveHeld(known, body.ticker)] : await mine(context, (trx, userId) => watchedSymbols(trx, userId, known))
    const leftOut = Math.max(0, symbols.length - maxDryRunSymbols)
    return jsonAnswer(await dryRun(known, symbols.slice(0, maxDryRunSymbols), termsOf(body), days, context.dataNow().toISOString(), leftOut))
  }

  return {
    list_alerts: async ({ status, limit, cursor }, context) => {
      const after = afterOf(cursor, 'list_alerts', { status })
      const found = await mine(context, (trx, userId) => findAlerts(trx, userId, { status, limit, after }))
      return jsonAnswer(pageOf<(typeof found.rows)[number]>('alerts', 'list_alerts', { status }, limit, found, row => [row.created_at, row.alert_id]))
    },
    create_alert: (_, context) => createAlert(context),
    dry_run_alert: (_, context) => dryRunAlert(context),
    get_alert: async ({ id }, context) => jsonAnswer((await mine(context, (trx, userId) => getAlert(trx, userId, id))).printed),
    update_alert: ({ id }, context) => updateAlert(id, context),
    delete_alert: async ({ id }, context) => {
      await mine(context, (trx, userId) => deleteAlert(trx, userId, id))
      return noContent()
    },
    list_alert_firings: async ({ id, limit, cursor }, context) => {
      const after = afterOf(cursor, 'list_alert_firings', { id })
      const found = await mine(context, (trx, userId) => findFirings(trx, userId, id, { limit, after }))
      return jsonAnswer(
        pageOf<(typeof found.rows)[number]>('firings', 'list_alert_firings', { id }, limit, found, row => [row.fired_at, row.firing_id]),
      )
    },
    list_ipo_alerts: async ({ status, limit, cursor }, context) => {
      const after = afterOf(cursor, 'list_ipo_alerts', { status })
      const found = await mine(context, (trx, userId) => findIpoAlerts(trx, userId, { status, limit, after }))
      return jsonAnswer(
        pageOf<(typeof found.rows)[number]>('ipo_alerts', 'list_ipo_alerts', { status }, limit, found, row => [row.created_at, row.ipo_alert_id]),
      )
    },
    create_ipo_alert: async (_, context) => {
      const { ticker, event, lead_days, note } = context.body as IpoAlertCreate
      const now = context.now().toISOString()
      const dataNow = context.dataNow().toISOString()
      const deals = await findCurrentDeals(await releaseContext(), dataNow)
      const given = { ipo_alert_id: newId('i'), ticker: storedTicker(ticker), event, lead_days: lead_days ?? 7, note: note ?? null }
      return await written(tools, context, async trx => ({
        status: 201,
        body: await insertIpoAlert(trx, userOf(context).user_id, given, deals, now, dataNow),
      }))
    },
    get_ipo_alert: async ({ id }, context) => jsonAnswer(await mine(context, (trx, userId) => getIpoAlert(trx, userId, id))),
    update_ipo_alert: async ({ id }, context) => {
      const { status } = context.body as IpoAlertPatch
      const now = context.now().toISOString()
      const dataNow = context.dataNow().toISOString()
      const deals = status === 'active' ? await findCurrentDeals(await releaseContext(), dataNow) : []
      return await written(tools, context, async trx => ({
        status: 200,
        body: await changeIpoAlert(trx, userOf(context).user_id, id, status, deals, now, dataNow),
      }))
    },
    delete_ipo_alert: async ({ id }, context) => {
      await mine(context, (trx, userId) => deleteIpoAlert(trx, userId, id))
      return noContent()
    },
  }
}
