import { describe, expect, test } from 'vitest'
import { cusipCheckDigit, isCusip, readCusip } from '#schemas/cusip.ts'
import { parseTextCover, spelledDay } from './text-cover.ts'
import { nameAndClass } from './text-names.ts'
import { parseTextTable } from './text-table.ts'

const c = (eight: string): string => `${eight}${cusipCheckDigit(eight)}`
const heading = [
  'NAME OF ISSUER      CLASS    CUSIP        VALUE   SHARES  SH/PRN  DISCRETION   SOLE   SHARED   NONE',
  '------------------- -------- ---------- -------- -------- ---- ----------- ------- ------ ------',
]
const read = (...lines: string[]) => parseTextTable('13F x', [...heading, ...lines])
const rows = (...lines: string[]) => read(...lines).rows.map(row => [row.issuer, row.cusip, row.value, row.amount, row.amountType])

/** Processor time of this thread, which does not depend on the load of the machine. */
const cpuMs = (begun: NodeJS.CpuUsage): number => process.threadCpuUsage(begun).user / 1000

describe('text-era tables: no row is lost (edgartools 469, 476, 1072)', () => {
  test('a CUSIP that runs over its column, padded with zeros or parted by blanks, is found by its check digit', () => {
    expect(
      rows(
        `AARDVARK INC        COM      ${c('99C01Q10')}000    1,200   24,000 SH   SOLE         24,000      0      0`,
        `BADGER SPONSORED HOLDINGS INTERNATIONAL CORP-CL A COM     ${c('99C02Q10')}    1,300   26,000 SH   SOLE         26,000      0      0`,
        `CIVET INC           COM   ${c('99C03Q10').slice(0, 6)} 10 ${c('99C03Q10').slice(8)}    1,400   28,000 SH   SOLE         28,000      0      0`,
      ).map(row => row.slice(2)),
    ).toEqual([
      ['1200', '24000', 'SH'],
      ['1300', '26000', 'SH'],
      ['1400', '28000', 'SH'],
    ])
  })
  test('a second line of a security has neither name nor CUSIP and is a row', () => {
    const found = rows(
      `DINGO INC           COM      ${c('99C04Q10')}    1,200   24,000 SH   SOLE         24,000      0      0`,
      `                                            300    6,000 SH   SHARED        6,000      0      0`,
    )
    expect(found.map(row => [row[0], row[2]])).toEqual([
      ['DINGO INC', '1200'],
      ['DINGO INC', '300'],
    ])
  })
  test('a row without a CUSIP is a row, flagged by the reader of rows', () => {
    expect(
      rows(
        `ERMINE INC          COM      ${c('99C05Q10')}    1,200   24,000 SH   SOLE         24,000      0      0`,
        `FERRET LTD          COM                     900   18,000 SH   SOLE         18,000      0      0`,
      )[1],
    ).toEqual(['FERRET LTD', null, '900', '18000', 'SH'])
  })
  test('totals, subtotals, page headings, page numbers and rules are no rows', () => {
    const found = read(
      `GECKO INC           COM      ${c('99C06Q10')}    1,200   24,000 SH   SOLE         24,000      0      0`,
      '                                       --------',
      '                                          1,200',
      '                             Page Total:  1,200   24,000',
      'GRAND TOTAL                               1,200   24,000',
      '                                  -3-',
      '<PAGE>',
      ...heading,
      `HERON INC           COM      ${c('99C07Q10')}    2,200   44,000 SH   SOLE         44,000      0      0`,
    )
    expect(found.rows.map(row => row.issuer)).toEqual(['GECKO INC', 'HERON INC'])
    expect(found.refused).toEqual([])
  })
  test('a line with amounts that is no row and no total is listed as not read', () => {
    const found = read(
      `IBEX INC            COM      ${c('99C08Q10')}    1,200   24,000 SH   SOLE         24,000      0      0`,
      `JACKAL  7 of 9 accounts 12 and 44 more ${c('99C09Q10')}`,
    )
    expect(found.rows).toHaveLength(1)
    expect(found.refused.map(each => each.reason)).toEqual(['table_line_not_read'])
    expect(found.refused[0]?.record).toMatchObject({ line: 4 })
  })
  test('shares before the value where the heading, or the word behind the number, says so', () => {
    const swapped = ['NAME                CLASS    CUSIP        SHARES    VALUE   DISCRETION   SOLE   SHARED   NONE', '-----']
    const line = `KOALA INC           COM      ${c('99C10Q10')}    24,000    1,200   SOLE         24,000      0      0`
    expect(parseTextTable('13F x', [...swapped, line]).rows[0]).toMatchObject({ value: '1200', amount: '24000' })
    expect(rows(`LEMUR INC           COM      ${c('99C11Q10')}    24,000 SH   1,200   SOLE         24,000      0      0`)[0]?.slice(2)).toEqual([
      '1200',
      '24000',
      'SH',
    ])
  })
  test('the CUSIP as first column, the kind glued to the number, the amounts on the next line', () => {
    const first = ['CUSIP      NAME OF ISSUER           CLASS   VALUE    SHARES   DISCRETION   SOLE   SHARED   NONE', '---------']
    expect(
      parseTextTable('13F x', [...first, `${c('99C14Q10')}  NARWHAL 3 HOLDINGS INC   COM     1,200    24,000SH SOLE         24,000      0      0`])
        .rows[0],
    ).toMatchObject({
      issuer: 'NARWHAL 3 HOLDINGS INC',
      title: 'COM',
      value: '1200',
      amount: '24000',
      amountType: 'SH',
      sole: '24000',
    })
    expect(
      rows(
        `OCELOT INC          COM      ${c('99C15Q10')}`,
        '                                          1,300   26,000 SH   SOLE         26,000      0      0',
      ),
    ).toEqual([['OCELOT INC', c('99C15Q10'), '1300', '26000', 'SH']])
  })
  test('numbers in names are no amounts', () => {
    expect(
      rows(`4 KITES 6.75% SER C CUM PFD  PFD  ${c('99C12Q10')}    1,200   24,000 SH   SOLE         24,000      0      0`)[0]?.slice(0, 3),
    ).toEqual(['4 KITES 6.75% SER C CUM PFD', c('99C12Q10'), '1200'])
  })
  test('votes are told from managers by what they add up to', () => {
    const [row] = read(`MOOSE INC           COM      ${c('99C13Q10')}    1,200   24,000 SH   DEFINED 1,2   20,000   4,000      0`).rows
    expect(row).toMatchObject({ otherManager: '1,2', sole: '20000', shared: '4000', none: '0', discretion: 'DFND' })
  })
  test('hostile text of five megabytes costs no more than its length', () => {
    // The processor time of the whole is compared with that of a quarter: 4 times for work in proportion to the length, 16 for its square.
    const hostile = (length: number): string[] => [
      'a'.repeat(length),
      ' '.repeat(length),
      '\t'.repeat(length),
      '"'.repeat(length),
      '|'.repeat(length),
      `${'1 '.repeat(900)}\n`.repeat(length / 1850),
      `${' '.repeat(900)}x${' '.repeat(900)}\n`.repeat(length / 1850),
      `${'99C13Q10 '.repeat(200)}\n`.repeat(length / 1850),
      'TOTAL '.repeat(length / 6),
    ]
    const costOf = (text: string): number => {
      const begun = process.threadCpuUsage()
      parseTextTable('13F x', ['CUSIP', ...text.split('\n')])
      parseTextCover(text.split('\n'))
      return cpuMs(begun)
    }
    const quarters = hostile(1.25e6).map(costOf)
    for (const [at, text] of hostile(5e6).entries()) expect(costOf(text)).toBeLessThan(10 * (quarters[at] ?? 0) + 500)
  })
})

