// Every known kind of damaged or odd price data, through the whole engine: documents in true formats are read, derived into a lake and asked for
// as a client asks. Each row names the table's case; the figures are worked out by hand in the comments.

import { describe, expect, test } from 'vitest'
import { actionKey } from '#warehouse/datasets/prices/actions.ts'
import { type Action, bars, type File, lakeOf, own, polygon, rate } from './samples.ts'
import type { Decisions } from './types.ts'

const result = (actions: readonly Action[]): string[] =>
  actions.map(each => `${each.ex_date} ${each.kind} ${each.applied.status} ${each.applied.reason}`)
const flat = { '2024-01-03': 100, '2024-01-04': 100, '2024-01-05': 100 }

describe('damaged and odd price data, case by case', () => {
  test('special dividend: above a tenth of the price it waits, a second source applies it', async () => {
    const special = own('ZED', '2024-01-05,special_dividend,,,15,USD,,,,,')
    const alone = await lakeOf([[bars('ZED', flat), special]])
    expect(result(await alone.actions('ZED'))).toEqual(['2024-01-05 special_dividend held needs_second_source'])
    expect((await alone.adjusted('ZED'))['2024-01-04']).toBe(100)
    const agreed = await lakeOf([
      [bars('ZED', flat), special],
      [polygon('ZED', { cash_amount: 15, ex_dividend_date: '2024-01-05', dividend_type: 'SC' })],
    ])
    expect(result(await agreed.actions('ZED')).toSorted()).toEqual([
      '2024-01-05 special_dividend applied in_factor',
      '2024-01-05 special_dividend confirms same_as_other_source',
    ])
    // 100 x (1 - 15/100); the answer of the release before stays what it was.
    expect((await agreed.adjusted('ZED'))['2024-01-04']).toBe(85)
    expect((await agreed.adjusted('ZED', 1))['2024-01-04']).toBe(100)
  })
  test('spin-off: factor 1 - V/p by the value per share', async () => {
    const lake = await lakeOf([[bars('ZED', flat), own('ZED', '2024-01-05,spinoff,,,4.4,USD,,,,,')]])
    expect((await lake.adjusted('ZED'))['2024-01-03']).toBe(95.6)
    expect((await lake.actions('ZED'))[0]?.applied).toMatchObject({ status: 'applied', price_factor: 0.956 })
  })
  test('stock dividend x%: ratio 1 + x', async () => {
    const lake = await lakeOf([[bars('ZED', flat), own('ZED', '2024-01-05,stock_dividend,105,100,,,,,,,')]])
    expect((await lake.adjusted('ZED'))['2024-01-04']).toBeCloseTo(100 / 1.05, 10)
  })
  test('second share class distributed: a split of the old line, and the new line has its own start', async () => {
    const old = bars('ZEDL', { '2024-01-03': 1135.1, '2024-01-04': 1135.1, '2024-01-05': 571.5 })
    const lake = await lakeOf([[old, bars('ZED', { '2024-01-05': 569.74 }), own('ZEDL', '2024-01-05,split,2,1,,,,,,,')]])
    expect(await lake.adjusted('ZEDL')).toEqual({ '2024-01-03': 567.55, '2024-01-04': 567.55, '2024-01-05': 571.5 })
    expect(await lake.adjusted('ZED')).toEqual({ '2024-01-05': 569.74 })
  })
  test('return of capital: applied as cash and told apart', async () => {
    const lake = await lakeOf([[bars('ZED', flat), own('ZED', '2024-01-05,roc,,,2,USD,,,,,')]])
    expect((await lake.adjusted('ZED'))['2024-01-04']).toBe(98)
    expect(result(await lake.actions('ZED'))).toEqual(['2024-01-05 return_of_capital applied in_factor'])
  })
  test('reinvested ("phantom") distribution: no cash leaves, so no factor', async () => {
    const lake = await lakeOf([[bars('ZED.TO', flat), own('ZED.TO', '2024-01-05,phantom,,,3,CAD,,,,,')]])
    expect((await lake.adjusted('ZED.TO'))['2024-01-04']).toBe(100)
    expect(result(await lake.actions('ZED.TO'))).toEqual(['2024-01-05 reinvested_distribution left_out no_cash_leaves'])
  })
  test('reverse split: 1:190 in integers, not 0.005263', async () => {
    const lake = await lakeOf([
      [bars('ZED', { '2024-01-03': 0.01, '2024-01-04': 0.01, '2024-01-05': 1.9 }), own('ZED', '2024-01-05,split,0.005263,,,,,,,,')],
    ])
    expect((await lake.adjusted('ZED'))['2024-01-04']).toBe(1.9)
  })
  test('split and dividend on one day: 1 - D s/p per new share, 1 - D/p per old one', async () => {
    const closes = { '2024-01-03': 100, '2024-01-04': 100, '2024-01-05': 49 }
    const perNew = await lakeOf([[bars('ZED', closes), own('ZED', '2024-01-05,split,2,1,,,,,,,', '2024-01-05,dividend,,,1,USD,,post_split,,,')]])
    const perOld = await lakeOf([[bars('ZED', closes), own('ZED', '2024-01-05,split,2,1,,,,,,,', '2024-01-05,dividend,,,1,USD,,pre_split,,,')]])
    // (1/2) (1 - 1 x 2 / 100) = 0.49; (1/2) (1 - 1 / 100) = 0.495
    expect([(await perNew.adjusted('ZED'))['2024-01-04'], (await perOld.adjusted('ZED'))['2024-01-04']]).toEqual([49, 49.5])
  })
  test('ex-date not a session: bars strictly before it are adjusted', async () => {
    const lake = await lakeOf([
      [bars('ZED', { '2024-01-11': 100, '2024-01-12': 100, '2024-01-16': 99 }), own('ZED', '2024-01-15,dividend,,,1,USD,,,,,')],
    ])
    expect(await lake.adjusted('ZED')).toEqual({ '2024-01-11': 99, '2024-01-12': 99, '2024-01-16': 99 })
  })
  test('previous close missing: the last traded one, and one older than ten sessions goes to review', async () => {
    const halted = { '2024-01-03': 100, '2024-03-04': 98 }
    const lake = await lakeOf([[bars('ZED', halted), own('ZED', '2024-03-04,dividend,,,1,USD,,,,,')]])
    expect(result(await lake.actions('ZED'))).toEqual(['2024-03-04 dividend held previous_close_stale'])
    expect(lake.refused).toContain('previous_close_stale')
    const week = await lakeOf([[bars('ZED', { '2024-01-03': 100, '2024-01-12': 98 }), own('ZED', '2024-01-12,dividend,,,1,USD,,,,,')]])
    expect((await week.adjusted('ZED'))['2024-01-03']).toBe(99)
  })
  test('ex-date on or before the first bar: kept, without a factor and without an error', async () => {
    const lake = await lakeOf([[bars('ZED', flat), own('ZED', '2024-01-03,dividend,,,1,USD,,,,,', '2020-01-02,split,2,1,,,,,,,')]])
    expect(result(await lake.actions('ZED'))).toEqual(['2024-01-03 dividend left_out before_first_bar', '2020-01-02 split left_out before_first_bar'])
    expect([await lake.adjusted('ZED'), lake.refused]).toEqual([flat, []])
  })
  test('dividend >= price: never applied, not even when two sources say it and an operator releases it', async () => {
    const files = [bars('ZED', flat), own('ZED', '2024-01-05,dividend,,,100,USD,,,,,')]
    const second = polygon('ZED', { cash_amount: 100, ex_dividend_date: '2024-01-05' })
    const key = actionKey({ symbol: 'ZED', kind: 'dividend', ex_date: '2024-01-05', sequence: 0, source_name: 'csv' })
    const released: Decisions = new Map([
      ['x', { fingerprint: 'x', dataset: 'corporate_actions', subject: key, decision: 'released', at: '', note: 'operator: yes' }],
    ])
    const lake = await lakeOf([[...files, second]], released)
    expect(result(await lake.actions('ZED')).every(text => text.endsWith('held amount_exceeds_price'))).toBe(true)
    expect((await lake.adjusted('ZED'))['2024-01-04']).toBe(100)
  })
  test('dividend currency differs from price: as declared, converted at the last rate before the ex-date, which is shown', async () => {
    const files = [bars('ZED.TO', { '2024-10-01': 50, '2024-10-02': 50, '2024-10-03': 50 }), own('ZED.TO', '2024-10-03,dividend,,,0.40,USD,,,,,')]
    const lake = await lakeOf([[...files, rate('2024-10-02', '1.3500')], [rate('2024-10-03', '1.9999')]])
    const [action] = await lake.actions('ZED.TO')
    expect(action).toMatchObject({ amount: 0.4, applied: { status: 'applied' }, fx: { rate: 1.35, rate_date: '2024-10-02', amount: 0.54 } })
    expect((await lake.adjusted('ZED.TO'))['2024-10-02']).toBeCloseTo(50 - 0.54, 10)
    const without = await lakeOf([files])
    expect(result(await without.actions('ZED.TO'))).toEqual(['2024-10-03 dividend waiting no_fx_rate'])
  })
  test('`.U` line of the same security: US dollars apply unconverted to a price in US dollars', async () => {
    const lake = await lakeOf([[bars('ZED-U.TO', flat), own('ZED-U.TO', '2024-01-05,dividend,,,1,USD,,,,,')]])
    const [action] = await lake.actions('ZED-U.TO')
    expect([action?.fx, (await lake.adjusted('ZED-U.TO'))['2024-01-04']]).toEqual([null, 99])
  })
  test('dividend cancelled or amended: a new version, the factor recomputed, the old answer kept in its release', async () => {
    const first = [bars('ZED', flat), own('ZED', '2024-01-05,dividend,,,1,USD,,,,,')]
    const amended = own('ZED', '2024-01-05,dividend,,,2,USD,,,,,')
    const cancelled = own('ZED', '2024-01-05,dividend,,,2,USD,,,true,,')
    const lake = await lakeOf([first, [{ ...amended, at: '2026-11-20T01:00:00Z' }], [{ ...cancelled, at: '2026-11-20T02:00:00Z' }]])
    const day = '2024-01-04'
    expect([(await lake.adjusted('ZED', 1))[day], (await lake.adjusted('ZED', 2))[day], (await lake.adjusted('ZED', 3))[day]]).toEqual([99, 98, 100])
    expect(result(await lake.actions('ZED'))).toEqual(['2024-01-05 dividend left_out cancelled'])
  })
  test('duplicate within 7 days: same amount, one dividend; another record date, two', async () => {
    const closes = { '2024-01-03': 100, '2024-01-04': 100, '2024-01-05': 100, '2024-01-09': 100 }
    const once = await lakeOf([[bars('ZED', closes), own('ZED', '2024-01-04,dividend,,,1,USD,,,,,', '2024-01-09,dividend,,,1,USD,,,,,')]])
    expect(result(await once.actions('ZED'))).toEqual(['2024-01-09 dividend applied in_factor', '2024-01-04 dividend left_out duplicate'])
    expect((await once.adjusted('ZED'))['2024-01-03']).toBe(99)
    const rows = ['2024-01-04,dividend,,,1,USD,2024-01-05,,,,', '2024-01-09,dividend,,,1,USD,2024-01-10,,,,']
    const twice = await lakeOf([[bars('ZED', closes), own('ZED', ...rows)]])
    expect((await twice.adjusted('ZED'))['2024-01-03']).toBeCloseTo(98.01, 10)
  })
  test('ex-date = record date since T+1 (2024-05-27 in Canada, 2024-05-28 in the US): neither is derived from the other', async () => {
    const before = { '2024-05-09': 100, '2024-05-10': 100, '2024-05-13': 100 }
    const t2 = await lakeOf([[bars('ZED.TO', before), own('ZED.TO', '2024-05-10,dividend,,,1,CAD,2024-05-13,,,,')]])
    const after = { '2024-07-09': 100, '2024-07-10': 100 }
    const t1 = await lakeOf([[bars('ZED.TO', after), own('ZED.TO', '2024-07-10,dividend,,,1,CAD,2024-07-10,,,,')]])
    expect([await t2.adjusted('ZED.TO'), await t1.adjusted('ZED.TO')]).toEqual([
      { '2024-05-09': 99, '2024-05-10': 100, '2024-05-13': 100 },
      { '2024-07-09': 99, '2024-07-10': 100 },
    ])
    // A record date alone gives no ex-date: the row is refused, not guessed.
    const recordOnly = await lakeOf([[bars('ZED.TO', after), own('ZED.TO', ',dividend,,,1,CAD,2024-07-10,,,,')]])
    expect([recordOnly.refused, await recordOnly.adjusted('ZED.TO')]).toEqual([['bad_date'], after])
  })
  test('delisting: the series stays, no factor, its value apart', async () => {
    const lake = await lakeOf([[bars('ZED', flat), own('ZED', '2024-01-08,delisting,,,3.25,USD,,,,,cash merger with NOVA')]])
    expect(await lake.adjusted('ZED')).toEqual(flat)
    expect((await lake.actions('ZED'))[0]).toMatchObject({
      kind: 'delisting',
      amount: 3.25,
      terms: 'cash merger with NOVA',
      applied: { status: 'no_price_effect' },
    })
  })
  test('merger: what holders received, beside the symbol that they hold now', async () => {
    const lake = await lakeOf([[bars('ZED', flat), own('ZED', '2024-01-08,acquisition,1,4,12.50,USD,,,,NOVA,one NOVA and 12.50 for four')]])
    expect((await lake.actions('ZED'))[0]).toMatchObject({ kind: 'merger', successor: 'NOVA', numerator: 1, denominator: 4, amount: 12.5 })
  })
  test('symbol change / reuse: one history under the new symbol, adjusted across the change, and none of the later wearer', async () => {
    const list = (date: string, ...rows: readonly string[]): File => ({
      url: `file:symbols-${date}.csv`,
      text: `symbol,name,exchange,type,currency,date\n${rows.map(row => `${row},${date}`).join('\n')}\n`,
    })
    const renames: File = { url: 'file:renames.csv', text: 'from,to,date\nZED,NOVA,2024-01-05\n' }
    const lake = await lakeOf([
      [list('2024-01-02', 'ZED,Zed Mines Inc.,US,common,USD')],
      [renames],
      [
        bars('ZED', { '2024-01-03': 100, '2024-01-04': 100 }),
        bars('NOVA', { '2024-01-05': 100, '2024-01-08': 50 }),
        own('NOVA', '2024-01-08,split,2,1,,,,,,,'),
      ],
    ])
    expect(await lake.adjusted('NOVA')).toEqual({ '2024-01-03': 50, '2024-01-04': 50, '2024-01-05': 50, '2024-01-08': 50 })
    expect((await lake.actions('NOVA')).map(each => [each.kind, each.ex_date, each.successor])).toEqual([
      ['split', '2024-01-08', null],
      ['rename', '2024-01-05', 'NOVA'],
    ])
  })
  test("the operator's renames: those that arrive with the list of their symbol are applied, others go to the quarantine", async () => {
    const renames: File = { url: 'file:renames.csv', text: 'from,to,date\nZED,NOVA,2024-01-05\nNONE,NOWHERE,2024-01-05\n' }
    const list: File = {
      url: 'file:symbols.csv',
      text: 'symbol,name,exchange,type,currency,first_date\nZED,Zed Mines Inc.,US,common,USD,2024-01-02\n',
    }
    // The folder is read in the order of the names, the renames first.
    const lake = await lakeOf([[renames, list]])
    expect(lake.refused).toEqual(['rename_of_unknown_symbol'])
    expect((await lake.actions('NOVA')).map(each => [each.kind, each.successor])).toEqual([['rename', 'NOVA']])
  })
  test('raw close of a settled bar changes: a late single correction is taken with its reason, history rewritten is refused', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`2024-02-${String(at + 1).padStart(2, '0')}`, 100 + at]).filter(
        ([date]) => new Date(`${date}T00:00:00Z`).getUTCDay() % 6 !== 0 && date !== '2024-02-19',
      ),
    )
    const rewritten = Object.fromEntries(Object.entries(many).map(([date, close]) => [date, Number(close) * 0.99]))
    const lake = await lakeOf([[bars('ZED', many)], [{ ...bars('ZED', rewritten, 'again'), at: '2026-11-20T01:00:00Z' }]])
    expect([await lake.adjusted('ZED'), lake.refused]).toEqual([many, ['settled_history_changed']])
    const last = Object.keys(many).at(-1)!
    const corrected = { ...many, [last]: 119.5 }
    const late = await lakeOf([[bars('ZED', many)], [{ ...bars('ZED', corrected, 'again'), at: '2026-11-20T01:00:00Z' }]])
    expect([(await late.adjusted('ZED'))[last], (await late.adjusted('ZED', 1))[last]]).toEqual([119.5, many[last]])
  })
  test('intraday: a bar is stored raw, its adjustment is the factor of its session', async () => {
    const lake = await lakeOf([[bars('ZED', { '2024-01-03': 100, '2024-01-04': 100, '2024-01-05': 50 }), own('ZED', '2024-01-05,split,2,1,,,,,,,')]])
    const [action] = await lake.actions('ZED')
    expect(action?.applied.price_factor).toBe(0.5)
    expect((await lake.adjusted('ZED'))['2024-01-04']).toBe(50)
  })
})
