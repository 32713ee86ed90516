// Facts 19 to 22 of the recorded market documents.
import { describe, expect, test } from 'vitest'
import { describeReal, realBytes, realText } from '#fixtures/real.ts'
import { textTable } from '#fixtures/text-table.ts'
import { datasets } from '#schemas/index.ts'
import { parseSymbolOn } from '#schemas/spelling.ts'
import * as vendors from '#schemas/vendor-spelling.ts'
import type { Parsed } from '../parsed.ts'
import { deriveIntervals, type IntervalFacts } from './derive.ts'
import { nameKey } from './names.ts'
import { symbolReaders } from './readers.ts'
import { parseInterlisted } from './tsx-directory.ts'

function read(path: string): Parsed {
  const body = realBytes(path)
  const head = body.subarray(0, 65_536).toString('utf8')
  const found = symbolReaders.filter(reader => reader.recognise(path, head) !== null)
  expect(found).toHaveLength(1)
  const url = found[0]!.recognise(path, head)!
  return found[0]!.parse({ sha256: '', source: found[0]!.source, url, retrieved_at: '2026-11-20T12:00:00Z', status: 200, headers: {}, body })
}
const symbolsOf = (parsed: Parsed): Set<string> => new Set((parsed.directories ?? []).flatMap(({ listings }) => listings.map(({ symbol }) => symbol)))

describeReal('fact 19: Nasdaq Trader', () => {
  test('the day is that of the last line and test issues stay out', () => {
    const traded = read('market/nasdaqtrader/nasdaqtraded_2017-12-08.txt')
    expect(traded.directories?.map(({ date, listings }) => [date, listings.length])).toEqual([['2017-12-08', 8500]])
    expect([traded.skipped, traded.refused]).toEqual([{ test_issue: 27 }, []])
    const listed = read('market/nasdaqtrader/nasdaqlisted_2016-08-15.txt')
    expect([listed.directories?.[0]?.listings.length, listed.skipped]).toEqual([3136, { test_issue: 9 }])
    const other = read('market/nasdaqtrader/otherlisted_2016-08-15.txt')
    expect([other.directories?.[0]?.listings.length, other.skipped]).toEqual([5216, { test_issue: 7 }])
  })
  test('the CQS and the NASDAQ column agree on every row; the ACT column loses warrant classes, when issued and called', () => {
    const rows = realText('market/nasdaqtrader/otherlisted_2016-08-15.txt')
      .trimEnd()
      .split(/\r?\n/)
      .slice(1, -1)
      .map(line => line.split('|'))
    const read = rows.map(([act = '', , , tape = '', , , , integrated = '']) => ({
      act,
      byAct: vendors.nasdaqAct.read(act)?.symbol,
      byTape: vendors.cqs.read(tape)?.symbol,
      byNasdaq: vendors.nasdaqIntegrated.read(integrated)?.symbol,
    }))
    expect(read.filter(({ byTape, byNasdaq }) => byNasdaq === undefined || byTape !== byNasdaq)).toEqual([])
    const lost = read.filter(({ byAct, byNasdaq }) => byAct !== byNasdaq)
    expect(lost).toHaveLength(16)
    expect(lost.every(({ byNasdaq }) => /-(WT[A-Z]|CL|WI)$/.test(byNasdaq ?? ''))).toBe(true)
    // VALE's preferred was called a class P; -P is a preferred without a series everywhere else.
    expect(read.filter(({ act, byNasdaq }) => vendors.nasdaqAct.write(byNasdaq ?? '') !== act).map(({ act }) => act)).toEqual(['VALE.P'])
  })
  test('the two files of 2016 do not overlap, and those of 2017 follow on them', () => {
    const first = deriveIntervals([], {
      source: 'nasdaqtrader',
      date: '2016-08-15',
      renames: [],
      directories: [
        ...(read('market/nasdaqtrader/nasdaqlisted_2016-08-15.txt').directories ?? []),
        ...(read('market/nasdaqtrader/otherlisted_2016-08-15.txt').directories ?? []),
      ],
    })
    expect(first.rows).toHaveLength(3136 + 5216)
    const known = first.rows.map(row => ({ ...row, source: 'nasdaqtrader' }))
    const { rows } = deriveIntervals(known, {
      source: 'nasdaqtrader',
      date: '2017-12-08',
      renames: [],
      seen: first.seen,
      directories: read('market/nasdaqtrader/nasdaqtraded_2017-12-08.txt').directories ?? [],
    })
    const successor = (symbol: string): string | null | undefined =>
      rows.find(row => row.symbol === symbol && row.valid_to === '2016-08-15')?.successor
    expect(['BBRY', 'TCK', 'MDM', 'UA', 'COR-PA'].map(successor)).toEqual(['BB', 'TECK', 'MPVD', 'UAA', 'COR-PA-CL'])
    // A spun-off company took the old name of CNX to CEIX; the resemblance is no rename.
    expect(successor('CNX')).toBeNull()
  })
})