describe('names and classes', () => {
  test.each([
    ['AMBERGRIS INC           COM   ', 'AMBERGRIS INC', 'COM'],
    ['AMBERGRIS INC CL A', 'AMBERGRIS INC', 'CL A'],
    ['AMBERGRIS SPONSORED ADR', 'AMBERGRIS', 'SPONSORED ADR'],
    ['***AMBERGRIS', 'AMBERGRIS', null],
  ])('%s', (left, issuer, title) => {
    expect(nameAndClass(left)).toEqual({ issuer, title })
  })
})

describe('text-era covers', () => {
  test('boxes, totals on the next line, and days as typists wrote them', () => {
    const cover = parseTextCover(
      'Report for the Calendar Year or Quarter Ended: September 30, 2003|Check here if Amendment [X]; Amendment Number: 2|This Amendment (Check only one.): [X] is a restatement.|      [ ] adds new holdings entries.|[X]  13F HOLDINGS REPORT. (Check here if|[ ]  13F NOTICE.|Form 13F Information Table Entry Total:|192|Form 13F Information Table Value Total:  $3,251,844|Number of Other Included Managers: NONE'.split(
        '|',
      ),
    )
    expect(cover).toMatchObject({
      period_of_report: '2003-09-30',
      is_amendment: 'true',
      amendment_number: '2',
      amendment_type_filed: 'RESTATEMENT',
      report_type: '13F HOLDINGS REPORT',
      entry_total: '192',
      value_total: '3251844',
      included_managers_count: '0',
    })
  })
  test.each([
    ['March 31, 1999', '1999-03-31'],
    ['12/31/99', '1999-12-31'],
    ['31-Mar-2013', '2013-03-31'],
    ['June 31, 2004', undefined],
  ])('%s', (text, day) => {
    expect(spelledDay(text)).toBe(day)
  })
})

describe('CUSIPs', () => {
  test('check digits, zeros lost in front, zeros padded behind, an issue without its digit', () => {
    expect(isCusip('037833100')).toBe(true)
    expect(isCusip('037833101')).toBe(false)
    // The character before 0 is no digit, nor is one that is not valid in a CUSIP a value.
    expect(isCusip('a3783310/')).toBe(false)
    expect(isCusip('03783310é')).toBe(false)
    expect(isCusip('000000000')).toBe(false)
    expect(cusipCheckDigit('037é3310')).toBeNull()
    expect(readCusip('37833100')).toEqual({ cusip: '037833100', flag: 'cusip_repaired' })
    expect(readCusip('037833100000')).toEqual({ cusip: '037833100', flag: 'cusip_repaired' })
    expect(readCusip('G1151C10')).toEqual({ cusip: 'G1151C101', flag: 'cusip_repaired' })
    expect(readCusip('037833 10 0')).toEqual({ cusip: '037833100', flag: null })
    expect(readCusip('037833101')).toEqual({ cusip: '037833101', flag: 'cusip_check_digit' })
    expect(readCusip('')).toEqual({ cusip: null, flag: null })
  })
})
