// A day of the whole market: EODHD's bulk documents (bars, splits and dividends of US, TO and V) from a local server through the
// three jobs of jobs.yaml, until the running API answers with the day's bars.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bulkActionsUrl, bulkBarsUrl, type EodhdExchange } from '#pipelines/fetch/sources/eodhd.ts'
import { addDays } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { eodhd as spelling } from '#schemas/vendor-spelling.ts'
import { isSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Market, ReleaseContexts } from './contexts.ts'
import { figure, type Report } from './measure.ts'
import { residentMemory, root, startProgram } from './processes.ts'

const exchanges = ['US', 'TO', 'V'] as const
const jobOf = { US: 'bars-us', TO: 'bars-to', V: 'bars-v' } as const
/** One dividend a hundred symbols, one split two thousand: a day in the middle of a quarter. */
const dividendEvery = 100
const splitEvery = 2_000
const patienceMs = 120_000

type Last = { readonly symbol: string; readonly close: number }
type MarketDay = {
  readonly date: string
  readonly documents: Record<string, string>
  readonly watched: Readonly<Record<EodhdExchange, string>>
}

/** The next sessions that New York and Toronto share. */
function sessionsAfter(date: string, count: number): string[] {
  const days: string[] = []
  for (let day = addDays(date, 1); days.length < count; day = addDays(day, 1)) if (isSession('US', day) && isSession('TO', day)) days.push(day)
  return days
}

/** The documents of a day in which every close moves by under 2 %, as EODHD prints them. */
function documentsOf(date: string, closes: readonly Last[], round: number): MarketDay {
  const documents: Record<string, string> = {}
  const watched = {} as Record<EodhdExchange, string>
  for (const exchange of exchanges) {
    const own = closes.filter(({ symbol }) => exchangeOf(symbol) === exchange)
    const codeOf = (symbol: string): string => (spelling.write(symbol) ?? symbol).replace(/\.(US|TO|V)$/, '')
    const common = (symbol: string): object => ({ code: codeOf(symbol), exchange_short_name: exchange, date })
    const bars = own.map(({ symbol, close }, at) => {
      const splits = at % splitEvery === 11 + round
      const to = Math.round(close * (splits ? 0.5 : 1) * (1 + ((at * 7919 + round * 31) % 37) / 1000) * 100) / 100
      return {
        ...common(symbol),
        open: to,
        high: Math.round(to * 101) / 100,
        low: Math.round(to * 99) / 100,
        close: to,
        adjusted_close: to,
        volume: 1000 + at,
      }
    })
    const dividends = own
      .filter((_, at) => at % dividendEvery === 3 + round)
      .map(({ symbol, close }) => ({
        ...common(symbol),
        dividend: (close * 0.004).toFixed(4),
        currency: exchange === 'US' ? 'USD' : 'CAD',
        declarationDate: '',
        recordDate: date,
        paymentDate: '',
        period: 'Quarterly',
        unadjustedValue: (close * 0.004).toFixed(4),
      }))
    const splits = own.filter((_, at) => at % splitEvery === 11 + round).map(({ symbol }) => ({ ...common(symbol), split: '2.000000/1.000000' }))
    documents[bulkBarsUrl(exchange, date)] = JSON.stringify(bars)
    documents[bulkActionsUrl(exchange, date, 'dividends')] = JSON.stringify(dividends)
    documents[bulkActionsUrl(exchange, date, 'splits')] = JSON.stringify(splits)
    watched[exchange] = own.at(-1)?.symbol ?? ''
  }
  return { date, documents, watched }
}

async function lastBars(market: Market): Promise<{ date: string; closes: Last[] }> {
  const { writer } = market.runtime.tools
  const catalogue = await market.catalogue()
  const lake = openLake(catalogue, writer.connections, writer.verifier)
  const date = (catalogue.files.get('bars') ?? []).reduce((newest, { time_max }) => (time_max !== null && time_max > newest ? time_max : newest), '')
  const closes = await lake.query<Last>(
    'select symbol, close from bars where date = $date::date order by symbol',
    { date },
    { bars: 'all' },
    { since: { bars: { time: date } } },
  )
  return { date, closes }
}

