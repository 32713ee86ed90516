import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeReal, realText } from '#fixtures/real.ts'
import { testFolder } from '#fixtures/test-folder.ts'
import { textTable } from '#fixtures/text-table.ts'
import { adjust } from './adjust.ts'

const { folder, file } = testFolder('adjust')
const bars = (text: string, name = 'bars.csv'): string => file(name, `date,open,high,low,close,volume\n${text}`)
const actions = (text: string): string => file('actions.csv', `ex_date,kind,numerator,denominator,amount,currency\n${text}`)
async function run(...argv: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await adjust(argv, { out: line => out.push(line), err: line => err.push(line) })
  return { code, out, err: err.map(line => line.replaceAll(`${folder}/`, '')) }
}
const closesOf = (out: readonly string[]): Record<string, string> => Object.fromEntries(out.slice(1).map(line => line.split(',').slice(0, 2)))

const helpPage =
  '2012-02-16,46.99,46.99,46.99,46.99,100\n2012-02-17,48.30,48.30,48.30,48.30,100\n2012-02-18,24.96,24.96,24.96,24.96,100\n2012-02-19,24.91,24.91,24.91,24.91,100\n2012-02-20,24.95,24.95,24.95,24.95,100\n2012-02-21,24.53,24.53,24.53,24.53,100\n2012-02-22,24.54,24.54,24.54,24.54,100\n'
const helpPageActions = '2012-02-18,split,2,1,,\n2012-02-21,dividend,,,0.08,USD\n'

describe("Yahoo's help-page example", () => {
  test('prints the adjusted series as CSV, oldest first', async () => {
    const { code, out, err } = await run('--bars', bars(helpPage), '--actions', actions(helpPageActions))
    expect([code, err]).toEqual([0, []])
    expect(out[0]).toBe('date,adjusted_close,adjusted_open,adjusted_high,adjusted_low,adjusted_volume,close,factor')
    expect(Object.values(closesOf(out)).map(close => Number(close).toFixed(2))).toEqual([
      '23.42',
      '24.07',
      '24.88',
      '24.83',
      '24.87',
      '24.53',
      '24.54',
    ])
  })
  test('prints the worst difference with its date, counts, and what is missing', async () => {
    const expected = file('expected.csv', 'date,adjusted_close\n2012-02-16,23.42\n2012-02-17,24.07\n2012-02-18,24.88\n2012-02-25,1\n')
    const argv = ['--bars', bars(helpPage), '--actions', actions(helpPageActions), '--expected', expected]
    const { code, out } = await run(...argv)
    expect([code, out]).toEqual([
      1,
      [
        expect.stringMatching(/^worst relative difference 1\.\d+e-4 on 2012-02-17: 24\.07256\d* against 24\.07$/),
        '3 days compared, 1 expected day without a bar: 2012-02-25',
      ],
    ])
    const { out: json } = await run(...argv, '--json')
    expect(JSON.parse(json[0]!)).toMatchObject({
      worst: { date: '2012-02-17', expected: 24.07 },
      compared: 3,
      missing: ['2012-02-25'],
      ok: false,
      convention: 'yahoo_crsp',
    })
  })
  test('a tolerance decides the exit code', async () => {
    const expected = file('expected.csv', 'date,adjusted_close\n2012-02-16,23.42\n')
    const argv = ['--bars', bars(helpPage), '--actions', actions(helpPageActions), '--expected', expected]
    expect([(await run(...argv)).code, (await run(...argv, '--tolerance', '1e-3')).code, (await run(...argv, '--tolerance', '1e-9')).code]).toEqual([
      0, 0, 1,
    ])
  })
})

