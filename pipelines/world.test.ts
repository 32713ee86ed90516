import { expect, it } from 'vitest'
import { DuckDBInstance } from '@duckdb/node-api'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import * as X from '#fixtures/world/expected.ts'
import { queryRows } from '#warehouse/duckdb.ts'
import { writeWarehouseFile, warehouseFile } from '#warehouse/lake/views.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'

const w = await worldWarehouse()
it('loads', async () => {
  const lake = await w.lake()
  await writeWarehouseFile(w.config.dataFolder, await loadCatalogue(w.runtime.postgres.db as never))
  const i = await DuckDBInstance.create(warehouseFile(w.config.dataFolder), { access_mode: 'READ_ONLY' })
  const c = await i.connect()
  console.log(await queryRows(c, "select view_name, comment from duckdb_views() where not internal"))
  console.log(await queryRows(c, "select * from listing_spans where symbol in ('MPT.V','SWU.V','SWU.TO','CPLM','VLTC')"))
  const rows = await queryRows<any>(c, 'select symbol, date, close, adjusted_close, split_close from bars_adjusted order by symbol, date')
  const got = new Map(rows.map(r => [`${r.symbol} ${r.date}`, r]))
  for (const s of new Set(w.world.listings.map(l => l.symbol))) {
    for (const chain of [true, false]) {
      let worst = 0, n = 0, miss = 0, ws = 0
      for (const e of X.expectedAdjusted(w.world, s, { chain })) {
        const r = got.get(`${s} ${e.date}`)
        if (!r) { miss++; continue }
        n++; worst = Math.max(worst, Math.abs(r.adjusted_close / e.adjusted_close - 1)); ws = Math.max(ws, Math.abs(r.split_close / e.split_close - 1))
      }
      if (worst > 1e-9 || ws > 1e-9 || miss) console.log(s, chain, n, miss, worst, ws)
    }
  }
  const fx = await lake.query<any>('select date, rate, base_currency, quote_currency from fx_rates order by date', {}, { fx_rates: 'all' })
  const er = X.expectedRates(w.world)
  console.log('fx', fx.length, er.length, fx.filter((r, i) => r.date !== er[i]?.date || r.rate !== er[i]?.rate).slice(0, 3), fx[0], er[0])
  const filings = await lake.query<any>('select * from filings', {}, { filings: 'all' })
  const ef = X.expectedFilings(w.world)
  console.log('filings', filings.length, ef.length)
  let n = 0
  for (const e of ef) {
    const r = filings.find(f => f.accession === e.accession && f.cik === e.cik)
    if (!r) { console.log('NOFILING', e); continue }
    const d: any = {}
    for (const k of Object.keys(e)) if (JSON.stringify((e as any)[k]) !== JSON.stringify(r[k])) d[k] = [(e as any)[k], r[k]]
    if (Object.keys(d).length && n++ < 40) console.log(e.accession, e.cik, e.form, JSON.stringify(d), r.known_from, r.known_basis)
  }
  for (const r of filings) if (!ef.some(e => e.accession === r.accession && e.cik === r.cik)) console.log('EXTRA', r.accession, r.cik, r.form, r.role)
  for (const [name, exp] of [['insider_transactions', X.expectedInsiderTransactions(w.world)], ['insider_holdings', X.expectedInsiderHoldings(w.world)]] as const) {
    const rows = await lake.query<any>(`select * from ${name}`, {}, { [name]: 'all' })
    console.log(name, rows.length, exp.length)
    let n = 0
    for (const e of exp) {
      const r = rows.find(f => f.accession === e.accession && f.line === e.line)
      if (!r) { console.log('NOLINE', e.accession, e.line, e.form); continue }
      const g: any = { ...r, transaction: name === 'insider_transactions', transaction_date: r.transaction_date ?? null, code: r.code ?? null, shares: r.shares ?? null, price: r.price ?? null, price_low: r.price_low ?? null, price_high: r.price_high ?? null, acquired_disposed: r.acquired_disposed ?? null, footnote_ids: [...new Set(r.footnotes.map((f: any) => f.id))].sort() }
      const d: any = {}
      for (const k of Object.keys(e)) if (JSON.stringify((e as any)[k]) !== JSON.stringify(g[k])) d[k] = [(e as any)[k], g[k]]
      if (Object.keys(d).length && n++ < 40) console.log(e.accession, e.line, e.form, JSON.stringify(d))
    }
    for (const r of rows) if (!exp.some(e => e.accession === r.accession && e.line === r.line)) console.log('EXTRA', r.accession, r.line)
  }
  console.log('amend', JSON.stringify(X.expectedAmendments(w.world), null, 1))
  console.log('unreadable', X.unreadableFilings(w.world).map(f => [f.accession, f.oddity, f.form, f.filed]))
  expect(1).toBe(1)
})
