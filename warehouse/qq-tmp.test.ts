import { cpSync, rmSync } from 'node:fs'
import { test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { writeAnalystFile } from '#pipelines/jobs/models/models.ts'
import { compactAll } from '#warehouse/store/lake/compact.ts'
import { stateDigest } from '#warehouse/store/lake/digest.ts'
test('x', async () => {
  const w = await worldWarehouse()
  let t = performance.now()
  console.log(await writeAnalystFile(w.runtime, { check: true }), performance.now() - t)
  t = performance.now()
  console.log(await writeAnalystFile(w.runtime), performance.now() - t)
  t = performance.now()
  console.log(await compactAll(w.runtime.postgres.db, w.runtime.tools.writer), performance.now() - t)
  t = performance.now()
  console.log(await writeAnalystFile(w.runtime, { check: true }), performance.now() - t)
  t = performance.now()
  console.log(await writeAnalystFile(w.runtime, { check: true }), performance.now() - t)
  console.log(JSON.stringify(await stateDigest(await w.lake(), {datasets:['bars','fx_rates']})))
  rmSync('/tmp/world', { recursive: true, force: true })
  cpSync(w.config.dataFolder, '/tmp/world', { recursive: true })
}, 300_000)
