import { mkdir } from 'node:fs/promises'
import { loadConfig } from '#schemas/config.ts'
import { openRuntime } from '#pipelines/runtime.ts'
import { buildUniverse } from './universe.ts'
const [dir, scale] = process.argv.slice(2)
await mkdir(dir!, { recursive: true })
const rt = await openRuntime(loadConfig({ CROSSFILE_DATA: dir!, CROSSFILE_LOG: 'warn' }), (l, m) => console.error(l, m), 'bench')
const t = performance.now()
await buildUniverse(rt, Number(scale), x => console.log(((performance.now() - t) / 1000).toFixed(1), x))
console.log('done', (performance.now() - t) / 1000)
await rt.close()