test('its own output is an expected file, and then nothing differs', async () => {
  const argv = ['--bars', bars(helpPage), '--actions', actions(helpPageActions)]
  const { out } = await run(...argv)
  expect((await run(...argv, '--expected', file('out.csv', out.join('\n')), '--tolerance', '0')).out[0]).toContain(
    'worst relative difference 0.000e+0',
  )
})
test('byte order mark, CRLF, any order, spare columns, usual names of kinds and missing prices', async () => {
  const b = file(
    'b.csv',
    '\ufeffDate,Open,High,Low,Close,Volume,Note\r\n2024-01-04,9,9,9,9,1,x\r\n2024-01-02,100,100,100,100,1,\r\n2024-01-03,,,,,,\r\n\r\n',
  )
  const a = file(
    'a.csv',
    '\ufeffex_date,kind,numerator,denominator,amount,currency,source\r\n2024-01-04,Special Dividend,,,2,cad,x\r\n2024-01-04,Stock Split,10,1,,,\r\n2024-01-04,DIV,,,1,CAD,\r\n',
  )
  const { code, out, err } = await run('--bars', b, '--actions', a)
  expect(code).toBe(0)
  expect(closesOf(out)).toEqual({ '2024-01-02': '7', '2024-01-03': '', '2024-01-04': '9' })
  expect(err).toEqual(['b.csv line 4: no_close: 2024-01-03 has no close'])
})
test('two dividends of a day add up, also when they are alike', async () => {
  const { out } = await run(
    '--bars',
    bars('2024-01-02,100,100,100,100,1\n2024-01-03,98,98,98,98,1\n'),
    '--actions',
    actions('2024-01-03,dividend,,,1,\n2024-01-03,dividend,,,1,\n'),
  )
  expect(closesOf(out)['2024-01-02']).toBe('98')
})
test('nothing is dropped in silence: what gives no factor is told with its line and reason', async () => {
  const rows =
    '2024-01-01,dividend,,,1,\n2024-01-03,dividend,,,250,\n2024-01-03,dividend,,,1,\n2024-01-05,split,2,1,,\n2024-01-03,phantom,,,3,\n2024-01-03,delisting,,,,\n'
  const { code, out, err } = await run('--bars', bars('2024-01-02,100,100,100,100,1\n2024-01-03,98,98,98,98,1\n'), '--actions', actions(rows))
  expect([code, closesOf(out)['2024-01-02']]).toEqual([0, '99'])
  expect(err.map(line => line.split(': ').slice(0, 2).join(' '))).toEqual([
    'actions.csv line 7 changes_no_price',
    'actions.csv line 2 before_first_bar',
    'actions.csv line 6 no_cash_leaves',
    'actions.csv line 3 amount_exceeds_price',
    'actions.csv line 5 ex_date_ahead',
  ])
})
test('what the warehouse would hold is applied here all the same, and said', async () => {
  const { out, err } = await run(
    '--bars',
    bars('2024-01-02,100,100,100,100,1\n2024-01-03,98,98,98,98,1\n'),
    '--actions',
    actions('2024-01-03,split,5,1,,\n'),
  )
  expect(closesOf(out)['2024-01-02']).toBe('20')
  expect(err[0]).toMatch(/^actions\.csv line 2: price_shows_no_split: .*; applied anyway$/)
})
test.each(textTable`
  5    | 100 |
  1.05 | 1   |
  105  | 100 |
       |     | 0.05
`)('a stock dividend of 5 %% as %s/%s or %s is the ratio 1.05', async (top, bottom, amount) => {
  const { out } = await run(
    '--bars',
    bars('2024-01-02,105,105,105,105,1\n2024-01-03,100,100,100,100,1\n'),
    '--actions',
    actions(`2024-01-03,stock_dividend,${top},${bottom},${amount},\n`),
  )
  expect(closesOf(out)['2024-01-02']).toBe('100')
})
test('a dividend in US dollars on a Canadian line needs a rate, and takes the last one before its ex-date', async () => {
  const argv = [
    '--bars',
    bars('2024-06-28,100,100,100,100,1\n2024-07-02,98,98,98,98,1\n', 'MAPL.TO.csv'),
    '--actions',
    actions('2024-07-02,dividend,,,1,USD\n'),
  ]
  const without = await run(...argv)
  expect([closesOf(without.out)['2024-06-28'], without.err[0]]).toEqual(['100', expect.stringContaining('no_fx_rate')])
  const rates = file('rates.csv', 'date,base,quote,rate\n2024-06-28,USD,CAD,1.3687\n2024-07-02,USD,CAD,1.5\n')
  expect(Number(closesOf((await run(...argv, '--fx', rates)).out)['2024-06-28'])).toBeCloseTo(98.6313, 10)
  const valet = file('boc.json', '{"terms":{},"observations":[{"d":"2024-06-28","FXUSDCAD":{"v":"1.3687"}}]}')
  expect(Number(closesOf((await run(...argv, '--fx', valet)).out)['2024-06-28'])).toBeCloseTo(98.6313, 10)
  expect(Number(closesOf((await run(...argv, '--currency', 'USD')).out)['2024-06-28'])).toBeCloseTo(99, 10)
})
test('conventions and modes by name', async () => {
  const argv = [
    '--bars',
    bars('2014-05-07,592.33,592.33,592.33,592.33,1\n2014-05-08,587.99,587.99,587.99,587.99,1\n'),
    '--actions',
    actions('2014-05-08,dividend,,,3.29,USD\n'),
  ]
  const factor = async (...more: string[]): Promise<string> => ((await run(...argv, ...more)).out[1] ?? '').split(',').at(-1)!
  expect(Number(await factor('--convention', 'quandl_wiki'))).toBeCloseTo(0.9944358, 7)
  expect(Number(await factor('--convention=yahoo_crsp'))).toBeCloseTo(0.9944457, 7)
  expect([await factor('--convention', 'split_only'), await factor('--adjust', 'none')]).toEqual(['1', '1'])
})

