import { describe, expect, it } from 'vitest'
import { html } from '../html.ts'
import { lineChart, priceChart } from './chart.ts'
import { decimal, exactly } from './exact.ts'
import { faultList, inputField } from './form.ts'
import { change, compact, day, duration, money, number, percent, period, price, readable } from './format.ts'
import { missing } from './notice.ts'
import { pager, sourced } from './parts.ts'
import { numeric, plainText, table } from './table.ts'

describe('numbers', () => {
  it.each([
    [0, {}, '0'],
    [1234567.5, {}, '1,234,567.5'],
    [-0.004, { most: 2 }, '0'],
    [1.005, { most: 2 }, '1.01'],
    [999.995, { most: 2, least: 2 }, '1,000.00'],
    [1e21, {}, '1,000,000,000,000,000,000,000'],
    [1.5e-7, {}, '0.00000015'],
    [-12.5, { least: 2 }, '\u221212.50'],
    [0.5, { most: 0 }, '1'],
  ])('%d with %o is %s', (value, digits, text) => {
    expect(number(value, digits)).toBe(text)
  })
  it('prices keep the digits that are printed, two at least', () => {
    expect([price(112.03), price(112), price(0.045), price(82.4251)]).toEqual(['112.03', '112.00', '0.045', '82.4251'])
    expect(money(112.5, 'CAD')).toBe('112.50\u00a0CAD')
    expect(percent(0.683023)).toBe('0.68\u00a0%')
  })
  it.each([
    ['2026-10-01', 'monthly', 'Oct\u00a02026'],
    ['2026-10-01', 'quarterly', 'Q4\u00a02026'],
    ['2025-01-01', 'annual', '2025'],
    ['2026-11-19', 'daily', '19\u00a0Nov\u00a02026'],
  ])('the period that begins on %s with %s values is %s', (date, frequency, text) => {
    expect(plainText(period(date, frequency))).toBe(text)
  })
  it('reasons of an answer have days and ages that people read', () => {
    expect(readable('GLPR.TO is of 2026-11-19T21:00:00Z, 45000 seconds old; at most 900')).toBe(
      'GLPR.TO is of 19\u00a0Nov\u00a02026, 21:00 UTC, 13 hours old; at most 15 minutes',
    )
    expect(readable('no price of the toronto line is known')).toBe('no price of the Toronto line is known')
  })
  it('decimals of an answer keep every digit', () => {
    const answer = { ok: true, value: null, name: '', url: '', release: null, as_of: null, receipt_id: null } as const
    expect(exactly({ ...answer, text: '{"a":[1.50,null],"b":-12345678901234567890.000000000001,"c":"1.0"}' })).toEqual({
      a: ['1.50', null],
      b: '-12345678901234567890.000000000001',
      c: '1.0',
    })
    expect([decimal('-12345678901234567890.000000000001'), decimal('0.10'), decimal('1234'), decimal('1e400')]).toEqual([
      '\u221212,345,678,901,234,567,890.000000000001',
      '0.10',
      '1,234',
      '1e400',
    ])
  })
  it('large numbers are short for the eye and whole behind it', () => {
    expect(plainText(compact(18035515556, 'CAD'))).toBe('18.04\u00a0B\u00a0CAD18.04 billion\u00a0CAD')
    expect(String(compact(18035515556, 'CAD'))).toContain('title="18,035,515,556\u00a0CAD"')
  })
  it('a change has its sign and its direction', () => {
    expect(String(change(0.76, '0.76'))).toBe('<span class="up">+0.76</span>')
    expect(String(change(-1, '\u22121'))).toBe('<span class="down">\u22121</span>')
  })
  it('days and ages are words', () => {
    expect(plainText(day('2026-11-09'))).toBe('9\u00a0Nov\u00a02026')
    expect([duration(1), duration(59), duration(60), duration(45000), duration(400000)]).toEqual([
      '1 second',
      '59 seconds',
      '1 minute',
      '13 hours',
      '5 days',
    ])
  })
})

