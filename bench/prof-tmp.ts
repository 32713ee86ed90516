import { loadConfig } from '#schemas/config.ts'
import { connect } from '#warehouse/postgres.ts'
import { startEmbeddedPostgres } from '#warehouse/embedded-postgres.ts'
import { openDuckdb, queryRows } from '#warehouse/duckdb.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { openConnections } from '#warehouse/lake/lake.ts'
import { createVerifier, lakeFolder, lakePath, openLake } from '#warehouse/lake/open.ts'
import { groundOf } from '#warehouse/answers/ground.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { findBars, findFactors, spansOf } from '#warehouse/bars/bars.ts'
import { universeOf } from './universe.ts'
const [dir, scale] = process.argv.slice(2)
const data = dir!
const pg = await startEmbeddedPostgres({ dataDir: data + '/postgres' })
const db = connect(pg.url, { max: 2, applicationName: 'prof' })
const cat = await loadCatalogue(db.db as never)
const inst = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [lakeFolder(data)] })
const pool = await openConnections(inst, 4)
const ver = createVerifier(data)
for (const fs of cat.files.values()) for (const f of fs) ver.trust(f.sha256)
const lake = openLake(cat, pool, ver)
let t = performance.now()
const ground = await groundOf(lake, null)
console.log('ground', performance.now() - t, process.memoryUsage().rss / 1e6)
const u = universeOf(Number(scale))
let s = 12345
const rnd = (n: number) => ((s = (s * 1103515245 + 12345) & 0x7fffffff), s % n)
const stat = (name: string, xs: number[]) => { xs.sort((a, b) => a - b); console.log(name.padEnd(28), 'p50', xs[xs.length >> 1]!.toFixed(2), 'p99', xs[Math.floor(xs.length * 0.99)]!.toFixed(2)) }
const N = 150
const q = { order: 'asc', adjust: 'none' } as const
const bench = async (name: string, f: (sym: string) => Promise<unknown>) => {
  const xs: number[] = []
  s = 999
  for (let i = 0; i < N; i++) { const sym = u.symbols[rnd(u.symbols.length)]!; const t0 = performance.now(); await f(sym); xs.push(performance.now() - t0) }
  stat(name, xs)
}
const files = (sym: string, ds = 'bars') => (cat.files.get(ds) ?? []).filter(f => f.key_min <= sym && sym <= f.key_max).map(f => lakePath(data, f))
console.log('files per symbol', files(u.symbols[17]!).length, 'all', cat.files.get('bars')!.length)
for (let round = 0; round < 3; round++) {
  await bench('plain 7 cols chunks', sym => pool.use(async c => { const r = await c.runAndReadAll(`select date,open,high,low,close,volume from read_parquet([${files(sym).map(f => `'${f}'`)}]) where symbol = '${sym}' order by date`); return r.getColumns() }))
  await bench('plain 7 cols no conv', sym => pool.use(async c => { const r = await c.runAndReadAll(`select date,open,high,low,close,volume from read_parquet([${files(sym).map(f => `'${f}'`)}]) where symbol = '${sym}' order by date`); return r.currentRowCount }))
  await bench('plain 11 cols rows', sym => pool.use(async c => queryRows(c, `select date,open,high,low,close,volume,currency,source,known_from,raw_sha256,symbol from read_parquet([${files(sym).map(f => `'${f}'`)}]) where symbol = '${sym}' order by date`)))
  await bench('plain 1 file', sym => pool.use(async c => { const r = await c.runAndReadAll(`select date,open,high,low,close,volume from read_parquet('${files(sym)[0]}') where symbol = '${sym}' order by date`); return r.currentRowCount }))
  await bench('findBars', sym => findBars(lake, spansOf(ground.symbols, sym), { from: null, to: null }, null))
  await bench('findFactors', sym => findFactors(lake, spansOf(ground.symbols, sym), '2026-11-20', null))
  await bench('payload', sym => buildPayload('get_eod', ground, { symbol: sym, ...q } as never, '2026-11-20T00:00:00Z'))
}
const pl = await buildPayload('get_eod', ground, { symbol: u.symbols[7]!, ...q } as never, '2026-11-20T00:00:00Z')
console.log(pl!.payload.length, pl!.payload.toString().slice(0, 300), pl!.payload.toString().slice(-300))
console.log('rss', process.memoryUsage().rss / 1e6)
pool.close(); await db.close(); await pg.stop()
