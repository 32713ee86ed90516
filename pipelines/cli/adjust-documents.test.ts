// `crossfile adjust` on documents as vendors send them, and on odd histories against an independent computation.
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeReal, realFolder } from '#fixtures/real.ts'
import { testFolder } from '#fixtures/test-folder.ts'
import { adjust } from './adjust.ts'

const { folder, file } = testFolder('crossfile-adjust')
async function run(...argv: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const exit = await adjust(argv, { out: line => void out.push(line), err: line => void err.push(line) })
  return { exit, out, err: err.join('\n') }
}
const days = ['2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08']
const closes = [100, 102, 50, 51]
/** Bars, a 2:1 split on the third day and 0.50 per new share on the fourth, in one vendor's words. */
const adjusted = closes.map((close, at) => close * (at < 2 ? 0.5 : 1) * (at < 3 ? 1 - 0.5 / 50 : 1))

const lines = (header: string, row: (at: number) => string): string => `${header}\n${days.map((_, at) => row(at)).join('\n')}\n`
const own = file('own.csv', 'ex_date,kind,numerator,denominator,amount,currency\n2024-01-05,split,2,1,,\n2024-01-08,dividend,,,0.50,USD\n')
const plain = file(
  'ZED.csv',
  lines('date,open,high,low,close,volume', at => `${days[at]},${closes[at]},${closes[at]},${closes[at]},${closes[at]},1000`),
)
const documents: Readonly<
  Record<string, { readonly bars?: string; readonly actions?: readonly string[]; readonly expected?: string; readonly more?: readonly string[] }>
