// Reads 13F submissions as the pipeline does, one after the other, and says how long that took and how many rows came out.
import { readFileSync } from 'node:fs'
import { parseFiling } from '#pipelines/read/edgar/full-submission.ts'

process.on('message', ({ path, times }: { readonly path: string; readonly times: number }) => {
  const begun = performance.now()
  let rows = 0
  for (let turn = 0; turn < times; turn += 1) {
    const body = readFileSync(path)
    const document = {
      sha256: 'a'.repeat(64),
      source: 'edgar',
      url: `recorded:${path}`,
      retrieved_at: '2026-01-01T00:00:00Z',
      status: 200,
      headers: {},
      body,
    }
    rows += parseFiling(document).facts.holdings?.length ?? 0
  }
  process.send?.({ ms: performance.now() - begun, rows })
})
process.send?.({ ready: true })
process.once('SIGTERM', () => process.exit(0))