describe('a table', () => {
  const columns = ['Symbol', numeric('Close')]
  it('has a caption, headings of columns and rows, and a dash for what is unknown', () => {
    const printed = String(
      table({
        caption: 'Closes',
        columns,
        rows: [
          ['GLPR.TO', '112.03'],
          ['CBC.TO', null],
        ],
      }),
    )
    expect(printed).toContain('<caption>Closes</caption>')
    expect(printed).toContain('<th scope="col" class="n">Close</th>')
    expect(printed).toContain('<th scope="row">CBC.TO</th><td class="n"><span class="unknown" title="not known">')
  })
  it('without rows states that there are none', () => {
    expect(String(table({ caption: 'Closes', columns, rows: [], empty: 'No closes.' }))).toBe('<p class="empty">No closes.</p>')
  })
})

describe('a chart', () => {
  const points = ['2026-05-15', '2026-05-19', '2026-05-20'].map((time, at) => ({
    time,
    open: 10,
    high: 12,
    low: 9,
    close: 10 + at,
    volume: at === 0 ? null : 100,
  }))
  const data = (printed: string): Record<string, unknown> => JSON.parse(/<script type="application\/json">(.*?)<\/script>/.exec(printed)?.[1] ?? '')
  it('has its numbers in a table and a picture without script', () => {
    const printed = String(priceChart({ id: 'p', label: 'GLPR.TO', currency: 'CAD', points }))
    expect(printed.match(/<tr>/g)).toHaveLength(points.length + 1)
    expect(printed).toContain('<svg class="still"')
    expect(data(printed)).toMatchObject({ close: [10, 11, 12], volume: [null, 100, 100] })
  })
  it('draws a mark of a day without trading at the next point, and none from before the first', () => {
    const mark = (time: string) => ({ time, kind: 'split', title: 'Split 2:1', text: 'Split 2:1, factor 0.5' }) as const
    const printed = String(priceChart({ id: 'p', label: 'GLPR.TO', currency: 'CAD', points, marks: [mark('2026-05-17'), mark('2026-05-01')] }))
    expect(data(printed)['marks']).toEqual([
      { time: '2026-05-19', kind: 'split', letter: 'S', title: 'Split 2:1', text: '17\u00a0May\u00a02026: Split 2:1, factor 0.5' },
    ])
  })
  it('leaves a gap where a value is unknown', () => {
    const printed = String(
      lineChart({
        id: 'l',
        label: 'CPI',
        unit: '%',
        times: ['2026-01-01', '2026-02-01', '2026-03-01'],
        series: [{ label: 'CPI', values: [1, null, 3] }],
      }),
    )
    expect(printed.match(/<path class="s1"/g)).toHaveLength(2)
  })
  it('without values states that there are none', () => {
    expect(String(lineChart({ id: 'l', label: 'CPI', unit: '%', times: ['2026'], series: [{ label: 'CPI', values: [null] }] }))).toContain(
      'no values',
    )
  })
})

describe('a form', () => {
  it('shows all faults at the same time, each at its field', () => {
    const faults = { email: 'Expected an address.', password: 'Too short.' }
    const list = String(faultList('f', faults))
    expect(list).toContain('<a href="#f-email">Expected an address.</a>')
    expect(list).toContain('<a href="#f-password">Too short.</a>')
    const field = String(inputField({ form: 'f', name: 'email', label: 'Email', faults, help: 'Yours', attributes: html` required` }, '<x>', 'email'))
    expect(field).toContain('aria-describedby="f-email-help f-email-fault" aria-invalid="true"')
    expect(field).toContain('value="&lt;x&gt;" required')
  })
})

describe('parts', () => {
  it.each([
    [401, 'for people with an account'],
    [400, 'the request cannot be answered'],
    [404, 'No such symbol.'],
    [429, 'too many requests'],
    [503, 'not available at the moment'],
  ])('a missing answer of status %d explains what to do', (status, words) => {
    expect(String(missing({ ok: false, status, error: { detail: 'no such symbol', code: 'x', docs: '' } }, 'Filings'))).toContain(words)
  })
  it('a value names its source', () => {
    expect(String(sourced('5', { accession: '0009990002-26-000011', form: '40-F' }))).toContain(
      'href="/f/0009990002-26-000011" title="0009990002-26-000011">40-F',
    )
    expect(String(sourced('5', null))).toBe('5')
  })
  it('a list of one page has no pager', () => {
    expect(pager({ first: null, next: null })).toBeNull()
  })
})
