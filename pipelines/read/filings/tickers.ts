// The SEC's map of CIK to ticker: company_tickers.json (objects) and company_tickers_exchange.json (rows, with the exchange).
import { z } from 'zod'
import { Unreadable } from '#schemas/errors.ts'
import type { Fact } from '../parsed.ts'
import { reader } from '../reader.ts'
import { cikOf, fileName } from './address.ts'
import { jsonOf } from './text.ts'

export type TickerEntry = { readonly cik: string; readonly symbol: string; readonly name: string; readonly exchange_name: string | null }

const Cik = z.union([z.number().int(), z.string()])
const Objects = z.record(z.string(), z.object({ cik_str: Cik, ticker: z.string(), title: z.string() }))
const Rows = z.object({ fields: z.array(z.string()), data: z.array(z.array(z.union([z.string(), z.number()]).nullable())) })

/** Every entry of either file. Throws `Unreadable` (`not_json`, `not_tickers`). */
export function parseTickers(subject: string, bytes: Uint8Array): TickerEntry[] {
  const json = jsonOf(subject, bytes)
  const rows = Rows.safeParse(json)
  if (rows.success) {
    const at = (name: string): number => rows.data.fields.indexOf(name)
    const [cik, name, ticker, exchange] = [at('cik'), at('name'), at('ticker'), at('exchange')]
    if (cik < 0 || name < 0 || ticker < 0)
      throw new Unreadable('not_tickers', `${subject}: fields ${rows.data.fields.join(', ')}; expected cik, name, ticker`)
    return rows.data.data.map(row =>
      entry(subject, row[cik] ?? '', String(row[ticker] ?? ''), String(row[name] ?? ''), exchange < 0 ? null : row[exchange]),
    )
  }
  const objects = Objects.safeParse(json)
  if (!objects.success)
    throw new Unreadable('not_tickers', `${subject}: ${objects.error.issues[0]?.path.join('.')}: ${objects.error.issues[0]?.message}`)
  return Object.values(objects.data).map(row => entry(subject, row.cik_str, row.ticker, row.title, null))
}

function entry(subject: string, cik: string | number, symbol: string, name: string, exchange: string | number | null | undefined): TickerEntry {
  const padded = cikOf(cik)
  if (padded === null || symbol === '')
    throw new Unreadable('not_tickers', `${subject}: entry ${JSON.stringify([cik, symbol, name])} has no CIK or ticker`)
  return { cik: padded, symbol: symbol.toUpperCase(), name, exchange_name: typeof exchange === 'string' && exchange !== '' ? exchange : null }
}

export const tickersReader = reader('edgar.tickers', 'issuer_tickers', {
  reads: url => /^https:\/\/www\.sec\.gov\/files\/company_tickers(_exchange)?\.json$/.test(url),
  recognise: (path, head) => {
    if (/^\s*\{\s*"fields"\s*:\s*\[\s*"cik"/.test(head)) return 'https://www.sec.gov/files/company_tickers_exchange.json'
    if (/^\s*\{\s*"0"\s*:\s*\{\s*"cik_str"/.test(head)) return 'https://www.sec.gov/files/company_tickers.json'
    return /^company_tickers(_exchange)?\.json$/.test(fileName(path)) ? `https://www.sec.gov/files/${fileName(path)}` : null
  },
  parse: document => {
    const entries = parseTickers(`tickers ${document.url}`, document.body)
    const once = new Map<string, Fact<'issuer_tickers'>>()
    let repeated = 0
    for (const row of entries) {
      const key = `${row.symbol} ${row.cik}`
      if (once.has(key)) repeated += 1
      else once.set(key, row)
    }
    const skipped: Record<string, number> = repeated === 0 ? {} : { ticker_repeated: repeated }
    return { facts: { issuer_tickers: [...once.values()] }, refused: [], skipped, follow: [] }
  },
})
