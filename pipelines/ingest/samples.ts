// For the tests of this folder: a lake in memory, filled batch by batch from documents in true formats, and queried as a client does.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { DatasetName } from '#schemas/index.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { openMemoryLake } from '#warehouse/store/lake/memory.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { readers } from '../read/register.ts'
import { derive } from './derive.ts'
import { readDocument } from './read-document.ts'
import type { Decisions, ParsedDocument } from './types.ts'

export type File = { readonly url: string; readonly text: string; readonly source?: string; readonly at?: string }
export type Action = {
  kind: string
  ex_date: string
  source_name: string
  amount: number | null
  applied: { status: string; reason: string | null; price_factor: number | null }
  fx: { rate: number; rate_date: string; amount: number } | null
  successor: string | null
}
export type Bar = {
  date: string
  open: number | null
  high: number | null
  low: number | null
  close: number
  adjusted_close: number
  volume: number | null
  currency: string
  basis?: string
}
type RequestedOperation = Parameters<typeof buildPayload>[0]
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Ingests batches of documents one after the other, each as one release, and answers from the result. */
export async function lakeOf(batches: readonly (readonly File[])[], decisions: Decisions = new Map()) {
  const folder = await mkdtemp(join(tmpdir(), 'crossfile-edge-'))
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })
  const memory = await openMemoryLake(instance, folder)
  closing.push(async () => {
    memory.close()
    instance.closeSync()
    await rm(folder, { recursive: true, force: true })
  })
  const refused: string[] = []
  const settled: string[] = []
  for (const [release, files] of batches.entries()) {
    const documents = files.map(({ url, text, source = 'csv', at = '2026-11-20T00:00:00Z' }): ParsedDocument => {
      const body = Buffer.from(text)
      const origin = { sha256: sha256Hex(body), source, url, retrieved_at: at, status: 200, headers: {}, body }
      const reading = readDocument(readers, { raw_id: 0, document: origin })
      if (!reading.parsed) throw new Error(`${url}: ${reading.detail}`)
      return { origin, parsed: reading.parsed }
    })
    const derived = await derive(documents, memory.at(release), decisions)
    refused.push(...derived.refused.map(each => each.refused.reason))
    settled.push(...derived.settled)
    for (const [name, rows] of derived.rows)
      await memory.add(name as DatasetName, rows, { release: release + 1, committed_at: `2026-11-20T00:0${release}:00Z` })
  }
  const ask = async <T>(operation: RequestedOperation, question: object, release = batches.length): Promise<T> => {
    const context = await contextOf(memory.at(release), null)
    const payload = await buildPayload(operation, context, question as never, '2026-11-20T12:00:00Z')
    return JSON.parse(String(payload?.payload)) as T
  }
  return {
    refused,
    settled,
    ask,
    context: () => contextOf(memory.at(batches.length), null),
    adjusted: async (symbol: string, release?: number) => {
      const { bars } = await ask<{ bars: Bar[] }>('get_eod', { symbol, order: 'asc', adjust: 'none' }, release)
      return Object.fromEntries(bars.map(bar => [bar.date, bar.adjusted_close]))
    },
    actions: async (symbol: string) => (await ask<{ actions: Action[] }>('list_corporate_actions', { symbol })).actions,
  }
}

export const bars = (symbol: string, closes: Readonly<Record<string, number>>, name = symbol): File => ({
  url: `file:${name}.csv`,
  text: `symbol,date,open,high,low,close,volume\n${Object.entries(closes)
    .map(([date, close]) => [symbol, date, close, close, close, close, 1000].join())
    .join('\n')}\n`,
})
/** The operator's table of actions. */
export const own = (symbol: string, ...rows: readonly string[]): File => ({
  url: `file:${symbol}.actions.csv`,
  text: `symbol,ex_date,kind,numerator,denominator,amount,currency,record_date,amount_basis,cancelled,successor,terms\n${rows.map(row => `${symbol},${row}`).join('\n')}\n`,
})
/** The same from Polygon, a second source. */
export const polygon = (ticker: string, ...rows: readonly object[]): File => ({
  url: 'https://api.polygon.io/v3/reference/dividends?ticker=1',
  source: 'polygon',
  text: JSON.stringify({ status: 'OK', results: rows.map(row => ({ ticker, currency: 'USD', dividend_type: 'CD', ...row })) }),
})
export const rate = (date: string, value: string): File => ({
  url: `https://www.bankofcanada.ca/valet/observations/group/FX_RATES_DAILY/json?start_date=${date}`,
  source: 'bank-of-canada',
  text: JSON.stringify({
    groupDetail: { label: 'Daily exchange rates' },
    seriesDetail: {
      FXUSDCAD: { label: 'USD/CAD', description: 'US dollar to Canadian dollar daily exchange rate', dimension: { key: 'd', name: 'date' } },
    },
    observations: [{ d: date, FXUSDCAD: { v: value } }],
  }),
})
