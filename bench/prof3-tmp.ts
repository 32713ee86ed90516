import { connect } from '#warehouse/postgres.ts'
import { startEmbeddedPostgres } from '#warehouse/embedded-postgres.ts'
import { openDuckdb, queryRows } from '#warehouse/duckdb.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { openConnections, scopedStatement } from '#warehouse/lake/lake.ts'
import { lakeFolder, lakePath } from '#warehouse/lake/open.ts'
import { fileRelation } from '#warehouse/lake/relation.ts'
import { datasetOf } from '#schemas/index.ts'
import { readFileSync } from 'node:fs'
const data = process.argv[2]!
const pg = await startEmbeddedPostgres({ dataDir: data + '/postgres' })
const db = connect(pg.url, { max: 2, applicationName: 'prof' })
const cat = await loadCatalogue(db.db as never)
const inst = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [lakeFolder(data)] })
const pool = await openConnections(inst, 1)
const sym = 'AAAO.V'
const sqlF = readFileSync('warehouse/bars/find-factors.sql', 'utf8')
const fl = (ds: string) => (cat.files.get(ds) ?? []).filter(f => f.key_min <= sym && sym <= f.key_max)
const rel = { ...fileRelation(datasetOf('adjustment_factors'), fl('adjustment_factors').map(f => ({ path: lakePath(data, f), fresh_release: f.fresh_release }))), settled: true }
const st = scopedStatement(sqlF, { adjustment_factors: [sym] }, () => rel, { dated: false })
console.log(st.sql, fl('adjustment_factors').length, fl('adjustment_factors').map(f => [f.rows, f.bytes]))
const f0 = lakePath(data, fl('adjustment_factors')[0]!)
const V: Record<string, [string, Record<string, unknown>]> = {
  now: [st.sql, { ...st.parameters, to: '2026-11-20', release: 100, as_of: null }],
  'plain lit': [`select symbol, ex_date, split_numerator, split_denominator, cash_amount, price_factor, fx_rate_date, spinoff, source, known_from, raw_sha256 from read_parquet('${f0}') where symbol='${sym}' and convention='yahoo_crsp'`, {}],
  'few cols': [`select ex_date, split_numerator, split_denominator, cash_amount, price_factor from read_parquet('${f0}') where symbol='${sym}'`, {}],
  'one col': [`select ex_date from read_parquet('${f0}') where symbol='${sym}'`, {}],
  'no rank': [`select symbol, ex_date, split_numerator, split_denominator, cash_amount, price_factor, fx_rate_date, spinoff, source, known_from, raw_sha256 from read_parquet($f) where symbol=$k and convention='yahoo_crsp' and ex_date <= $to::date order by ex_date, symbol`, { f: [f0], k: sym, to: '2026-11-20' }],
  'arg': [`select symbol, ex_date, arg_max({a: split_numerator, b: split_denominator, c: cash_amount, p: price_factor, s: source, w: withdrawn}, release_from) from read_parquet($f) where symbol=$k group by all`, { f: [f0], k: sym }],
}
const R: Record<string, number[]> = {}
await pool.use(async c => {
  for (let i = 0; i < 120; i++) for (const [n, [q, p]] of Object.entries(V)) { const t = performance.now(); const rows = await queryRows(c, q, p as never); if (i === 0) console.log(n, rows.length); if (i > 5) (R[n] ??= []).push(performance.now() - t) }
  for (const [n, xs] of Object.entries(R)) { xs.sort((a, b) => a - b); console.log(n.padEnd(12), xs[0]!.toFixed(2), xs[xs.length >> 1]!.toFixed(2)) }
})
pool.close(); await db.close(); await pg.stop()
