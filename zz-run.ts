import { startWorldServer } from '#fixtures/world/server.ts'
import { openInstallation } from '#fixtures/world/chaos/installation.ts'
import { startWorkerProcess } from '#fixtures/world/chaos/workers.ts'
import { readState } from '#fixtures/world/chaos/state.ts'
const t0 = Date.now(); const lap = (s: string) => console.log(((Date.now()-t0)/1000).toFixed(1), s)
const world = await startWorldServer({ scale: 'tiny', secRate: null })
const it = await openInstallation({ upstream: world.origin }); lap('installation')
const phases = [
 [{ job: 'symbols-us', from: '2026-11-19', to: '2026-11-19' }, { job: 'symbols-ca', from: '2026-11-19', to: '2026-11-19' }, { job: 'issuer-tickers', from: '2026-11-19', to: '2026-11-19' }, { job: 'fx', from: '2026-10-01', to: '2026-11-19' }],
 [{ job: 'history-eodhd', from: '2026-10-16', to: '2026-10-29', symbols: ['GLPR.TO','GLPR','HSTI.TO','HSTI-U.TO','PSR-UN.TO','BHWU','NGP','QT','KCG.V','CPPL'] }],
 [{ job: 'bars-us', from: '2026-10-30', to: '2026-11-19' },{ job: 'bars-to', from: '2026-10-30', to: '2026-11-19' },{ job: 'bars-v', from: '2026-10-30', to: '2026-11-19' }],
 [{ job: 'filings', from: '2026-11-02', to: '2026-11-19' }, { job: 'insider', from: '2026-11-02', to: '2026-11-19' }, { job: 'insider-issuer', from: '2026-10-01', to: '2026-11-19', symbols: ['BRLX','RDGT'] }],
]
const w = startWorkerProcess(it.env); await w.ready; lap('worker ready')
const all = process.argv[2] === 'all'
if (all) for (const p of phases) for (const b of p) lap(b.job + ' ' + await it.send(b))
for (const p of phases) {
  if (!all) for (const b of p) lap(b.job + ' ' + await it.send(b))
  while (await it.open() > 0) await new Promise(r => setTimeout(r, 100))
  lap('drained')
}
import { openDuckdb } from '#warehouse/duckdb.ts'
import { openConnections } from '#warehouse/lake/lake.ts'
import { openLake, createVerifier, lakeFolder } from '#warehouse/lake/open.ts'
import { loadCatalogue } from '#warehouse/lake/catalogue.ts'
import { writeFileSync } from 'node:fs'
import { datasetNames, datasetOf } from '#schemas/index.ts'
{ const i = await openDuckdb({ memoryLimit: '1GB', threads: 1, tempFolder: '', folders: [lakeFolder(it.data)] }); const c = await openConnections(i, 1)
const lake = openLake(await loadCatalogue(it.db as never), c, createVerifier(it.data)); let out = ''
for (const n of datasetNames) for (const r of await lake.query<object>(`select * exclude (release_from) from ${n} order by ${datasetOf(n).order.join(',')}`, {}, { [n]: 'all' } as never)) out += n + ' ' + JSON.stringify(r) + '\n'
writeFileSync(process.argv[3]!, out); c.close() }
const s = await readState(it.db, it.data); lap('state')
console.log(JSON.stringify(s, null, 1)); console.log(world.log().length)
w.signal('SIGTERM'); console.log(await w.exited); lap('exit')
console.log(w.output().split('\n').filter(l => !/ info /.test(l)).slice(0,40).join('\n'))
await it.close(); await world.close(); lap('closed')
