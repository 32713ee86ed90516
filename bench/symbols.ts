// 51,000 listings as EODHD's three lists in one commit; the same lists a day later, and a day on which a hundred symbols are gone.
import { createHash } from 'node:crypto'
import { type EodhdExchange, symbolListUrl } from '#pipelines/fetch/sources/eodhd.ts'
import { ingest } from '#pipelines/ingest/ingest.ts'
import { openRuntime } from '#pipelines/ingest/runtime.ts'
import { loadConfig } from '#schemas/config.ts'
import type { ReleaseContexts } from './contexts.ts'
import { figure, type Report } from './measure.ts'
import { symbolCount } from './universe.ts'

const letters = (id: number): string => [17576, 676, 26, 1].map(unit => String.fromCharCode(65 + (Math.floor(id / unit) % 26))).join('')
const days = ['2026-11-17', '2026-11-18', '2026-11-19'] as const

/** The listed symbols of an exchange as EODHD prints them; every 500th is left out where `gone`. */
function list(exchange: EodhdExchange, ids: readonly number[], gone: boolean): Buffer {
  const rows = ids
    .filter(id => !gone || id % 500 !== 7)
    .map(id => ({
      Code: letters(id),
      Name: `Bench Mines ${letters(id)} Inc.`,
      Country: exchange === 'US' ? 'USA' : 'Canada',
      Exchange: exchange === 'US' ? 'NASDAQ' : exchange,
      Currency: exchange === 'US' ? 'USD' : 'CAD',
      Type: 'Common Stock',
      Isin: null,
    }))
  return Buffer.from(JSON.stringify(rows))
}

export async function symbolsDay(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const count = symbolCount(contexts.options.scale)
  const all = Array.from({ length: count }, (_, id) => id)
  const parts = {
    US: all.slice(0, Math.floor(count * 0.8)),
    TO: all.slice(Math.floor(count * 0.8), Math.floor(count * 0.9)),
    V: all.slice(Math.floor(count * 0.9)),
  }
  const env = { CROSSFILE_DATA: await contexts.folder('symbols'), CROSSFILE_UPSTREAM_BASE: 'http://127.0.0.1:9', CROSSFILE_LOG: 'warn', PORT: '0' }
  const runtime = await openRuntime(loadConfig(env), (level, text) => (level === 'error' ? contexts.say(text) : undefined), 'crossfile bench')
  const seconds: number[] = []
  let last: Readonly<Record<string, number>> = {}
  try {
    for (const [at, day] of days.entries()) {
      const documents = (['US', 'TO', 'V'] as const).map(exchange => {
        const body = list(exchange, parts[exchange], at === 2)
        const sha256 = createHash('sha256').update(body).digest('hex')
        return { sha256, source: 'eodhd', url: symbolListUrl(exchange), retrieved_at: `${day}T12:00:00Z`, status: 200, headers: {}, body }
      })
      const begun = performance.now()
      const kept = await runtime.raw.keep(documents)
      const held = documents.map((document, place) => ({ raw_id: kept[place]?.raw_id ?? 0, document }))
      const outcome = await ingest(runtime.tools, { job: 'bench', partition: day, documents: held, decisions: new Map(), fence: null })
      seconds.push((performance.now() - begun) / 1000)
      last = outcome.counts
    }
  } finally {
    await runtime.close()
  }
  const [load, same, gone] = seconds as [number, number, number]
  return {
    figures: [
      figure('all listings, the first day', 's', [load]),
      figure('the same lists a day later', 's', [same]),
      figure('a day on which some are gone', 's', [gone]),
      figure('resident memory afterwards', 'MB', [process.memoryUsage().rss / 1e6]),
    ],
    notes: [`${count.toLocaleString('en-US')} listings in one commit, one run; on the last day ${last['delisted'] ?? 0} were found gone`],
  }
}
