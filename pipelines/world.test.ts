import { expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import * as X from '#fixtures/world/expected.ts'
import { groundOf } from '#warehouse/answers/ground.ts'
import { buildEod } from '#warehouse/answers/eod.ts'

const w = await worldWarehouse()
it('loads', async () => {
  const lake = await w.lake()
  console.log(await w.runtime.postgres.db.selectFrom('quarantine').select(['dataset','reason','subject','state']).execute())
  const symbols = [...new Set(w.world.listings.map(l => l.symbol))]
  const actions = await lake.query<any>('select * from corporate_actions order by symbol, ex_date', {}, { corporate_actions: 'all' })
  const key = (a: any) => `${a.symbol} ${a.ex_date}`
  for (const a of X.effectiveActions(w.world)) {
    const r = actions.filter((r:any) => key(r) === key(a))
    if (!r.some((r:any) => r.kind === a.kind)) console.log('ACTION', key(a), a.kind, r.map((r:any)=>[r.kind, r.source_name, r.amount, r.cancelled]))
  }
  const factors = await lake.query<any>('select * from adjustment_factors order by symbol, ex_date', {}, { adjustment_factors: 'all' })
  const ef = X.expectedFactors(w.world)
  for (const e of ef) {
    const r = factors.find((r:any) => key(r) === key(e))
    if (!r) { console.log('NOFACTOR', e); continue }
    if (Math.abs(r.price_factor / e.price_factor - 1) > 1e-12) console.log('FACTOR', e, r.price_factor)
    if (r.previous_close !== e.previous_close || Math.abs(Number(r.split_numerator)/Number(r.split_denominator) - e.split) > 1e-12 || r.fx_rate !== e.fx_rate || r.fx_rate_date !== e.fx_rate_date) console.log('F?', e, r)
  }
  for (const r of factors) if (!ef.some(e => key(e) === key(r))) console.log('EXTRA', r)
  const ground = await groundOf(lake, null)
  let worst = 0
  for (const s of symbols) {
    const built = await buildEod(ground, { symbol: s, order: 'asc', adjust: 'none' } as never)
    const got: any[] = (built.body as any).bars
    for (const chain of [true, false]) {
      const e = X.expectedAdjusted(w.world, s, { chain })
      const m = new Map(e.map(b => [b.date, b]))
      let bad = 0, w1 = 0, ex = ''
      for (const b of got) { const x = m.get(b.date); if (!x) { bad++; continue }
        const d = Math.abs(b.adjusted_close / x.adjusted_close - 1); if (d > w1) { w1 = d; ex = b.date } }
      if (bad || w1 > 1e-11 || got.length !== e.length) console.log(chain ? 'CHAIN' : 'ALONE', s, 'got', got.length, 'expected', e.length, 'unknown', bad, 'worst', w1, ex)
    }
  }
})
