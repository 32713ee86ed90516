// The screener over the bundled universe: its rows agree with the other operations, its lists are whole, its builds are the same bytes.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { contextOf } from '../context/release-contexts.ts'
import { collectModels } from '../models/collect.ts'
import { ModelMissing } from '../models/missing.ts'
import { screener } from '../models/model.ts'
import { buildScreener } from '../models/screener/build.ts'
import { standardFields } from '../models/screener/query.ts'
import { buildModel, findNewestBuild, modelPath } from '../models/store.ts'
import { screenerFields } from '../rulesets/screener/fields.ts'
import { compactAll } from '../store/lake/compact.ts'
import { buildEod } from './eod.ts'
import { buildFundamentals } from './fundamentals.ts'
import { buildPayload } from './index.ts'
import { buildScreen, buildScreenerFields } from './screener.ts'

const warehouse = await worldWarehouse()
const { tools } = warehouse.runtime
const lake = await warehouse.lake()
const alone = await contextOf(lake, null)
const context: ReleaseContext = { ...alone, ...(tools.models ? { models: tools.models } : {}) }

type Item = Readonly<Record<string, string | number | boolean | null>> & { readonly code: string }
type Screen = {
  readonly count: number
  readonly total: number
  readonly universe: number
  readonly session_date: string
  readonly coverage: { readonly status: string }
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}
const screen = async (question: object, on: ReleaseContext = context): Promise<Screen> =>
  (await buildScreen(on, { limit: 100, ...question } as Parameters<typeof buildScreen>[1])).body as Screen
let all: readonly Item[] = []
const of = (code: string): Item => all.find(row => row.code === code) as Item
beforeAll(async () => {
  all = (await screen({ fields: 'all', limit: 1000 })).data
})

test('a build opens files of the bars of its listings, not all files for each part of them', async () => {
  const requested: unknown[] = []
  await lake.scratch(shop =>
    buildScreener(
      {
        ...shop,
        table: async (name, sql, parameters, scope) => {
          if (name === 'found_bars') requested.push(scope?.bars)
          await shop.table(name, sql, parameters, scope)
        },
      },
      alone,
      null,
    ),
  )
  expect(requested).not.toContain('all')
  expect(requested.flat()).toEqual(expect.arrayContaining(all.map(row => row.code)))
})

test('the job and a request for the same rows share one build', async () => {
  const { postgres } = warehouse.runtime
  let builds = 0
  const counted = {
    ...screener,
    definition: 'shared',
    build: async (...given: Parameters<typeof screener.build>) => {
      builds += 1
      await screener.build(...given)
    },
  }
  const from = { db: postgres.db, writer: tools.writer }
  const [one, two] = await Promise.all([buildModel(from, counted, null, null), buildModel(from, counted, lake.release, null)])
  expect(builds).toBe(1)
  expect(one?.sha256).toBe(two?.sha256)
  await postgres.db.deleteFrom('model_build').where('definition', '=', 'shared').execute()
})