describe('input that cannot be read names the file, the line and what to change, and exits 2', () => {
  const good = (): string => bars(helpPage)
  test.each([
    ['a kind', () => ['--bars', good(), '--actions', actions('2024-01-03,rumour,,,1,\n')], 'actions.csv line 2: kind is "rumour"'],
    ['a date', () => ['--bars', bars('03/04/2024,1,1,1,1,1\n'), '--actions', actions('')], 'bars.csv line 2: date is "03/04/2024"'],
    ['a price', () => ['--bars', bars('2024-01-02,1,1,1,abc,1\n'), '--actions', actions('')], 'bars.csv line 2: close is "abc"'],
    [
      'a day twice',
      () => ['--bars', bars('2024-01-02,1,1,1,1,1\n2024-01-02,1,1,1,2,1\n'), '--actions', actions('')],
      'bars.csv line 3: 2024-01-02 appears twice',
    ],
    [
      'a split without its ratio',
      () => ['--bars', good(), '--actions', actions('2024-01-03,split,,,,\n')],
      'actions.csv line 2: split without a ratio',
    ],
    [
      'a split for no shares',
      () => ['--bars', good(), '--actions', actions('2024-01-03,split,2,0,,\n')],
      'actions.csv line 2: the ratio is "2" to "0"',
    ],
    [
      'a dividend without its amount',
      () => ['--bars', good(), '--actions', actions('2024-01-03,dividend,,,,\n')],
      'actions.csv line 2: dividend without an amount',
    ],
    ['a column', () => ['--bars', file('x.csv', 'date,price\n2024-01-02,1\n'), '--actions', actions('')], 'x.csv line 1: no column close'],
    ['a missing file', () => ['--bars', join(folder, 'none.csv'), '--actions', actions('')], 'cannot be read'],
    ['an empty file', () => ['--bars', file('empty.csv', ''), '--actions', actions('')], 'empty.csv: the file is empty'],
    ['a convention', () => ['--bars', good(), '--actions', actions(''), '--convention', 'mine'], 'no such convention'],
    ['an option', () => ['--bars', good(), '--actions', actions(''), '--frob'], 'frob'],
    ['no options', () => [], '--bars and --actions are required'],
  ])('%s', async (_what, argv, result) => {
    const { code, out, err } = await run(...argv())
    expect([code, out]).toEqual([2, []])
    expect(err[0]).toContain(result)
    expect(err.length).toBeGreaterThan(0)
  })
})

describeReal('real histories', () => {
  const columns = (path: string): string[][] =>
    realText(`market/${path}`)
      .trim()
      .split(/\r?\n/)
      .map(line => line.split(','))
  test('WIKI AAPL 2014 with --convention quandl_wiki: 7:1 and four dividends, within 1e-10 of its column', async () => {
    const rows = columns('quandl-wiki/QUANDL_SAMPLE_TABLE.csv').filter(row => row[0] === 'AAPL')
    const last = Number(rows.at(-1)![12]) / Number(rows.at(-1)![5])
    const b = bars(rows.map(row => row.slice(1, 7).join(',')).join('\n'))
    const found = rows.flatMap(row => [
      ...(row[7] === '0.0' ? [] : [`${row[1]},dividend,,,${row[7]},USD`]),
      ...(row[8] === '1.0' ? [] : [`${row[1]},split,${row[8]},1,,`]),
    ])
    const expected = file('e.csv', `date,adjusted_close\n${rows.map(row => `${row[1]},${Number(row[12]) / last}`).join('\n')}`)
    const { code, out, err } = await run(
      '--bars',
      b,
      '--actions',
      actions(found.join('\n')),
      '--expected',
      expected,
      '--convention',
      'quandl_wiki',
      '--tolerance',
      '1e-10',
    )
    expect([code, err, out[1]]).toEqual([0, [], '252 days compared, 0 expected days without a bar'])
  })
  test('CALM with its ten dividends is within 1e-5 of Yahoo', async () => {
    const [, ...rows] = columns('yahoo/bad-and-fixed/CALM-1d-no-bad-divs.csv')
    const day = (row: readonly string[]): string => row[0]!.slice(0, 10)
    const b = bars(rows.map(row => [day(row), ...row.slice(1, 5), row[6]].join(',')).join('\n'))
    const a = actions(
      rows
        .filter(row => Number(row[7]) > 0)
        .map(row => `${day(row)},dividend,,,${row[7]},USD`)
        .join('\n'),
    )
    const expected = file('e.csv', `date,adjusted_close\n${rows.map(row => `${day(row)},${row[5]}`).join('\n')}`)
    const { code, out } = await run('--bars', b, '--actions', a, '--expected', expected, '--tolerance', '1e-5')
    expect([code, out[1]]).toEqual([0, '662 days compared, 0 expected days without a bar'])
  })
})

