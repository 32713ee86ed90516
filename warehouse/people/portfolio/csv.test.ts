// A CSV of positions: columns by many names, every digit and sign kept, and nothing guessed.
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import type { BadRequest } from '#schemas/errors.ts'
import { parsePositions, readNumber } from './csv.ts'

const faultsOf = (csv: string): unknown[] => {
  try {
    parsePositions(csv)
  } catch (error) {
    return ((error as BadRequest).items ?? []).map(({ loc, msg }) => [loc.slice(2).join(' '), msg])
  }
  return []
}

it.each(textTable`
  12.50     | 12.50
  -100      | -100
  +5        | 5
  007       | 7
  .5        | 0.5
  1,234.50  | 1234.50
  1,234,567 | 1234567
`)('%s is read as %s', (text = '', read) => {
  expect(readNumber(text)).toBe(read)
})
it('reads a typographic minus sign', () => {
  expect(readNumber('\u22127.5')).toBe('-7.5')
})
it.each(['1,234', '12,5', '1.234,56', '1 234', '1,23.4', '(100)', '100-', '$5', '1e3', '.', '-', '--1', 'NaN'])('%s is no number', text => {
  expect(readNumber(text)).toBeNull()
})

describe('columns', () => {
  it('are found under usual names, in any order, with any of three separators; others are reported', () => {
    for (const mark of [',', ';', '\t']) {
      const csv = `\uFEFF${['Qty', 'Currency', 'Market Value', 'Symbol', 'Avg. Cost', 'Account Type'].join(mark)}\r\n${['-10.50', 'CAD', '99', 'ry.to', '120.25', 'margin'].join(mark)}\r\n`
      expect(parsePositions(csv)).toEqual({
        ignored_columns: ['Market Value'],
        rows: [
          {
            loc: ['body', 'csv', 'line 2'],
            name: 'line 2',
            position: { ticker: 'ry.to', quantity: '-10.50', acb_per_share: '120.25', currency: 'CAD', account_type: 'margin', note: null },
          },
        ],
      })
    }
    expect(parsePositions('Symbole;Quantité;Devise\nRY.TO;5;CAD').rows[0]?.position).toMatchObject({
      ticker: 'RY.TO',
      quantity: '5',
      account_type: 'unspecified',
    })
  })
  it.each([
    ['', 'empty'],
    ['symbol,currency\nA,CAD', 'quantity'],
    ['symbol,ticker,qty,currency\nA,A,1,CAD', 'both name the ticker'],
    ['symbol,qty,currency\n\n', 'no row'],
    ['symbol,qty,currency\nA,1,"CAD', 'line 2: a quoted cell'],
  ])('%j is refused', (csv, result) => {
    expect(faultsOf(csv)).toEqual([['', expect.stringContaining(result)]])
  })
})

it('every fault of every line is reported with its line, as an editor counts it', () => {
  const csv = 'symbol,qty,unit cost,currency,note\nA,"1,000",2,CAD,"two\nlines"\n\n,5,,CAD,\nB,,1,cad,\nC,1,-2,USD,\nD,1,2,USD\nE,1,2,USD,fine\n'
  expect(faultsOf(csv)).toEqual([
    ['line 2 quantity', expect.stringContaining('"1,000"')],
    ['line 5 ticker', expect.any(String)],
    ['line 6 quantity', expect.stringContaining('missing')],
    ['line 7 acb_per_share', expect.stringContaining('0 or more')],
    ['line 8', 'expected 5 cells as in the header, got 4'],
  ])
  expect(faultsOf('symbol,qty,currency\nB,1,cad')).toEqual([['line 2 currency', expect.stringContaining('three capital letters')]])
})

it('what is written as CSV is read back: each row once, in order, with its sign and digits', () => {
  const text = fc.string({ maxLength: 20 }).filter(each => /^[\x20-\x7e\n]*$/.test(each))
  const row = fc.record({
    ticker: fc.constantFrom('RY.TO', 'AAPL', 'x'),
    quantity: fc
      .tuple(fc.boolean(), fc.nat(), fc.stringMatching(/^[0-9]{0,12}$/))
      .map(([short, whole, rest]) => `${short ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`),
    currency: fc.constantFrom('CAD', 'USD', 'EUR'),
    note: text,
  })
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), fc.constantFrom('\n', '\r\n'), (rows, newline) => {
      const read = parsePositions(Papa.unparse(rows, { newline })).rows.map(({ position }) => position)
      expect(read.map(({ ticker, quantity, currency }) => [ticker, quantity.replace(/^-/, ''), currency])).toEqual(
        rows.map(({ ticker, quantity, currency }) => [ticker, quantity.replace(/^-/, ''), currency]),
      )
      for (const [at, { quantity }] of rows.entries()) expect(Math.sign(Number(read[at]?.quantity))).toBe(Math.sign(Number(quantity)) + 0)
      expect(read.map(({ note }) => note)).toEqual(rows.map(({ note }) => note.replaceAll(/\r\n?/g, '\n').trim() || null))
    }),
  )
})