> = {
  'EODHD, JSON': {
    bars: file(
      'ZED.US.json',
      JSON.stringify(
        days.map((date, at) => ({
          date,
          open: closes[at],
          high: closes[at],
          low: closes[at],
          close: closes[at],
          adjusted_close: adjusted[at],
          volume: 1,
        })),
      ),
    ),
    actions: [
      file('splits.json', JSON.stringify([{ code: 'ZED', exchange_short_name: 'US', date: '2024-01-05', split: '2.000000/1.000000' }])),
      file(
        'dividends.json',
        JSON.stringify([{ code: 'ZED', exchange_short_name: 'US', date: '2024-01-08', dividend: '0.50', currency: 'USD', unadjustedValue: '0.50' }]),
      ),
    ],
    expected: join(folder, 'ZED.US.json'),
    more: ['--symbol', 'ZED'],
  },
  'Tiingo, JSON': {
    bars: file(
      'zed.json',
      JSON.stringify(
        days.map((day, at) => ({
          date: `${day}T00:00:00.000Z`,
          close: closes[at],
          high: closes[at],
          low: closes[at],
          open: closes[at],
          volume: 1,
          adjClose: adjusted[at],
          divCash: at === 3 ? 0.5 : 0,
          splitFactor: at === 2 ? 2 : 1,
        })),
      ),
    ),
    actions: [join(folder, 'zed.json')],
    expected: join(folder, 'zed.json'),
  },
  'Alpha Vantage': {
    bars: file(
      'alpha.json',
      JSON.stringify({
        'Meta Data': { '2. Symbol': 'ZED' },
        'Time Series (Daily)': Object.fromEntries(
          days.map((day, at) => [
            day,
            {
              '1. open': String(closes[at]),
              '2. high': String(closes[at]),
              '3. low': String(closes[at]),
              '4. close': String(closes[at]),
              '5. adjusted close': String(adjusted[at]),
              '6. volume': '1',
              '7. dividend amount': at === 3 ? '0.50' : '0.0000',
              '8. split coefficient': at === 2 ? '2.0' : '1.0',
            },
          ]),
        ),
      }),
    ),
    actions: [join(folder, 'alpha.json')],
    expected: join(folder, 'alpha.json'),
  },
  Polygon: {
    bars: file(
      'aggs_grouped.json',
      JSON.stringify({
        ticker: 'ZED',
        adjusted: false,
        results: days.map((day, at) => ({
          T: 'ZED',
          t: Date.parse(`${day}T05:00:00Z`),
          o: closes[at],
          h: closes[at],
          l: closes[at],
          c: closes[at],
          v: 1,
        })),
      }),
    ),
    actions: [
      file('polygon-splits.json', JSON.stringify({ results: [{ ticker: 'ZED', execution_date: '2024-01-05', split_from: 1, split_to: 2 }] })),
      file(
        'polygon-dividends.json',
        JSON.stringify({ results: [{ ticker: 'ZED', ex_dividend_date: '2024-01-08', cash_amount: 0.5, currency: 'USD', dividend_type: 'CD' }] }),
      ),
    ],
  },
  'Lean, bars and factors': {
    bars: file(
      'zedlean.csv',
      days
        .map(
          (day, at) =>
            `${day.replaceAll('-', '')} 00:00,${closes[at]! * 10_000},${closes[at]! * 10_000},${closes[at]! * 10_000},${closes[at]! * 10_000},1`,
        )
        .join('\n'),
    ),
    actions: [file('zedfactors.csv', '20240103,0.99,0.5,1\n20240104,0.99,0.5,102\n20240105,0.99,1,50\n20501231,1,1,0\n')],
    expected: join(folder, 'zedfactors.csv'),
    more: ['--symbol', 'ZED'],
  },
  'Quandl, many symbols': {
    bars: file(
      'quandl.csv',
      `${lines(
        'ticker,date,open,high,low,close,volume,ex-dividend,split_ratio,adj_open,adj_high,adj_low,adj_close,adj_volume',
        at =>
          `ZED,${days[at]},${closes[at]},${closes[at]},${closes[at]},${closes[at]},1,${at === 3 ? 0.5 : 0},${at === 2 ? 2 : 1},1,1,1,${adjusted[at]},1`,
      )}NA,2024-01-03,7,7,7,7,1,0,1,7,7,7,7,1\n`,
    ),
    actions: [join(folder, 'quandl.csv')],
    expected: join(folder, 'quandl.csv'),
    more: ['--symbol', 'ZED'],
  },
  'yfinance table': {
    bars: file(
      'ZED-1d.csv',
      lines(
        'Datetime,Open,High,Low,Close,Adj Close,Volume,Dividends,Stock Splits',
        at =>
          `${days[at]} 00:00:00-05:00,${closes[at]},${closes[at]},${closes[at]},${closes[at]},${adjusted[at]},1,${at === 3 ? 0.5 : 0},${at === 2 ? 2 : 0}`,
      ),
    ),
    actions: [join(folder, 'ZED-1d.csv')],
    expected: join(folder, 'ZED-1d.csv'),
    more: ['--symbol', 'ZED'],
  },
}