describeReal('fact 20: the two boards from 2024-01-02 to 2024-07-02', () => {
  const paths = ['2024-01-02', '2024-07-02'].map(date => `market/symbol-list/us-tsx-tsxv_${date}.csv`)
  const lists = (): readonly Parsed[] => paths.map(read)
  test.each([
    ['TSX', 1810, 1808, 87, 85],
    ['TSXV', 1624, 1578, 120, 74],
  ] as const)('%s: %i issuers, then %i; %i gone and %i new', (board, before, after, gone, came) => {
    const [old, now] = paths.map(
      path =>
        new Set(
          realText(path)
            .split('\n')
            .map(line => /^([^,]+),(?:"[^"]*"|[^,]*),(TSXV?),/.exec(line))
            .flatMap(match => (match?.[2] === board ? [match[1]] : [])),
        ),
    )
    expect([old?.size, now?.size, old?.difference(now!).size, now?.difference(old!).size]).toEqual([before, after, gone, came])
  })
  test('every instrument of every issuer is read: 4,272 and 4,184 lines on the two boards', () => {
    const counts = lists().map(({ directories, refused }) => [
      directories?.filter(({ scope }) => scope.length > 0).reduce((sum, { listings }) => sum + listings.length, 0),
      refused.length,
    ])
    expect(counts).toEqual([
      [4272, 0],
      [4184, 0],
    ])
  })
  test('renames and moves are found by evidence, and nothing else is joined', () => {
    const [old, now] = lists()
    const first = deriveIntervals([], { source: 'symbol-list', date: '2024-01-02', renames: [], directories: old?.directories ?? [] })
    const known = first.rows.map(row => ({ ...row, source: 'symbol-list' }))
    const { rows, candidates } = deriveIntervals(known, {
      source: 'symbol-list',
      date: '2024-07-02',
      renames: [],
      directories: now?.directories ?? [],
      seen: first.seen,
    })
    const joined = (reason: IntervalFacts['end_reason']): string[] =>
      rows.filter(row => row.end_reason === reason).map(({ symbol, successor }) => `${symbol} ${successor}`)
    expect(joined('renamed')).toEqual([
      'ARL-P.V ARL.V',
      'FR.TO AG.TO',
      'PTN-P.V PTN.V',
      'SSX-P.V SSX.V',
      'STER.V ARGH.V',
      'SUG.V SUGR.V',
      'TNX.TO TRX.TO',
      'YAY-P.V YAY.V',
    ])
    expect(joined('moved')).toEqual([
      'EOX.TO EOX.V',
      'GGA.TO GGA.V',
      'GMIN.V GMIN.TO',
      'GTWO.V GTWO.TO',
      'MAW.TO MAW.V',
      'MSCL.V MSCL.TO',
      'NGEX.V NGEX.TO',
      'PMET.V PMET.TO',
    ])
    for (const row of rows.filter(({ successor }) => successor !== null)) {
      const next = rows.find(({ symbol, predecessor }) => symbol === row.successor && predecessor === row.symbol)
      expect([row.valid_to, next?.valid_from, next?.instrument_id]).toEqual(['2024-01-02', '2024-07-02', row.instrument_id])
    }
    expect(candidates.map(({ from, to }) => `${from} ${to}`)).toContain('TYMB.V NTB.V')
    for (const row of rows) expect(datasets.symbols.facts.safeParse(row).success).toBe(true)
  })
})

describeReal('fact 21: tickers that look like something else', () => {
  test('Tiingo lists 80,657 tickers; INF, NAN and TRUE are three of them and 000001 is Shenzhen’s', () => {
    const { directories, skipped, refused } = read('market/tiingo/supported_tickers_2019-10.csv')
    const listings = directories?.[0]?.listings ?? []
    expect(listings.length + refused.length + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(80_657)
    const symbols = new Set(listings.map(({ symbol }) => symbol))
    for (const symbol of ['INF', 'NAN', 'TRUE']) expect(symbols.has(symbol)).toBe(true)
    expect(directories?.[0]?.date).toBe('2019-10-18')
    expect(parseSymbolOn('US', '000001')?.symbol).toBe('000001')
  })
  test('NA.TO is National Bank, NA, NAN and TRUE are United States listings of 2024', () => {
    const symbols = symbolsOf(read('market/symbol-list/us-tsx-tsxv_2024-07-02.csv'))
    for (const symbol of ['NA.TO', 'NA', 'NAN', 'TRUE', 'NA-PR-C.TO', 'TECK-B.TO', 'BRK-B'])
      expect([symbol, symbols.has(symbol)]).toEqual([symbol, true])
  })
})

describeReal('fact 22: equal symbols are not equal companies', () => {
  const { rows } = parseInterlisted(realText('market/tmx/interlisted_tsx_side_2026.csv'))
  const us = (read('market/symbol-list/us-tsx-tsxv_2024-07-02.csv').directories ?? [])
    .flatMap(({ listings }) => listings)
    .filter(({ exchange, type }) => exchange === 'US' && !['warrant', 'preferred', 'note', 'right', 'unit'].includes(type))
    .map(({ symbol, name }) => ({ symbol, key: `${nameKey(name)} ` }))
  const linesOf = (name: string): string[] => us.filter(({ key }) => key.startsWith(`${nameKey(name)} `)).map(({ symbol }) => symbol)
  const issuerOf = (printed: string): string => rows.find(row => row.printed === printed)?.name ?? ''

  test('266 symbols are interlisted; by issuer over 100 have a line under the same symbol and about 50 under another one', () => {
    expect(rows).toHaveLength(266)
    const own = rows.map(({ printed, name }) => ({ symbol: printed.replaceAll('.', '-'), lines: linesOf(name) }))
    // By names as printed; 113 and 53 with the ones whose names are abbreviated ("Bank Nova Scotia Halifax Pfd 3 Ordinary").
    expect(own.filter(({ symbol, lines }) => lines.includes(symbol)).length).toBe(109)
    expect(own.filter(({ symbol, lines }) => lines.length > 0 && !lines.includes(symbol)).length).toBe(51)
  })
  test.each(textTable`
    T    | TU
    K    | KGC
    CNR  | CNI
    CCO  | CCJ
    MG   | MGA
    PD   | PDS
    GOLD | GLDG
  `)('TSX:%s is listed in New York as %s', (printed, symbol) => {
    expect(linesOf(issuerOf(printed))).toContain(symbol)
    expect(linesOf(issuerOf(printed))).not.toContain(printed)
  })
  test('the symbols T, K and PD stand on both sides of the border for different issuers', () => {
    const listed = new Set(us.map(({ symbol }) => symbol))
    expect(['T', 'K', 'PD'].map(symbol => listed.has(symbol))).toEqual([true, true, true])
  })
})

describeReal('the SEC’s tickers', () => {
  test('are canonical as they are, but for the two spellings of a right', () => {
    const rows = Object.values(JSON.parse(realText('edgar/tickers/company_tickers.json')) as Record<string, { ticker: string }>)
    const changed = rows
      .filter(({ ticker }) => vendors.sec.read(ticker)?.symbol !== ticker)
      .map(({ ticker }) => [ticker, vendors.sec.read(ticker)?.symbol])
    expect(changed).toEqual([['CELG-RI', 'CELG-RT']])
  })
})

describe('recorded documents', () => {
  test('a document that tells nothing of listings is no reader’s', () => {
    expect(symbolReaders.filter(({ recognise }) => recognise('boc/boc_2024.raw.json', '{"terms":{}}') !== null)).toEqual([])
  })
})
