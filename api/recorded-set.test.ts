// The public operations over the recorded real documents and nothing else: each answers with data, or with the reason why not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realFolder, realPresent } from '#fixtures/real.ts'
import { recordedWarehouse, worldKey, worldWorker } from '#fixtures/warehouse.ts'
import { type OperationId, publicOperations } from '#schemas/operations.ts'
import { type Server, startServer } from './server.ts'

type Answer = Readonly<Record<string, unknown>>
/** Requests, and the reason in the answer if the recorded documents give no rows. */
type Query = { readonly path: string; readonly empty?: RegExp }

const questions: { readonly [Id in OperationId]?: Query } = {
  list_symbols: { path: '/api/v1/market/symbols?exchange=TO&limit=5' },
  get_symbol: { path: '/api/v1/market/symbols/TSX:RY' },
  list_exchanges: { path: '/api/v1/market/exchanges?year=2026' },
  get_quotes: { path: '/api/v1/market/quotes?symbols=AAPL,MSFT,BRK.B' },
  get_quote: { path: '/api/v1/market/quote/AAPL' },
  get_intraday: { path: '/api/v1/market/intraday/GOOGL?interval=1h' },
  get_eod: { path: '/api/v1/market/eod/BMO.TO' },
  get_chart: { path: '/api/v1/chart/MSFT?timeframe=max' },
  list_corporate_actions: { path: '/api/v1/market/corporate-actions/SPY' },
  get_fundamentals: { path: '/api/v1/market/fundamentals/SNOW' },
  get_earnings: { path: '/api/v1/market/earnings/AAPL' },
  get_analyst_recs: { path: '/api/v1/stock/analyst-recs/IBM' },
  list_earnings_calendar: { path: '/api/v1/market/earnings-calendar?from=2023-01-01&to=2023-12-31' },
  list_ipo_calendar: { path: '/api/v1/market/ipo-calendar?from=2024-01-01&to=2024-12-31' },
  list_economic_events: { path: '/api/v1/market/economic-calendar?from=2024-01-01&to=2024-12-31' },
  list_macro_countries: { path: '/api/v1/macro/countries' },
  get_macro_country: { path: '/api/v1/macro/US' },
  get_macro_series: { path: '/api/v1/macro/US/m2' },
  run_screener: { path: '/api/v1/market/screener?limit=10&sort=market_cap.desc' },
  list_screener_fields: { path: '/api/v1/market/screener/fields' },
  list_themes: { path: '/api/v1/themes' },
  list_arb_pairs: { path: '/api/v1/arb/pairs' },
  get_arb_pair: { path: '/api/v1/arb/RY.TO/RY' },
  get_sharia_screen_all: { path: '/api/v1/sharia/screen-all/SNOW' },
  get_sharia_screen: { path: '/api/v1/sharia/screen/SNOW?standard=aaoifi' },
  get_sharia_purification: { path: '/api/v1/sharia/purification/SNOW' },
  search_filings: { path: '/api/v1/data/filings/search?ticker=AAPL&limit=5' },
  get_s1: { path: '/api/v1/data/filings/s1/UNCY' },
  // The recorded annual reports are pages without their filings' headers, which the reader of submissions does not take for filings.
  get_filing_diff: { path: '/api/v1/data/filing-diff/META?form=10-K', empty: /no 10-K of META is known/ },
  get_form4: { path: '/api/v1/data/form4?since=2000-01-01&limit=5' },
  get_filing: { path: '/api/v1/data/filings/{accession}' },
  // Of none of the recorded managers two quarters are there.
  get_13f_changes: { path: '/api/v1/data/13f/manager/{filer}/changes', empty: /"changes":\[\]/ },
  get_bulk_file: { path: '/api/v1/data/bulk/bars/{file}' },
  list_13f_managers: { path: '/api/v1/data/13f/managers' },
  get_13f_manager: { path: '/api/v1/data/13f/manager/{filer}' },
  get_13f_issuer: { path: '/api/v1/data/13f/issuer/AAPL' },
  list_activist_13d: { path: '/api/v1/data/activist-13d' },
  list_passive_13g: { path: '/api/v1/data/passive-13g' },
  list_dual_listings: { path: '/api/v1/data/dual-listings' },
  get_receipt: { path: '/api/v1/data/receipts/{receipt}' },
  verify_receipt: { path: '/api/v1/data/receipts/{receipt}/verify' },
  verify_lineage: { path: '/api/v1/lineage/verify/{receipt}' },
  // A worker of a test checks whenever it comes to it.
  list_status_history: { path: '/api/v1/status/history', empty: /"history":/ },
  list_incidents: { path: '/api/v1/status/incidents', empty: /"incidents":\[\]/ },
}
/** Requested by their examples, because they depend on no document. */
const ofTheService = publicOperations.filter(each => !(each.id in questions))

describe.skipIf(!realPresent)('over the recorded documents', () => {
  let server: Server
  let key = ''
  const put: Record<string, string> = {}
  const ask = (path: string, body?: unknown): Promise<Response> =>
    fetch(server.address + path.replace(/\{(\w+)\}/, (_, name: string) => put[name] ?? name), {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  beforeAll(async () => {
    const warehouse = await recordedWarehouse(realFolder, '2026-11-20T12:00:00Z')
    await worldWorker(warehouse)
    key = await worldKey(warehouse)
    server = await startServer(warehouse.config)
    const signed = await ask('/api/v1/market/eod/BMO.TO?limit=5&receipt=1')
    put['receipt'] = signed.headers.get('x-receipt-id') ?? expect.fail('not signed')
    const { filings } = (await (await ask('/api/v1/data/filings/search?ticker=AAPL&limit=1')).json()) as { filings: { accession: string }[] }
    put['accession'] = filings[0]?.accession ?? ''
    const { files } = (await (await ask('/api/v1/data/bulk?dataset=bars')).json()) as { files: { file: string }[] }
    put['file'] = files[0]?.file ?? ''
    const { managers } = (await (await ask('/api/v1/data/13f/managers?limit=100')).json()) as { managers: { cik: string; holdings_count?: number }[] }
    put['filer'] = managers.find(each => (each.holdings_count ?? 0) > 0)?.cik ?? managers[0]?.cik ?? ''
  })
  afterAll(() => server?.close())

  it.each(publicOperations.map(each => [each.id, each] as const))('%s answers', async (id, operation) => {
    const { path, empty } = questions[id as OperationId] ?? { path: operation.example.request }
    const response = await ask(path, operation.method === 'POST' ? operation.example.body : undefined)
    expect(response.status).toBe(200)
    const text = await response.text()
    if (empty) return expect(text).toMatch(empty)
    if (operation.answer === null) return expect(text.length).toBeGreaterThan(100)
    expect(operation.answer.safeParse(JSON.parse(text)).error).toBeUndefined()
    const { rows } = operation
    if (rows !== null) expect((JSON.parse(text) as Answer)[rows], path).not.toEqual([])
  })
  it('signs what the recorded documents say, and makes it again from them', async () => {
    const verified = (await (await ask('/api/v1/lineage/verify/{receipt}')).json()) as Answer
    expect(verified).toMatchObject({ valid: true, reproduced: true })
  })
  it('leaves only operations to their examples that depend on no document', () => {
    expect(ofTheService.map(each => each.id)).toMatchInlineSnapshot(`
      [
        "get_health",
        "list_plans",
        "get_catalog",
        "get_data_health",
        "get_withholding",
        "interpret_drill",
        "list_bulk_files",
        "get_status",
      ]
    `)
  })
})