describe('a row', () => {
  test('of every listing of today, and of no symbol that is no longer in use', () => {
    const listed = context.symbols.all.filter(symbol => context.symbols.find(symbol)?.valid_to === null)
    expect(all.map(row => row.code)).toEqual(listed)
    expect(listed.length).toBeGreaterThan(40)
  })
  test('agrees with the adjusted closes of the end-of-day operation, through splits, dividends, renames and reused symbols', async () => {
    let compared = 0
    for (const row of all) {
      const eod = await buildEod(context, { symbol: row.code, order: 'asc', adjust: 'split' } as Parameters<typeof buildEod>[1])
      const { bars } = eod.body as { bars: readonly { date: string; close: number; adjusted_close: number; high: number }[] }
      const [last, before] = [bars.at(-1), bars.at(-2)]
      if (!last || !before) continue
      expect([row.code, row['session_date']]).toEqual([row.code, last.date])
      expect(row['change_1d_pct']).toBeCloseTo((last.adjusted_close / before.adjusted_close - 1) * 100, 6)
      const yearAgo = `${Number(last.date.slice(0, 4)) - 1}${last.date.slice(4)}`
      const base = bars.findLast(bar => bar.date <= yearAgo)
      if (base && row['return_1y_pct'] !== null) expect(row['return_1y_pct']).toBeCloseTo((last.adjusted_close / base.adjusted_close - 1) * 100, 6)
      expect(row['high_52w']).toBeCloseTo(Math.max(...bars.filter(bar => bar.date > yearAgo).map(bar => bar.high)), 6)
      const twenty = bars.slice(-20)
      if (twenty.length === 20) expect(row['sma20']).toBeCloseTo(twenty.reduce((sum, bar) => sum + bar.close, 0) / 20, 6)
      compared += 1
    }
    expect(compared).toBeGreaterThan(40)
  })
  test("Wilder's oscillators and the drawdown agree with a plain loop over the bars", async () => {
    const { bars } = (await buildEod(context, { symbol: 'MPLS', order: 'asc', adjust: 'split' } as Parameters<typeof buildEod>[1])).body as {
      bars: readonly { date: string; close: number; high: number; low: number; adjusted_close: number }[]
    }
    const window = bars.filter(bar => Date.parse('2026-11-19') - Date.parse(bar.date) < 400 * 86_400_000)
    let [gain, loss, range] = [0, 0, 0]
    window.slice(1).forEach((bar, at) => {
      const before = (window[at] as typeof bar).close
      const change = bar.close - before
      const span = Math.max(bar.high - bar.low, Math.abs(bar.high - before), Math.abs(bar.low - before))
      const keep = at < 14 ? 1 : 13 / 14
      gain = gain * keep + Math.max(change, 0) / 14
      loss = loss * keep + Math.max(-change, 0) / 14
      range = range * keep + span / 14
    })
    expect(of('MPLS')['rsi14']).toBeCloseTo(100 - 100 / (1 + gain / loss), 6)
    expect(of('MPLS')['atr14']).toBeCloseTo(range, 6)
    let [peak, deepest] = [0, 0]
    for (const { adjusted_close } of bars.filter(bar => bar.date > '2025-11-19')) {
      peak = Math.max(peak, adjusted_close)
      deepest = Math.min(deepest, adjusted_close / peak - 1)
    }
    expect(of('MPLS')['max_drawdown_1y_pct']).toBeCloseTo(deepest * 100, 6)
  })
  test('agrees with the fundamentals operation; shares follow a split after the report that counts them', async () => {
    const { ttm } = (await buildFundamentals(context, { symbol: 'MPLS', years: 3 } as Parameters<typeof buildFundamentals>[1])).body as {
      ttm: { period_end: string; values: Record<string, { value: object }> }
    }
    const row = of('MPLS')
    expect(row).toMatchObject({ report_basis: 'ttm', report_period_end: ttm.period_end, report_currency: 'USD' })
    for (const item of ['revenue', 'net_income', 'free_cash_flow']) expect(row[item]).toBe(Number(JSON.stringify(ttm.values[item]?.value)))
    // 2:1 on 2026-05-19; the 40-F counted the shares on 2026-02-17.
    const { annual } = (await buildFundamentals(context, { symbol: 'GLPR.TO', years: 1 } as Parameters<typeof buildFundamentals>[1])).body as {
      annual: readonly { values: Record<string, { value: object }> }[]
    }
    expect(of('GLPR.TO')['shares_outstanding']).toBe(2 * Number(JSON.stringify(annual[0]?.values['shares_outstanding']?.value)))
    expect(of('GLPR.TO')['market_cap']).toBeCloseTo(Number(of('GLPR.TO')['shares_outstanding']) * Number(of('GLPR.TO')['close']), 0)
  })
  test('is null if an input is missing, and never 0', () => {
    // Quill Telecom files with no regulator of the United States: no report, no ratio, no market value.
    const quill = of('QT.TO')
    for (const name of ['cik', 'revenue', 'pe', 'market_cap', 'market_cap_usd', 'insider_net_shares_90d', 'holders_13f', 'sector'])
      expect(quill[name]).toBeNull()
    expect(quill['close']).toBeGreaterThan(0)
    for (const row of all) {
      if (row['last_ex_date'] === null)
        expect([row.code, row['dividend_ttm'], row['dividends_1y'], row['dividend_yield_pct']]).toEqual([row.code, null, null, null])
      if (row['net_income'] === null || Number(row['net_income']) <= 0) expect(row['pe']).toBeNull()
    }
    // Two classes of one issuer: the shares of neither alone are known.
    expect([of('BXH-A')['market_cap'], of('BXH-B')['market_cap']]).toEqual([null, null])
  })
  test('has lines across the border, dividends in dollars and what lies ahead', () => {
    expect(of('GLPR.TO')).toMatchObject({ interlisted: 'GLPR', last_split_ratio: '2:1', last_split_date: '2026-05-19', next_ex_date: '2026-12-09' })
    expect(of('QT')['interlisted']).toBeNull()
    expect(of('ASG.TO')).toMatchObject({ dividend_currency: 'USD', currency: 'CAD' })
    expect(of('MPLS')['next_report_date']).toBe('2027-02-11')
    expect(of('BRLX')).toMatchObject({ insider_buys_90d: 2, insider_net_shares_90d: 468_600 })
  })
})

