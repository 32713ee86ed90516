// A signed quote, page of bars or chart is made again, byte for byte, from the raw documents that its receipt names and nothing
// else; and an older release answers as it did.
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { buildPayload, type LakeOperation } from '#warehouse/answers/index.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import type { ReleaseContext } from '#warehouse/context/answer.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { activeSigner } from '#warehouse/store/receipts/rotation.ts'
import { insertReceipts } from '#warehouse/store/receipts/store.ts'
import { reproduce } from '../../ingest/reproduce.ts'

const { runtime, lake, world } = await worldWarehouse()
const noon = `${world.last}T18:15:00Z`
const evening = '2026-11-20T12:00:00Z'

async function answer(id: LakeOperation, requested: Readonly<Record<string, string>>, context: ReleaseContext) {
  const operation = lakeOperations.find(each => each.id === id)
  if (operation === undefined) throw new TypeError(id)
  const question = operation.question.parse(requested)
  const payload = await buildPayload(id, context, question as never, evening)
  if (payload === null) throw new TypeError(`${id}: nothing was answered`)
  return { operation, question, payload, body: JSON.parse(payload.payload.toString()) as Readonly<Record<string, unknown>> }
}
const contextAt = async (asOf: string | undefined, release?: number): Promise<ReleaseContext> => await contextOf(await lake(release), asOf ?? null)

test.each([
  ['get_quotes', { symbols: 'GLPR.TO,GLPR,CPP-UN.TO,CPPL,NOBODY,NA.TO', as_of: noon }],
  ['get_quotes', { symbols: 'GLPR.TO,GLPR,HMQ.V,CBC.TO,TRUE', as_of: evening }],
  ['get_quote', { ticker: 'CBC.TO', as_of: noon }],
  ['get_intraday', { symbol: 'GLPR', interval: '15m' }],
  ['get_intraday', { symbol: 'NA.TO', interval: '1h' }],
  ['get_intraday', { symbol: 'GLPR.TO', interval: '5m', from: '2024-12-01', limit: '50' }],
  ['get_intraday', { symbol: 'GLPR.TO', interval: '1m' }],
  ['get_intraday', { symbol: 'ASG.TO', from: '2026-01-05', to: '2026-01-06' }],
  ['get_intraday', { symbol: 'CBC.TO' }],
  ['get_chart', { symbol: 'GLPR.TO', timeframe: '1d' }],
  ['get_chart', { symbol: 'GLPR.TO', timeframe: '5d' }],
  ['get_chart', { symbol: 'NA.TO', timeframe: '5d', as_of: noon }],
  ['get_chart', { symbol: 'CBC.TO', timeframe: '5d' }],
] as const)(
  '%s %o',
  async (id, requested) => {
    const context = await contextAt('as_of' in requested ? requested.as_of : undefined)
    const { operation, question, payload } = await answer(id, requested, context)
    const receiptId = await runtime.postgres.db.transaction().execute(async transaction => {
      const receipt = await signPayload(operation, question, payload, await activeSigner(transaction, runtime.tools.keysFolder))
      await insertReceipts(transaction, [receipt])
      return receipt.receipt_id
    })
    expect(await reproduce(runtime.tools, runtime.raw, receiptId)).toMatchObject({ reproduced: true, reason: null })
  },
  60_000,
)

type Quote = Readonly<Record<string, unknown>>
const quotesAt = async (symbols: string, as_of: string): Promise<Quote[]> =>
  (await answer('get_quotes', { symbols, as_of }, await contextAt(as_of))).body['quotes'] as Quote[]

test('the day of the universe: a price before the open, a stale line beside a live one at noon, late trading in the evening', async () => {
  expect(await quotesAt('GLPR', `${world.last}T13:50:00Z`)).toMatchObject([{ price_session: 'pre', session: 'pre', open: null }])
  expect(await quotesAt('CPP-UN.TO,CPPL', noon)).toMatchObject([
    { symbol: 'CPP-UN.TO', quoted_at: `${world.last}T16:03:00Z`, data_lag_seconds: 7920, stale: true },
    { symbol: 'CPPL', quoted_at: `${world.last}T17:57:00Z` },
  ])
  expect(await quotesAt('GLPR,GLPR.TO', evening)).toMatchObject([
    { symbol: 'GLPR', price_session: 'post', session: 'pre' },
    { symbol: 'GLPR.TO', price_session: 'regular', session: 'closed' },
  ])
})
test('minutes of the universe add up to the bar of their day', async () => {
  const bars = (await answer('get_intraday', { symbol: 'GLPR', interval: '1m' }, await contextAt(undefined))).body['bars'] as Readonly<
    Record<'open' | 'high' | 'low' | 'close' | 'volume', number>
  >[]
  const eod = (await answer('get_eod', { symbol: 'GLPR', from: world.last }, await contextAt(undefined))).body['bars'] as typeof bars
  expect({
    open: bars[0]?.open,
    high: Math.max(...bars.map(bar => bar.high)),
    low: Math.min(...bars.map(bar => bar.low)),
    close: bars.at(-1)?.close,
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
  }).toEqual({ open: eod[0]?.open, high: eod[0]?.high, low: eod[0]?.low, close: eod[0]?.close, volume: eod[0]?.volume })
})
test('the release before any bar below a day answers that none is loaded', async () => {
  const context = await contextAt(undefined, 1)
  const { body } = await answer('get_intraday', { symbol: 'GLPR' }, context)
  expect(body).toMatchObject({ count: 0, coverage: { status: 'not_loaded' } })
})
