// Spreads of dual-listed pairs: all tracked ones, or one of them with all of its inputs.

import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { dollarSymbol } from '#schemas/fx.ts'
import { type Built, digits, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import { rounded } from '../context/rounded.ts'
import { type Pair, stateOf } from '../datasets/dual-listings/pairs.ts'
import { type ArbInputs, readArbInputs } from '../rules/arb/inputs.ts'
import type { Leg, Rate } from '../rules/arb/legs.ts'
import { easternDay } from '../rules/arb/market-hours.ts'
import { type PairSpread, pairSpreadOf } from '../rules/arb/pair-spread.ts'
import { type Edge, priceOf } from '../rules/arb/spread.ts'
import { ageSeconds, statuses } from '../rules/arb/status.ts'
import { arbRules, type CostName, type Costs, costNames, costsOn } from '../rulesets/arb/rules.ts'
import { curated } from '../rulesets/dual-listings/rules.ts'
import type { Lake } from '../store/lake/lake.ts'
import { atTheSecondOfNewest } from './complete.ts'
import { arbDatasets, arbPairPage, arbPairsPage, trackedPairs } from './paged/cross-border.ts'
import type { Answers, QuestionOf } from './types.ts'

/** The instant of spreads: the requested one, else the commit that last changed one of their inputs. */
const effectiveInstant = ({ lake }: ReleaseContext, asOf: string | undefined): string => asOf ?? lake.versionOf(arbDatasets).committed_at

type Held = { readonly key: string; readonly symbols: ReadonlySet<string>; readonly inputs: Promise<ArbInputs> }
/** The inputs of all tracked pairs, read once for all pages of a commit: the pages are built on one lake, the list first. */
const heldInputs = new WeakMap<Lake, Held>()

async function inputsOf(lake: Lake, pairs: readonly Pair[], at: string, asOf: string | null, keep: boolean): Promise<ArbInputs> {
  const symbols = [...new Set(pairs.flatMap(pair => [pair.tsx_symbol, pair.us_symbol]))].sort()
  const key = `${at} ${asOf}`
  const held = heldInputs.get(lake)
  if (held?.key === key && symbols.every(symbol => held.symbols.has(symbol))) return await held.inputs
  const inputs = readArbInputs(lake, symbols, at, asOf)
  if (keep) heldInputs.set(lake, { key, symbols: new Set(symbols), inputs })
  return await inputs
}

type Provenance = { readonly source: string; readonly known_from: string; readonly raw_sha256: string }
/** The rows behind a spread: its prices, its rate, the actions around it, and the operator's row of the pair. */
function rowsOf({ toronto, us, fx, actions, pair }: PairSpread): Provenance[] {
  return [toronto?.row, toronto?.halted_by, toronto?.outside?.row, us?.row, us?.halted_by, us?.outside?.row, fx?.row, pair.origin, ...actions].filter(
    row => row !== null && row !== undefined,
  )
}

const real = (value: number | null | undefined): number | null => (value === null || value === undefined ? null : rounded(value))
const named = ({ pair }: PairSpread): object => ({
  toronto_symbol: pair.tsx_symbol,
  us_symbol: pair.us_symbol,
  us_mic: pair.us_mic,
  issuer: pair.issuer,
  ratio: digits(pair.ratio),
  tracked: pair.tracked,
  listed_by: pair.listed_by,
})

const printedRow = (each: PairSpread): object => ({
  ...named(each),
  status: each.status,
  why: each.reasons[0]?.sentence ?? null,
  basis: each.spread?.basis ?? null,
  tsx_price: digits(each.spread?.tsx_price),
  us_price: digits(each.spread?.us_price),
  fx_rate: digits(each.spread?.fx_rate),
  us_in_cad: digits(each.spread?.us_in_cad),
  spread_abs: digits(each.spread?.spread_abs),
  spread_pct: real(each.spread?.spread_pct),
  spread_bps: real(each.spread?.spread_bps),
  premium_side: each.spread?.premium_side ?? null,
  fx_implied: real(each.spread?.fx_implied),
  net_edge_bps: real(each.spread?.net_edge_bps),
  actionable: each.actionable,
  data_lag_seconds: each.data_lag_seconds,
})

async function buildArbPairs(context: ReleaseContext, question: QuestionOf<'list_arb_pairs'>): Promise<Built> {
  const { lake } = context
  const at = effectiveInstant(context, question.as_of)
  const date = easternDay(at)
  const filters = { status: question.status }
  const after = question.cursor === undefined ? '' : String(decodeCursor(question.cursor, 'list_arb_pairs', filters).after[0] ?? '')
  const pairs = trackedPairs(context, date)
  const inputs = await inputsOf(lake, pairs, at, question.as_of ?? null, true)
  const costs = costsOn(date)
  const all = pairs.map(pair => pairSpreadOf(pair, inputs, at, costs))
  const requested = all.filter(each => question.status === undefined || each.status === question.status)
  const keyOf = ({ pair }: PairSpread): string => `${pair.tsx_symbol} ${pair.us_symbol}`
  const rest = requested.filter(each => keyOf(each) > after)
  const page = rest.slice(0, question.limit)
  const last = page.at(-1)
  const rows = all.flatMap(rowsOf)
  return {
    body: {
      ruleset: arbRules.ruleset,
      pairs_ruleset: curated.ruleset,
      count: page.length,
      total: requested.length,
      ruleset_pairs: pairs.filter(pair => pair.listed_by === 'ruleset').length,
      operator_pairs: pairs.filter(pair => pair.listed_by === 'operator').length,
      by_status: Object.fromEntries(statuses.map(status => [status, all.filter(each => each.status === status).length])),
      pairs: page.map(printedRow),
      next_cursor:
        last && rest.length > page.length ? encodeCursor('list_arb_pairs', filters, lake.versionOf(arbDatasets).release, [keyOf(last)]) : null,
    },
    sources: upstreamSources(rows),
    origins: originsOf(rows),
    datasets: arbDatasets,
    as_of: at,
  }
}

/** Replaces the ruleset's costs with those of a request; throws `BadRequest` for a name that the ruleset does not have. */
function requestedCosts(text: string | undefined, date: string): { readonly costs: Costs; readonly stated: ReadonlySet<string> } {
  const stated = new Map((text ?? '').split(',').flatMap(part => (part === '' ? [] : [part.split(':') as [string, string]])))
  const unknown = [...stated.keys()].find(name => !costNames.some(known => known === name))
  if (unknown !== undefined) throw new BadRequest(`no cost is called ${unknown}`, { hint: `known costs: ${costNames.join(', ')}` })
  // JSON does not allow a leading zero.
  const plain = (value: string): string => value.replace(/^0+(?=\d)/, '')
  const own = costNames.flatMap((name): [CostName, string][] => (stated.has(name) ? [[name, plain(stated.get(name) as string)]] : []))
  return { costs: { ...costsOn(date), ...Object.fromEntries(own) }, stated: new Set(stated.keys()) }
}

/** The pair of two symbols on a day; throws `NotFound` with the right order, the right partner, or the day on which it ended. */
function requestedPair({ pairs }: Pick<ReleaseContext, 'pairs'>, toronto: string, us: string, date: string): Pair {
  const exact = pairs.of(toronto).filter(pair => pair.tsx_symbol === toronto && pair.us_symbol === us)
  const current = exact.find(pair => stateOf(pair, date) === 'current')
  if (current) return current
  const [ended] = exact
  const partners = (symbol: string): Pair[] => pairs.of(symbol).filter(pair => stateOf(pair, date) === 'current')
  const swapped = partners(us).find(pair => pair.tsx_symbol === us && sameLine(pair.us_symbol, toronto))
  if (swapped) {
    throw new BadRequest(`${swapped.tsx_symbol} is the Toronto line and ${swapped.us_symbol} the US line`, {
      hint: `the Toronto line comes first: /api/v1/arb/${swapped.tsx_symbol}/${swapped.us_symbol}`,
    })
  }
  const known = [...new Set([...partners(toronto), ...partners(us)])]
  const hint =
    known.length > 0 ? known.map(pair => `${pair.tsx_symbol} is paired with ${pair.us_symbol}`).join('; ') : 'GET /api/v1/arb/pairs lists the pairs'
  const trap = curated.not_pairs.find(each => each.tsx_symbol === toronto && (each.us_symbol === us || each.us_symbol === null))
  if (ended) {
    const span = ended.valid_to !== null && ended.valid_to < date ? `were a pair until ${ended.valid_to}` : `are a pair from ${ended.valid_from}`
    throw new NotFound(`${toronto} and ${us} ${span}`, { hint })
  }
  throw new NotFound(trap ? trap.why : `${toronto} and ${us} are no known pair`, { hint })
}
/** A bare US symbol in first position was read as a Toronto symbol: CNI there is CNI.TO. */
const sameLine = (us: string, requested: string): boolean => us === requested || `${us}.TO` === requested

function printedLeg(leg: Leg | null, price: string | undefined, at: string): object | null {
  if (!leg) return null
  return {
    symbol: leg.symbol,
    price: digits(price ?? priceOf(leg)),
    bid: digits(leg.bid),
    ask: digits(leg.ask),
    last: digits(leg.last),
    currency: leg.currency,
    observed_at: leg.observed_at,
    time_basis: leg.time_basis,
    age_seconds: ageSeconds(leg.observed_at, at),
    session_date: leg.session_date,
    session: leg.session,
    halted: leg.halted,
    delay_seconds: leg.delay_seconds,
    basis: leg.basis,
    source: leg.source,
  }
}

function printedRate(fx: Rate | null, { spread, toronto, us }: PairSpread, at: string): object | null {
  if (!fx) return null
  const newest = [toronto?.session_date ?? '', us?.session_date ?? ''].sort().at(-1) as string
  return {
    rate: digits(priceOf(fx)),
    bid: digits(fx.bid),
    ask: digits(fx.ask),
    sides: spread?.fx_sides ?? null,
    basis: fx.basis,
    series: fx.series ?? (fx.basis === 'quote' ? dollarSymbol : null),
    observed_at: fx.observed_at,
    observed_on: fx.date,
    carried: fx.basis !== 'identity' && fx.date < newest,
    age_seconds: ageSeconds(fx.observed_at, at),
    source: fx.source,
  }
}

const printedEdge = ({ proceeds, outlay, costs, edge, edge_bps }: Edge): object => ({
  proceeds: digits(proceeds),
  outlay: digits(outlay),
  costs: digits(costs),
  edge: digits(edge),
  edge_bps: rounded(edge_bps),
})

/** One pair with its legs, rate, edges, costs and reasons. Throws `NotFound` or `BadRequest` as `requestedPair`. */
async function buildArbPair(context: ReleaseContext, question: QuestionOf<'get_arb_pair'>): Promise<Built> {
  const at = effectiveInstant(context, question.as_of)
  const date = easternDay(at)
  const pair = requestedPair(context, question.toronto_sym, question.us_sym, date)
  const { costs, stated } = requestedCosts(question.costs, date)
  const inputs = await inputsOf(context.lake, [pair], at, question.as_of ?? null, false)
  const each = pairSpreadOf(pair, inputs, at, costs)
  const { spread, toronto, us, fx } = each
  const rows = rowsOf(each)
  const unitOf = (name: CostName): string => arbRules.costs.find(row => row.cost === name)?.unit ?? ''
  return {
    body: {
      ...named(each),
      ruleset: arbRules.ruleset,
      pairs_ruleset: curated.ruleset,
      status: each.status,
      reasons: each.reasons,
      actionable: each.actionable,
      data_lag_seconds: each.data_lag_seconds,
      basis: spread?.basis ?? null,
      currency: spread ? (toronto?.currency ?? null) : null,
      us_in_cad: digits(spread?.us_in_cad),
      spread_abs: digits(spread?.spread_abs),
      spread_pct: real(spread?.spread_pct),
      spread_bps: real(spread?.spread_bps),
      premium_side: spread?.premium_side ?? null,
      tolerance_bps: digits(arbRules.premium_tolerance_bps),
      fx_implied: real(spread?.fx_implied),
      fx_implied_diff_bps: real(spread?.fx_implied_diff_bps),
      edges: spread?.edges
        ? { buy_us_sell_toronto: printedEdge(spread.edges.buy_us_sell_toronto), buy_toronto_sell_us: printedEdge(spread.edges.buy_toronto_sell_us) }
        : null,
      net_edge_bps: real(spread?.net_edge_bps),
      toronto: printedLeg(toronto, spread?.tsx_price, at),
      us: printedLeg(us, spread?.us_price, at),
      fx: printedRate(fx, each, at),
      costs: costNames.map(name => ({
        cost: name,
        value: digits(costs[name]),
        unit: unitOf(name),
        stated_by: stated.has(name) ? 'question' : 'ruleset',
      })),
      actions: each.actions.map(({ symbol, kind, ex_date }) => ({ symbol, kind, ex_date })),
      limits: {
        max_age_seconds: arbRules.max_age_seconds,
        max_skew_seconds: arbRules.max_skew_seconds,
        fx_max_age_seconds: arbRules.fx_max_age_seconds,
      },
    },
    sources: upstreamSources(rows),
    origins: originsOf(rows),
    datasets: arbDatasets,
    as_of: at,
  }
}

export const arbAnswers = {
  // The list comes first: its inputs are also those of the pages of single pairs.
  list_arb_pairs: { build: buildArbPairs, page: arbPairsPage, complete: atTheSecondOfNewest },
  get_arb_pair: { build: buildArbPair, page: arbPairPage, complete: atTheSecondOfNewest },
} satisfies Answers
