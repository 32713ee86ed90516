import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { type Server, startServer } from './server.ts'

const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
let server: Server
const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.address + path, { headers: { authorization: `Bearer ${key}`, ...headers } })
beforeAll(async () => { server = await startServer(warehouse.config) })
afterAll(() => server.close())
describe('rec', () => {
  it.each([
    '/api/v1/market/symbols/GLPR.TO', '/api/v1/market/symbols/SWU.TO', '/api/v1/market/symbols/MPT.V', '/api/v1/market/symbols/KCG.V', '/api/v1/market/symbols/VLTC',
    '/api/v1/market/corporate-actions/GLPR.TO', '/api/v1/market/corporate-actions/BRLC.TO', '/api/v1/market/corporate-actions/MPT.V',
    '/api/v1/data/form4?ticker=BRLX', '/api/v1/data/form4?ticker=TRUE', '/api/v1/data/form4?ticker=GLPR.TO', '/api/v1/data/form4?ticker=NA.TO',
    ...['/api/v1/market/eod/GLPR.TO', '/api/v1/market/eod/GLPR', '/api/v1/market/eod/GLPR.TO?from=2026-11-01', '/api/v1/market/eod/CPP-UN.TO?from=2026-11-05', '/api/v1/market/eod/SWU.TO', '/api/v1/market/eod/MPT.V','/api/v1/market/eod/VLTC?from=2026-01-01', '/api/v1/market/eod/KCG.V', '/api/v1/market/eod/CVNE.TO', '/api/v1/market/eod/GBG.V', '/api/v1/market/eod/NOPE', '/api/v1/market/eod/GLPR.TO?as_of=2026-11-05',
    '/api/v1/market/eod/GLPR.TO/revisions', '/api/v1/market/eod/CFB/revisions', '/api/v1/chart/GLPR.TO?timeframe=max', '/api/v1/chart/QT?timeframe=5d', '/api/v1/market/quotes?symbols=GLPR.TO,CFB,NOPE', '/api/v1/market/quote/GLPR', '/api/v1/market/exchanges', '/api/v1/market/exchanges?year=2025', '/api/v1/market/symbols?exchange=V', '/api/v1/market/symbols?limit=1000',
    '/api/v1/data/filings/search?ticker=BRLX', '/api/v1/data/filings/search?form=10-K', '/api/v1/data/filings/search?limit=1000', '/api/v1/data/filings/0009990001-26-000034', '/api/v1/data/form4?since=2026-10-01', '/api/v1/data/form4?cik=9900030', '/api/v1/market/corporate-actions/GLPR.TO?type=split'].map(p => `${p}${p.includes('?') ? '&' : '?'}receipt=1`),
  ])('%s', async path => {
    const r = await ask(path)
    const body: any = await r.json()
    if (!body.receipt_id) { console.log('NO RECEIPT', path, r.status, JSON.stringify(body).slice(0, 300)); return }
    const v: any = await (await ask(`/api/v1/data/receipts/${body.receipt_id}/verify`)).json()
    console.log(path, v.valid, v.reproduced, v.reproduced_reason, v.reason, v.statement?.predicate?.sources?.length ?? v.statement?.predicate?.sources_count)
    expect(1).toBe(1)
  })
})