/** Asks until the symbol's newest bar is of the day; when that was. */
async function servedAt(address: string, symbol: string, date: string): Promise<number> {
  const begun = Date.now()
  for (;;) {
    const { bars } = (await (await fetch(`${address}/api/v1/market/eod/${symbol}?from=${date}`)).json()) as { bars: { date: string }[] }
    if (bars.at(-1)?.date === date) return Date.now()
    if (Date.now() - begun > patienceMs) throw new Error(`the bar of ${symbol} on ${date} was not served within ${patienceMs / 1000} s`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

export async function eodDay(contexts: ReleaseContexts): Promise<Pick<Report, 'figures' | 'notes'>> {
  const market = await contexts.market()
  const address = String((await market.api()).ready['address'])
  const last = await lastBars(market)
  const rounds = Math.min(contexts.options.rounds, 3)
  const days = sessionsAfter(last.date, rounds).map((date, round) => documentsOf(date, last.closes, round))
  const folder = await contexts.folder('eod-day')
  const file = join(folder, 'documents.json')
  await writeFile(file, JSON.stringify(Object.assign({}, ...days.map(day => day.documents))))
  const server = await startProgram('bench/edgar-server.ts', {}, null, [file])
  const env = {
    ...market.env,
    CROSSFILE_JOBS: join(root, 'jobs.yaml'),
    CROSSFILE_UPSTREAM_BASE: String(server.ready['origin']),
    EODHD_API_TOKEN: 'bench',
  }
  const worker = await startProgram('bench/ingest-process.ts', env)
  const whole: number[] = []
  const cpu: number[] = []
  const served: number[] = []
  const perJob = new Map<string, number[]>(exchanges.map(exchange => [exchange, []]))
  let rows = 0
  try {
    for (const day of days) {
      // The clock of the worker stands on the evening of the day, after every close.
      const clock = Date.parse(`${day.date}T23:59:00Z`) - Date.now()
      const begun = Date.now()
      let used = 0
      rows = 0
      for (const exchange of exchanges) {
        if (day.watched[exchange] === '') continue
        const job = await worker.ask<{ ms: number; cpuMs: number; rows: number }>({ job: [jobOf[exchange], day.date, day.date], clock })
        perJob.get(exchange)?.push(job.ms)
        used += job.cpuMs
        rows += job.rows
      }
      const committed = Date.now()
      for (const symbol of Object.values(day.watched)) if (symbol !== '') await servedAt(address, symbol, day.date)
      whole.push(Date.now() - begun)
      served.push(Date.now() - committed)
      cpu.push(used)
    }
    return {
      figures: [
        figure(
          'from the first request to the answer',
          's',
          whole.map(ms => ms / 1000),
          { of: 'value', most: 10 },
        ),
        figure(
          'of it, the processor time of the worker',
          's',
          cpu.map(ms => ms / 1000),
        ),
        ...exchanges.map(exchange =>
          figure(
            `of it, ${jobOf[exchange]}`,
            's',
            (perJob.get(exchange) ?? []).map(ms => ms / 1000),
          ),
        ),
        figure('from the last commit to the answer', 'ms', served),
        figure('memory of the worker, most held', 'MB', [residentMemory(worker.pid).peak ?? Number.NaN]),
      ],
      notes: [
        `${last.closes.length.toLocaleString('en-US')} symbols of ${market.universe.bars.toLocaleString('en-US')} bars; ${rows.toLocaleString('en-US')} rows a day from nine documents: raw store, guard against held bars, factors of the day's actions, sealed Parquet, pages of the actions; ${rounds} days in a row`,
      ],
    }
  } finally {
    await worker.stop()
    await server.stop()
  }
}
