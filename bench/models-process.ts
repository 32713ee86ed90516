// An installation's worker as far as models go: builds one anew when told to, and says how long that took.
import { openRuntime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import { screener } from '#warehouse/models/model.ts'
import { buildModel } from '#warehouse/models/store.ts'

const runtime = await openRuntime(
  loadConfig(process.env),
  (level, message) => (level === 'error' || level === 'warn' ? console.error(message) : undefined),
  'crossfile bench',
)
process.on('message', async () => {
  const { db } = runtime.postgres
  await db.deleteFrom('model_build').execute()
  const begun = performance.now()
  const build = await buildModel({ db, writer: runtime.tools.writer }, screener, null, null)
  const ms = performance.now() - begun
  const row = await db.selectFrom('model_build').select('bytes').executeTakeFirst()
  process.send?.({ ms, rows: build?.rows ?? 0, bytes: Number(row?.bytes ?? 0) })
})
process.send?.({ ready: true })
process.once('SIGTERM', () => void runtime.close().then(() => process.exit(0)))
