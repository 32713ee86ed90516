// Evaluates all active alerts against one snapshot of a release. Listings are read once, alerts are evaluated in memory, firings are stored.
import { sql } from 'kysely'
import type { ReleaseContext } from '../../context/answer.ts'
import type { SymbolIndex } from '../../datasets/symbols/symbol-index.ts'
import type { AlertTerms } from '../../rules/indicators/alerts.ts'
import { indicatorRules } from '../../rulesets/indicators/rules.ts'
import { type Db, transaction } from '../../store/postgres.ts'
import { barsRead, evaluate, inWords, readsHistory, type State, sameState, type Verdict } from './evaluate-condition.ts'
import { type Firing, type FiringTools, writeFirings } from './fire.ts'
import { findPictures, type Picture, priceDatasets, type Query } from './pictures.ts'
import { inputsOf } from './print.ts'
import type { SplitOn } from './tables.ts'

/** `dataNow`: the current instant for prices and calendars (warehouse/store/data-clock.ts), by default `now`. */
export type EvaluationTools = FiringTools & { readonly db: Db; readonly context: ReleaseContext; readonly dataNow?: string }
export type Evaluated = { readonly release: number; readonly alerts: number; readonly listings: number; readonly fired: number }

/** Number of alerts whose firings and states are written in one transaction. */
const firingsAtOnce = 200
const statesAtOnce = 5000
/** An alert armed this shortly before a round's read may have been committed after the read. */
const overlap = '5 minutes'

type Watched = AlertTerms & {
  readonly alert_id: string
  readonly user_id: string
  readonly armed: number
  /** The listing as the alert or the watchlist names it; its state is stored under this name. */
  readonly named: string
  readonly instrument_id: string | null
  readonly evaluated: boolean
  readonly state_baseline: string | null
  readonly priced_on: string | null
  readonly splits: readonly SplitOn[] | null
  readonly holds: boolean | null
}

/**
 * Evaluates due alerts: all active ones if quotes, bars, splits or listings are newer than the last round, else those armed since. May
 * be run again at any point, and by several workers: a firing is written once.
 */
export async function evaluateAlerts({ db, context, ...tools }: EvaluationTools): Promise<Evaluated> {
  const { now, dataNow = now, crashPoint } = tools
  const { release } = context.lake.versionOf(priceDatasets)
  const round = await db.selectFrom('alert_round').select(['release', 'read_at']).where('kind', '=', 'price').executeTakeFirst()
  const none = { release, alerts: 0, listings: 0, fired: 0 }
  if (round && round.release > release) return none
  const armedSince = round?.release === release ? round.read_at : null
  const { rows: clock } = await sql<{ at: string }>`select clock_timestamp() as at`.execute(db)
  const readAt = clock[0]?.at ?? now
  const watched = await findWatched(db, armedSince)
  if (watched.length === 0 && armedSince !== null) return none
  const shown = watched.map(each => presentSymbol(context.symbols, each))
  const pictures = await findPictures(context, queriesOf(watched, shown), dataNow)
  crashPoint('alerts-read')
  const firings: (Firing & { readonly verdict: Verdict; readonly watched: Watched })[] = []
  const changed: { readonly watched: Watched; readonly state: State }[] = []
  for (const [at, each] of watched.entries()) {
    const picture = pictures.get(shown[at] as string) as Picture
    const before = stateOf(each)
    const verdict = evaluate(each, before, picture)
    if (verdict.fires) firings.push({ ...firingOf(each, verdict, picture, release), verdict, watched: each })
    else if (before === null || !sameState(before, verdict.state)) changed.push({ watched: each, state: verdict.state })
  }
  let fired = 0
  for (const chunk of inChunks(firings, firingsAtOnce)) {
    const written = await writeFirings(db, chunk, tools, async trx =>
      writeStates(
        trx,
        chunk.map(({ watched: own, verdict }) => ({ watched: own, state: verdict.state })),
        release,
      ),
    )
    fired += written.length
    crashPoint('alerts-fired')
  }
  for (let from = 0; from < changed.length; from += statesAtOnce)
    await transaction(db, async trx => writeStates(trx, changed.slice(from, from + statesAtOnce), release))
  crashPoint('alerts-evaluated')
  // Workers may finish in any order: the stored round never decreases.
  await sql`insert into alert_round (kind, release, day, read_at) values ('price', ${release}, ${dataNow.slice(0, 10)}, ${readAt})
    on conflict (kind) do update set release = excluded.release, day = excluded.day, read_at = excluded.read_at
    where alert_round.release <= excluded.release`.execute(db)
  return { release, alerts: new Set(watched.map(each => each.alert_id)).size, listings: pictures.size, fired }
}

