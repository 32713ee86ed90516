// The screened listings: every current listing, its issuer, its lines elsewhere, and the location of its bars and factors.
import type { ExchangeCode } from '#schemas/spelling.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import { issuersOf } from '../../context/cross-listing.ts'
import type { FactorRow } from '../../datasets/bars/bars.ts'
import { stateOf } from '../../datasets/dual-listings/pairs.ts'
import { multipliersOf } from '../../datasets/prices/adjust.ts'
import { interlisted } from '../../datasets/symbols/interlisted.ts'
import type { Span } from '../../datasets/symbols/symbol-index.ts'
import { exchangeCalendars } from '../../rulesets/exchange-calendars/rules.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'
import type { Moment } from './moment.ts'
import { sqlOf } from './sql.ts'

export type Listed = {
  readonly id: number
  readonly bucket: number
  readonly code: string
  readonly type: string
  readonly exchange: ExchangeCode
  readonly country: string
  readonly currency: string
  readonly cik: string | null
  readonly instrument_id: string
}
type Factor = Omit<FactorRow, 'fx_rate_date' | 'source' | 'known_from' | 'raw_sha256'>

const countries: ReadonlyMap<string, string> = new Map(exchangeCalendars.exchanges.map(each => [each.exchange as string, each.country]))

/** Listings that are computed together: 1,500 of five years are about two million bars. */
const bucketSize = 1_500
/** Fills `listings` and `spans`: one row per listing that no directory has ended, ids in the order of the codes. */
export async function fillListings(shop: ScratchDatabase, context: ReleaseContext, { date }: Moment): Promise<readonly Listed[]> {
  const { symbols } = context
  const codes = symbols.all.filter(symbol => symbols.find(symbol)?.valid_to === null)
  const issuers = await issuersOf(context, codes, shop)
  const rows = codes.map((code, id) => {
    const row = symbols.find(code) as NonNullable<ReturnType<typeof symbols.find>>
    return {
      id,
      bucket: Math.floor(id / bucketSize),
      code,
      name: row.name,
      exchange: row.exchange as ExchangeCode,
      mic: row.mic,
      country: countries.get(row.exchange) ?? '',
      currency: row.currency,
      type: row.type,
      cik: issuers.get(code)?.cik ?? null,
      listed_from: symbols.history(row.instrument_id)[0]?.valid_from ?? row.valid_from,
      instrument_id: row.instrument_id,
      interlisted: acrossBorder(context, code, row.type, date),
    }
  })
  await shop.fill(
    'listings',
    {
      id: 'INTEGER',
      bucket: 'INTEGER',
      code: 'VARCHAR',
      name: 'VARCHAR',
      exchange: 'VARCHAR',
      mic: 'VARCHAR',
      country: 'VARCHAR',
      currency: 'VARCHAR',
      type: 'VARCHAR',
      cik: 'VARCHAR',
      listed_from: 'DATE',
      interlisted: 'VARCHAR',
    },
    rows,
  )
  return rows
}

/** The line of the same issuer and type on the other side of the border: by the table of pairs, else by the issuer's name. */
function acrossBorder({ symbols, pairs }: ReleaseContext, code: string, type: string, date: string): string | null {
  const paired = pairs
    .of(code)
    .filter(pair => stateOf(pair, date) === 'current')
    .map(pair => (pair.tsx_symbol === code ? pair.us_symbol : pair.tsx_symbol))
  const named = interlisted(symbols, code).filter(other => symbols.find(other)?.type === type)
  return [...paired, ...named].find(other => symbols.find(other)?.valid_to === null) ?? null
}

export type IdSpan = { readonly id: number; readonly bucket: number; readonly place: number; readonly single: boolean } & Span

/** Fills `spans`: the symbols of a listing's bars, with their dates. `single`: only its current symbol, always. */
export async function fillSpans(shop: ScratchDatabase, context: ReleaseContext, listed: readonly Listed[]): Promise<readonly IdSpan[]> {
  const spans = listed.flatMap(({ id, bucket, instrument_id }) => {
    const own = context.symbols.spans(instrument_id)
    const single = own.length === 1 && own[0]?.from === null && own[0].to === null
    return own.map((span, place) => ({ id, bucket, place, single, ...span }))
  })
  await shop.fill(
    'spans',
    { id: 'INTEGER', bucket: 'INTEGER', place: 'INTEGER', single: 'BOOLEAN', symbol: 'VARCHAR', from_date: 'DATE', to_date: 'DATE' },
    spans.map(({ from, to, ...span }) => ({ ...span, from_date: from ?? '0001-01-01', to_date: to ?? '9999-12-31' })),
  )
  return spans
}

/** Fills `steps` (the factors for bars before a day) and `actions` (cash and splits per share of today), for listings with any. */
export async function fillFactors(shop: ScratchDatabase, spans: readonly IdSpan[], { date, oldest, asOf }: Moment): Promise<void> {
  const factors = await shop.query<Factor>(sqlOf('factors'), { from: oldest, to: date, as_of: asOf }, { adjustment_factors: 'all' })
  const bySymbol = Map.groupBy(spans, span => span.symbol)
  const byId = new Map<number, Factor[]>()
  for (const factor of factors) {
    for (const { id, from, to } of bySymbol.get(factor.symbol) ?? []) {
      if ((from !== null && factor.ex_date < from) || (to !== null && factor.ex_date > to)) continue
      const list = byId.get(id)
      if (list) list.push(factor)
      else byId.set(id, [factor])
    }
  }
  const steps: object[] = []
  const actions: object[] = []
  for (const [id, list] of byId) {
    const multipliers = multipliersOf(list)
    for (const step of multipliers) steps.push({ id, ...step })
    list.sort((a, b) => (a.ex_date < b.ex_date ? -1 : 1))
    list.forEach((factor, at) => {
      // The day's cash is per share after the day's split: only later splits reduce it.
      const later = multipliers[at + 1]?.split_multiplier ?? 1
      const split = factor.split_numerator === factor.split_denominator ? null : `${factor.split_numerator}:${factor.split_denominator}`
      const cash = factor.cash_amount === null || factor.spinoff ? null : Number(factor.cash_amount) * later
      actions.push({ id, ex_date: factor.ex_date, cash, split, shares_after: 1 / (multipliers[at]?.split_multiplier ?? 1) })
    })
  }
  await shop.fill('steps', { id: 'INTEGER', to_date: 'DATE', price_multiplier: 'DOUBLE', split_multiplier: 'DOUBLE' }, steps)
  await shop.fill('actions', { id: 'INTEGER', ex_date: 'DATE', cash: 'DOUBLE', split: 'VARCHAR', shares_after: 'DOUBLE' }, actions)
}
