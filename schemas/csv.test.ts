import { describe, expect, it } from 'vitest'
import { readCsv } from './csv.ts'

describe('a CSV', () => {
  it('keeps the text of its cells, with its spaces, and leaves out blank rows', () => {
    expect(readCsv('\ufeffsymbol,close\r\nNA, 185.640000\r\n ,\r\n\r\nTRUE,1e3\r\n').rows).toEqual([
      { cells: ['symbol', 'close'], row: 1, line: 1 },
      { cells: ['NA', ' 185.640000'], row: 2, line: 2 },
      { cells: ['TRUE', '1e3'], row: 5, line: 5 },
    ])
  })
  it('counts rows and lines apart after a cell with a line break', () => {
    for (const end of ['\n', '\r\n'])
      expect(readCsv(['a,b', `"one${end}two",2`, '3,4'].join(end)).rows).toEqual([
        { cells: ['a', 'b'], row: 1, line: 1 },
        { cells: [`one${end}two`, '2'], row: 2, line: 2 },
        { cells: ['3', '4'], row: 3, line: 4 },
      ])
  })
  it('reports the first quotation that does not end', () => {
    expect(readCsv('a,b\n"one\ntwo",2\n"3,4\n5,6\n').broken).toMatchObject({ row: 3, line: 4 })
    expect(readCsv('a,b\n"1"x,2\n').broken).toMatchObject({ row: 2, line: 2 })
    expect(readCsv('a,b\n1,2\n').broken).toBeNull()
  })
  it('takes one delimiter, or chooses among several', () => {
    expect(readCsv('a|b,c', '|').rows[0]?.cells).toEqual(['a', 'b,c'])
    for (const mark of [',', ';', '\t', '|'])
      expect(readCsv(`a${mark}b\n1${mark}2\n`, [',', ';', '\t', '|']).rows.map(({ cells }) => cells)).toEqual([
        ['a', 'b'],
        ['1', '2'],
      ])
  })
})