describe('documents of every vendor that is read', () => {
  const wanted = file(
    'expected.csv',
    lines('date,adjusted_close', at => `${days[at]},${adjusted[at]}`),
  )
  test.each(Object.entries(documents))('%s', async (_name, { bars = plain, actions = [own], expected = wanted, more = [] }) => {
    const { exit, out, err } = await run(
      '--bars',
      bars,
      ...actions.flatMap(path => ['--actions', path]),
      '--expected',
      expected,
      '--tolerance',
      'exact',
      ...more,
    )
    expect([exit, err, out[1]]).toEqual([0, '', '4 days compared, 0 expected days without a bar'])
  })
  test('bars that a vendor adjusted already, weekly ones and a refusal are told by what they are', async () => {
    const polygon = file(
      'adjusted_grouped.json',
      JSON.stringify({ ticker: 'ZED', adjusted: true, results: [{ T: 'ZED', t: 1704258000000, o: 1, h: 1, l: 1, c: 1, v: 1 }] }),
    )
    const refused = file('refused.json', '{"Information":"Our standard API rate limit is 25 requests per day. https://www.alphavantage.co/premium/"}')
    for (const [path, result] of [
      [polygon, 'adjusted_prices'],
      [refused, 'rate limit'],
    ] as const) {
      const { exit, err } = await run('--bars', path, '--actions', own)
      expect([exit, err.includes(result)]).toEqual([2, true])
    }
  })
  test('of several symbols one has to be named, and a wrong one is answered with those that are there', async () => {
    const several = documents['Quandl, many symbols']?.bars as string
    expect((await run('--bars', several, '--actions', own)).err).toContain('say which: --symbol')
    expect(await run('--bars', several, '--actions', own, '--symbol', 'QQ')).toMatchObject({ exit: 2 })
  })
  test('a tolerance goes by the name of its source, a wrong name is answered with the known ones', async () => {
    const far = file(
      'far.csv',
      lines('date,adjusted_close', at => `${days[at]},${adjusted[at]! * (at === 1 ? 1.00003 : 1)}`),
    )
    const exits = []
    for (const tolerance of ['eodhd', 'yahoo', 'lean', 'wiki', 'exact'])
      exits.push((await run('--bars', plain, '--actions', own, '--expected', far, '--tolerance', tolerance)).exit)
    expect(exits).toEqual([0, 1, 1, 1, 1])
    expect((await run('--bars', plain, '--actions', own, '--expected', far, '--tolerance', 'roughly')).err).toContain(
      'exact, wiki, quandl, lean, yahoo, eodhd',
    )
  })
  test('another convention, and a later action that is missing, are named', async () => {
    const wiki = closes.map((close, at) => close * (at < 2 ? 0.5 : 1) * (at < 3 ? 51 / (51 + 0.5) : 1))
    const byWiki = file(
      'wiki.csv',
      lines('date,adjusted_close', at => `${days[at]},${wiki[at]}`),
    )
    expect((await run('--bars', plain, '--actions', own, '--expected', byWiki)).err).toContain('nearer to --convention quandl_wiki')
    const later = file(
      'later.csv',
      lines('date,adjusted_close', at => `${days[at]},${adjusted[at]! * 0.98}`),
    )
    expect((await run('--bars', plain, '--actions', own, '--expected', later)).err).toContain('every expected close is 0.98 times ours')
    const splitOnly = file(
      'split.csv',
      lines('date,adjusted_close', at => `${days[at]},${closes[at]! * (at < 2 ? 0.5 : 1)}`),
    )
    expect((await run('--bars', plain, '--actions', own, '--expected', splitOnly)).err).toContain('--convention split_only')
  })
})