describe('a screen', () => {
  test('filters, sorts with nulls last in either direction, and shows the standard fields', async () => {
    const found = await screen({ filter: 'exchange in (to, v) and type <> preferred', sort: 'pe.desc' })
    expect(found.total).toBe(all.filter(row => ['TO', 'V'].includes(String(row['exchange'])) && row['type'] !== 'preferred').length)
    expect(Object.keys(found.data[0] as Item)).toEqual([...standardFields])
    const values = found.data.map(row => row['pe'])
    const filled = values.filter(value => value !== null) as number[]
    expect(values.slice(0, filled.length)).toEqual(filled.toSorted((a, b) => b - a))
    expect(values.slice(filled.length).every(value => value === null)).toBe(true)
    expect(found.universe).toBe(all.length)
  })
  test.each(['sector.asc,market_cap_usd.desc', 'beta_1y.desc', 'name.asc', 'last_ex_date.desc,code.desc', 'code.desc', 'price_is_old.asc,pe.asc'])(
    'pages of %s are the whole list, each row once',
    async sort => {
      const whole = await screen({ sort, limit: 1000, fields: 'close' })
      const codes: string[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await screen({ sort, limit: 7, fields: 'close', ...(cursor === undefined ? {} : { cursor }) })
        codes.push(...page.data.map(row => row.code))
        expect(page.total).toBe(whole.total)
        if (page.next_cursor === null) break
        cursor = page.next_cursor
      }
      expect(codes).toEqual(whole.data.map(row => row.code))
    },
  )
  test('a query without matches reports that; a cursor of another question is refused', async () => {
    expect(await screen({ filter: 'pe < 0' })).toMatchObject({ count: 0, total: 0, data: [], coverage: { status: 'none' }, next_cursor: null })
    const { next_cursor } = await screen({ limit: 3 })
    await expect(screen({ limit: 3, filter: 'pe > 0', cursor: next_cursor ?? '' })).rejects.toThrow(BadRequest)
  })
  test('as of a day knows nothing that came later, and is computed by the day alone', async () => {
    const day = '2026-11-06T23:59:59.999999Z'
    const then = { ...(await contextOf(lake, day)) }
    const found = await screen({ as_of: day, fields: 'all', limit: 1000 }, then)
    // The bars of a session come in the night after it.
    expect(found.session_date).toBe('2026-11-05')
    const glpr = found.data.find(row => row.code === 'GLPR.TO') as Item
    expect(glpr).toMatchObject({ session_date: '2026-11-05' })
    const eod = await buildEod(then, { symbol: 'GLPR.TO', order: 'asc', adjust: 'none', as_of: day } as Parameters<typeof buildEod>[1])
    expect(glpr['close']).toBe((eod.body as { bars: readonly { close: number }[] }).bars.at(-1)?.close)
    expect(found.data.every(row => String(row['last_report_date'] ?? '') <= '2026-11-06')).toBe(true)
    expect(found.data.some(row => Number(row['filings_1y']) > 0)).toBe(true)
    await expect(screen({ as_of: '2026-11-06T12:00:00Z' })).rejects.toThrow(/by the day/)
  })
})