/** Active alerts of users who may use them, a row for each listing; `armedSince`: only those armed around then or later. */
async function findWatched(db: Db, armedSince: string | null): Promise<readonly Watched[]> {
  const late = armedSince === null ? sql`` : sql`and a.armed_at > ${armedSince}::timestamptz - ${overlap}::interval`
  const terms = sql`a.alert_id, a.user_id, a.armed, a.condition, a.threshold, a.baseline_price, a.condition2, a.threshold2, a.logic`
  const state = sql`s.alert_id is not null as evaluated, s.baseline_price as state_baseline, s.priced_on, nullif(s.splits, '[]'::jsonb) as splits, s.holds`
  const readers = sql`join app_user u on u.user_id = a.user_id and u.is_active and u.erasure_requested_at is null`
  const { rows } = await sql<Watched>`
    select ${terms}, a.ticker as named, a.instrument_id, ${state}
    from alert a ${readers} left join alert_symbol s on s.alert_id = a.alert_id and s.symbol = a.ticker
    where a.status = 'active' and a.scope = 'ticker' ${late}
    union all
    select ${terms}, w.symbol as named, w.instrument_id, ${state}
    from alert a ${readers} join watchlist_item w on w.user_id = a.user_id left join alert_symbol s on s.alert_id = a.alert_id and s.symbol = w.symbol
    where a.status = 'active' and a.scope = 'watchlist' ${late}
    order by alert_id, named`.execute(db)
  return rows
}

const stateOf = ({ evaluated, state_baseline, priced_on, splits, holds }: Watched): State | null =>
  evaluated ? { baseline_price: state_baseline, priced_on, splits: splits ?? [], holds } : null

/** The instrument's current symbol; a symbol that is in no directory is used unchanged. */
export const presentSymbol = (
  index: SymbolIndex,
  { instrument_id, named }: { readonly instrument_id: string | null; readonly named: string },
): string => (instrument_id === null ? undefined : index.history(instrument_id).at(-1)?.symbol) ?? named

/** The data to read for each listing, for all of its alerts together. */
function queriesOf(watched: readonly Watched[], shown: readonly string[]): readonly Query[] {
  const requested = new Map<string, { symbol: string; history: boolean; since: string | null; stale: boolean }>()
  for (const [at, each] of watched.entries()) {
    const symbol = shown[at] as string
    const held = requested.get(symbol) ?? { symbol, history: false, since: null, stale: false }
    held.since = earlier(held.since, each.priced_on)
    held.history ||= readsHistory(each)
    requested.set(symbol, held)
  }
  return [...requested.values()]
}

const earlier = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a)

function firingOf(watched: Watched, verdict: Verdict, picture: Picture, release: number): Firing {
  const { user_id, alert_id, armed } = watched
  return {
    user_id,
    kind: 'price',
    alert_id,
    armed,
    subject: picture.symbol,
    symbol: picture.symbol,
    price: picture.snapshot.price ?? picture.reported?.price ?? null,
    release,
    rule: inWords(verdict.terms),
    ruleset: indicatorRules.ruleset,
    inputs: inputsOf(verdict, picture, indicatorRules.series.name),
    bars: barsRead(verdict.terms, picture),
  }
}

/** Chunks that keep the firings of one alert together, because its status changes once. */
export function* inChunks<F extends { readonly alert_id: string }>(firings: readonly F[], size: number): Generator<readonly F[]> {
  let chunk: F[] = []
  for (const firing of firings) {
    if (chunk.length >= size && chunk.at(-1)?.alert_id !== firing.alert_id) {
      yield chunk
      chunk = []
    }
    chunk.push(firing)
  }
  if (chunk.length > 0) yield chunk
}

/** Stores the state of alerts that are still armed as they were read. An older release never overwrites the state of a newer one. */
async function writeStates(trx: Db, states: readonly { readonly watched: Watched; readonly state: State }[], release: number): Promise<void> {
  const columns = <T>(read: (each: (typeof states)[number]) => T): T[] => states.map(read)
  await sql`
    insert into alert_symbol (alert_id, user_id, symbol, baseline_price, priced_on, splits, holds, release)
    select a.alert_id, a.user_id, n.symbol, n.baseline_price, n.priced_on, n.splits::jsonb, n.holds, ${release}
    from unnest(
      ${columns(each => each.watched.alert_id)}::text[], ${columns(each => each.watched.armed)}::integer[], ${columns(each => each.watched.named)}::text[],
      ${columns(each => each.state.baseline_price)}::numeric[], ${columns(each => each.state.priced_on)}::date[],
      ${columns(each => JSON.stringify(each.state.splits))}::text[], ${columns(each => each.state.holds)}::boolean[]
    ) as n(alert_id, armed, symbol, baseline_price, priced_on, splits, holds)
    join alert a on a.alert_id = n.alert_id and a.armed = n.armed
    order by a.alert_id, n.symbol
    on conflict (alert_id, symbol) do update
      set baseline_price = excluded.baseline_price, priced_on = excluded.priced_on, splits = excluded.splits, holds = excluded.holds, release = excluded.release
      where alert_symbol.release <= excluded.release`.execute(trx)
}