describe('two histories that part', () => {
  const days = [
    '2023-09-28',
    '2023-09-29',
    '2023-10-02',
    '2023-10-03',
    '2023-10-04',
    '2023-10-05',
    '2023-10-06',
    '2023-10-10',
    '2023-10-11',
    '2023-10-12',
  ]
  const close = (at: number): number => 80 + (at % 3)
  const series = bars(days.map((day, at) => [day, close(at), close(at), close(at), close(at), 1000].join()).join('\n'), 'TD.TO.csv')
  // TD.TO 2023-10-05: 0.96 over the close of 81 of the day before.
  const withDividend = file(
    'with.csv',
    `date,adjusted_close\n${days.map((day, at) => `${day},${(close(at) * (day < '2023-10-05' ? 1 - 0.96 / 81 : 1)).toFixed(6)}`).join('\n')}\n`,
  )
  const none = file('no-actions.csv', 'ex_date,kind,numerator,denominator,amount,currency\n')
  const dividend = file('one.csv', 'ex_date,kind,numerator,denominator,amount,currency\n2023-10-05,dividend,,,0.96,CAD\n')
  const plain = file('plain.csv', `date,adjusted_close\n${days.map((day, at) => `${day},${close(at)}`).join('\n')}\n`)

  test('name the ex-date of a dividend that ours lacks, and its amount', async () => {
    const { err } = await run('--bars', series, '--actions', none, '--expected', withDividend)
    expect(err.filter(line => line.includes('moves on'))).toEqual([
      'the ratio of the expected closes to ours moves on 2023-10-05, from 0.98814815 to 1: consistent with a dividend of 0.96 that the expected series has and ours lacks',
    ])
    const { out } = await run('--bars', series, '--actions', none, '--expected', withDividend, '--json')
    expect(JSON.parse(out[0]!)).toMatchObject({ departures: [{ ex_date: '2023-10-05', implied_amount: 0.96 }] })
  })
  test('or of one that the expected series lacks', async () => {
    const { err } = await run('--bars', series, '--actions', dividend, '--expected', plain)
    expect(err.filter(line => line.includes('moves on'))[0]).toContain('2023-10-05')
    expect(err.filter(line => line.includes('moves on'))[0]).toMatch(
      /consistent with a dividend of 0\.97\d* that ours has and the expected series lacks/,
    )
  })
  test('name no day where they agree but for printed digits, or where a single close is wrong', async () => {
    const rounded = file(
      'rounded.csv',
      `date,adjusted_close\n${days.map((day, at) => `${day},${(close(at) + (at % 2) * 0.004).toFixed(2)}`).join('\n')}\n`,
    )
    const oneWrong = file('wrong.csv', `date,adjusted_close\n${days.map((day, at) => `${day},${at === 5 ? 79 : close(at)}`).join('\n')}\n`)
    for (const expected of [rounded, oneWrong]) {
      const { err } = await run('--bars', series, '--actions', none, '--expected', expected)
      expect(err.filter(line => line.includes('moves on'))).toEqual([])
    }
  })
  test("a regular payer's gap among the actions is said", async () => {
    const paid = [
      '2021-10-07',
      '2022-01-07',
      '2022-04-07',
      '2022-07-07',
      '2022-10-06',
      '2023-01-05',
      '2023-04-05',
      '2023-07-07',
      '2024-01-09',
      '2024-04-09',
    ]
    const list = file('paid.csv', `ex_date,kind,numerator,denominator,amount,currency\n${paid.map(day => `${day},dividend,,,0.96,CAD`).join('\n')}\n`)
    const { err } = await run('--bars', series, '--actions', list)
    expect(err.find(line => line.includes('dividend_gap'))).toBe(
      'paid.csv: dividend_gap: TD.TO pays quarterly, and no source reports a dividend between 2023-07-07 and 2024-01-09: one is missing around 2023-10-08',
    )
  })
})