describe('the fields', () => {
  type Statement = {
    readonly name: string
    readonly eligible: number
    readonly filled_pct: number | null
    readonly reason: string | null
    readonly unit: string | null
  }
  test('are at least 60, each described and filled for four in five of those that can have it, or listed with the reason', async () => {
    const { fields } = (await buildScreenerFields(context, {} as Parameters<typeof buildScreenerFields>[1])).body as { fields: readonly Statement[] }
    expect(fields.length).toBeGreaterThanOrEqual(60)
    expect(fields.map(field => field.name)).toEqual(screenerFields.map(field => field.name))
    for (const field of fields) {
      expect(field.eligible, field.name).toBeGreaterThan(0)
      if ((field.filled_pct ?? 0) < 80) expect(field.reason, `${field.name} is filled for ${field.filled_pct} %`).toBeTypeOf('string')
    }
  })
  test('are the members of a row', () => {
    for (const row of all) expect(Object.keys(row)).toEqual(screenerFields.map(field => field.name))
  })
})

describe('a build', () => {
  test('of the same release is the same file, before compaction and after', async () => {
    const { db } = tools
    const first = await findNewestBuild(db, screener, lake.release)
    expect(first?.release).toBe(lake.versionOf(screener.inputs).release)
    const rebuilt = async (): Promise<string | undefined> => {
      await db.deleteFrom('model_build').execute()
      return (await buildModel(tools, screener, null, null))?.sha256
    }
    expect(await rebuilt()).toBe(first?.sha256)
    await compactAll(db, tools.writer)
    expect(await rebuilt()).toBe(first?.sha256)
    expect(readFileSync(modelPath(tools.writer.data, 'screener', first?.sha256 as string)).byteLength).toBeGreaterThan(10_000)
  })
  test('and rows computed from the lake alone answer with the same bytes', async () => {
    const question = { filter: 'close > 10', sort: 'volume.desc', limit: 10 } as never
    const stored = await buildPayload('run_screener', context, question, '2026-11-20T00:00:00Z')
    const computed = await buildPayload('run_screener', alone, question, '2026-11-20T00:00:00Z')
    expect(stored?.payload.toString()).toBe(computed?.payload.toString())
    expect((await stored?.origins())?.length).toBe((await computed?.origins())?.length)
  })
  test('that was not made is missing, not empty; made of an older release it knows that release', async () => {
    const older = await warehouse.lake(4)
    const then: ReleaseContext = { ...(await contextOf(older, null)), ...(tools.models ? { models: tools.models } : {}) }
    await expect(screen({}, then)).rejects.toThrow(ModelMissing)
    await buildModel(tools, screener, 4, null)
    const found = await screen({}, then)
    expect(found.universe).toBeGreaterThan(0)
    expect(found.session_date < '2026-11-19').toBe(true)
  })
  test('whose file is gone is made again', async () => {
    const { unlinkSync } = await import('node:fs')
    const build = await findNewestBuild(tools.db, screener, 4)
    unlinkSync(modelPath(tools.writer.data, 'screener', build?.sha256 as string))
    expect((await buildModel(tools, screener, 4, null))?.sha256).toBe(build?.sha256)
  })
  test('is kept while it is one of the newest', async () => {
    await collectModels(tools.db, tools.writer.data)
    expect(await findNewestBuild(tools.db, screener, lake.release)).not.toBeNull()
  })
})