describe('odd histories', () => {
  type Event = {
    readonly at: number
    readonly kind: 'split' | 'dividend' | 'spinoff'
    readonly up: number
    readonly down: number
    readonly cents: number
  }
  const history = fc.record({
    closes: fc.array(fc.integer({ min: 500, max: 50_000 }), { minLength: 5, maxLength: 40 }),
    quiet: fc.array(fc.nat(39), { maxLength: 3 }),
    events: fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 39 }),
        kind: fc.constantFrom<Event['kind']>('split', 'dividend', 'spinoff'),
        up: fc.constantFrom(1, 2, 3, 190, 7),
        down: fc.constantFrom(1, 2, 190, 20),
        cents: fc.integer({ min: 1, max: 45 }),
      }),
      { maxLength: 6 },
    ),
    holiday: fc.boolean(),
  })
  /** Every bar by itself, from the definition (docs/adjusted-close.md): the product over later ex-dates of (1/s)(1 - D s / p). */
  function independent(
    dates: readonly string[],
    prices: readonly (number | null)[],
    events: readonly (Event & { date: string })[],
  ): (number | null)[] {
    return prices.map((price, at) => {
      if (price === null) return null
      let factor = 1
      for (const date of new Set(events.map(event => event.date))) {
        if (date <= dates[at]! || date > dates.at(-1)!) continue
        const before = dates.reduce<number | null>((last, day, index) => (day < date && prices[index] !== null ? prices[index]! : last), null)
        if (before === null) continue
        const own = events.filter(event => event.date === date)
        const s = own.filter(event => event.kind === 'split').reduce((product, event) => (product * event.up) / event.down, 1)
        const cash = own.filter(event => event.kind !== 'split').reduce((sum, event) => sum + event.cents / 100, 0)
        factor *= (1 / s) * (1 - (cash * s) / before)
      }
      return price * factor
    })
  }
  test('splits up to 190 for 1, several actions on a day, halts, ex-dates between sessions, before the first and after the last bar', async () => {
    let round = 0
    await fc.assert(
      fc.asyncProperty(history, async ({ closes: cents, quiet, events, holiday }) => {
        round += 1
        const dates = cents.map((_, at) => new Date(Date.UTC(2024, 0, 2 + at * (holiday ? 2 : 1))).toISOString().slice(0, 10))
        const prices = cents.map((cent, at) => (quiet.includes(at) && at > 0 && at < cents.length - 1 ? null : cent / 100))
        // An ex-date may fall between two bars, before the first or after the last.
        const dated = events.map(event => ({ ...event, date: new Date(Date.UTC(2024, 0, 1 + event.at)).toISOString().slice(0, 10) }))
        const smallest = Math.min(...prices.filter(price => price !== null))
        const paid = dated.filter(
          event =>
            event.kind === 'split' ||
            (event.cents / 100) * 190 ** 2 < smallest ||
            !dated.some(other => other.kind === 'split' && other.date === event.date),
        )
        const bars = file(`r${round}.csv`, `date,close\n${dates.map((date, at) => `${date},${prices[at] ?? ''}`).join('\n')}\n`)
        const rows = paid.map(event =>
          event.kind === 'split'
            ? `${event.date},split,${event.up},${event.down},`
            : `${event.date},${event.kind},,,${(event.cents / 100).toFixed(2)}`,
        )
        const actions = file(`a${round}.csv`, `ex_date,kind,numerator,denominator,amount\n${rows.join('\n')}\n`)
        const expected = independent(dates, prices, paid)
        const table = file(
          `e${round}.csv`,
          `date,adjusted_close\n${dates.flatMap((date, at) => (expected[at] === null ? [] : [`${date},${expected[at]}`])).join('\n')}\n`,
        )
        const { exit, out, err } = await run(
          '--bars',
          bars,
          '--actions',
          actions,
          '--expected',
          table,
          '--tolerance',
          '1e-9',
          '--as-of',
          dates.at(-1)!,
        )
        expect([exit, out, err]).toMatchObject([0, out, err])
      }),
      { numRuns: 60, seed: 7 },
    )
  })
})

describeReal('the truths of market/INDEX.md through the command', () => {
  const path = (name: string): string => join(realFolder, 'market', name)
  test.each([
    ['5. Lean SPY', 'lean/daily/spy.csv', 'lean/factor_files/spy.csv', 'lean/factor_files/spy.csv', ['--tolerance', 'lean'], 5849],
    ['6. Alpha Vantage SHOP.TRT', 'alphavantage/TIME_SERIES_DAILY_ADJUSTED_SHOP.TRT.json', null, null, ['--tolerance', 'exact'], 2031],
    ['10. Yahoo CALM', 'yahoo/bad-and-fixed/CALM-1d-no-bad-divs.csv', null, null, ['--tolerance', 'yahoo'], 662],
  ] as const)('%s', async (_name, bars, actions, expected, more, count) => {
    const { exit, out } = await run('--bars', path(bars), '--actions', path(actions ?? bars), '--expected', path(expected ?? bars), ...more)
    expect([exit, out[1]]).toEqual([0, `${count.toLocaleString('en-US')} days compared, 0 expected days without a bar`])
  })
  test('4. Quandl WIKI AAPL: its sample ends before its newest dividend, and the convention is named', async () => {
    const sample = path('quandl-wiki/QUANDL_SAMPLE_TABLE.csv')
    const files = ['--bars', sample, '--actions', sample, '--expected', sample, '--symbol', 'AAPL']
    expect((await run(...files)).err).toContain('the expected closes follow --convention quandl_wiki, apart from one constant factor')
    expect((await run(...files, '--convention', 'quandl_wiki')).err).toContain('every expected close is')
  })
})
