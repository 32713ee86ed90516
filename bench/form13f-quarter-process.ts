// An installation's worker with stored 13F filings: it stores generated ones, then reads what was stored, as the job that catches up does.
import { createHash } from 'node:crypto'
import { randomOf } from '#fixtures/world/random.ts'
import { readHeld } from '#pipelines/ingest/read-held.ts'
import { openRuntime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { linesWith, submissionOf } from './form13f.ts'

const runtime = await openRuntime(
  loadConfig(process.env),
  (level, message) => (level === 'error' || level === 'warn' ? console.error(message) : undefined),
  'crossfile bench',
)
/** Rows of ten filings, one after the other: most managers have some hundreds, some have thousands; 413 on average. */
const sizes = [40, 90, 120, 150, 200, 260, 330, 420, 700, 1820]
const securities = 20_000
/** All managers write the name of an issuer alike: they copy it from the SEC's list. */
const issuerOf = (security: number): string =>
  `${['AMBER', 'COBALT', 'GRANITE', 'JUNIPER', 'OSPREY'][security % 5]} ${['HLDGS', 'INDS', 'PHARMACEUTICALS', 'TECHNOLOGIES'][security % 4]} ${security} INC`

function filing(manager: number): RawDocument {
  const random = randomOf(13, `filing of ${manager}`)
  const count = sizes[manager % sizes.length] as number
  const first = random.int(0, securities - 1)
  // Managers list their securities in the order of their names: every tenth or so of the list.
  const step = Math.max(1, Math.floor(securities / count))
  const securityOf = (line: number): number => (first + line * step) % securities
  const { text } = submissionOf(
    manager,
    linesWith(random, count, securityOf).map((line, at) => ({ ...line, issuer: issuerOf(securityOf(at)) })),
  )
  const body = Buffer.from(text)
  const cik = 9_980_000 + manager
  return {
    sha256: createHash('sha256').update(body).digest('hex'),
    source: 'edgar',
    url: `https://www.sec.gov/Archives/edgar/data/${cik}/${String(cik).padStart(10, '0')}-26-000001.txt`,
    retrieved_at: '2026-11-14T10:00:00Z',
    status: 200,
    headers: {},
    body,
  }
}

async function store(filings: number): Promise<Record<string, number>> {
  let bytes = 0
  for (let from = 0; from < filings; from += 100) {
    const documents = Array.from({ length: Math.min(100, filings - from) }, (_, at) => filing(from + at))
    for (const { body } of documents) bytes += body.byteLength
    await runtime.raw.keep(documents)
  }
  return { bytes }
}

async function read(): Promise<Record<string, number>> {
  const begun = performance.now()
  const used = process.cpuUsage()
  const done = await readHeld(runtime, { signal: new AbortController().signal })
  const { user, system } = process.cpuUsage(used)
  if (done.failed.length > 0 || done.refused > 0) throw new Error(`${done.failed.length} filings were not read, ${done.refused} findings`)
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1000, documents: done.documents, rows: done.rows, releases: done.releases.length }
}

process.on('message', ({ store: filings }: { store?: number }) => {
  const work = filings === undefined ? read() : store(filings)
  work.then(
    answer => process.send?.(answer),
    error => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.send?.({ ready: true })
process.once('SIGTERM', () => {
  void runtime.close().then(() => process.exit(0))
})
