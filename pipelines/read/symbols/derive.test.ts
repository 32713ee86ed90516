import { describe, expect, test } from 'vitest'
import { datasets } from '#schemas/index.ts'
import type { Directory, Listing, Rename } from '../parsed.ts'
import { type Derived, type DeriveInput, deriveIntervals, type IntervalFacts, instrumentId, type KnownInterval, type Seen } from './derive.ts'
import type { DatedListing } from './document.ts'

const aListing = (symbol: string, name: string, given: Partial<DatedListing> = {}): DatedListing => {
  const exchange = symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US'
  const home = { US: ['XNYS', 'USD'], TO: ['XTSE', 'CAD'], V: ['XTSX', 'CAD'] }[exchange] as [string, string]
  return {
    symbol,
    source_symbol: symbol,
    exchange,
    mic: home[0],
    name,
    issuer: name,
    type: 'common',
    currency: home[1],
    cik: null,
    etf: false,
    ...given,
  }
}
const aDirectory = (date: string, scope: readonly string[], listings: readonly Listing[]): Directory => ({ date, scope, listings })

/** A warehouse in small: what ingest does between two documents. */
function aRecord(source = 'exchange') {
  const rows = new Map<string, KnownInterval>()
  let seen: Seen = []
  const take = (given: Partial<DeriveInput>): Derived => {
    const by = given.source ?? source
    const derived = deriveIntervals([...rows.values()], { source: by, date: '2026-01-02', directories: [], renames: [], seen, ...given })
    for (const row of derived.rows) {
      expect(datasets.symbols.facts.safeParse(row).error).toBeUndefined()
      rows.set(`${row.symbol} ${row.valid_from}`, { ...row, source: by })
    }
    seen = derived.seen
    return derived
  }
  return {
    take,
    list: (date: string, scope: readonly string[], ...listings: readonly Listing[]): Derived =>
      take({ directories: [aDirectory(date, scope, listings)] }),
    rename: (...renames: readonly Rename[]): Derived => take({ renames }),
    of: (symbol: string): IntervalFacts[] =>
      [...rows.values()].filter(row => row.symbol === symbol).sort((a, b) => (a.valid_from < b.valid_from ? -1 : 1)),
    forgetSeen: () => {
      seen = []
    },
  }
}
const abacus = aListing('ABC', 'Abacus Ore Ltd.')
const bravo = aListing('BRV', 'Bravo Widgets Inc.')

describe('listings from one day to the next', () => {
  test('a new listing begins an instrument; what is still there writes nothing', () => {
    const record = aRecord()
    expect(record.list('2024-03-04', ['XNYS'], abacus, bravo).rows).toHaveLength(2)
    expect(record.of('ABC')[0]).toMatchObject({ instrument_id: instrumentId('US', 'ABC', '2024-03-04'), valid_from: '2024-03-04', valid_to: null })
    expect(record.of('ABC')[0]?.instrument_id).toMatch(/^i_[0-9a-f]{16}$/)
    expect(record.list('2024-03-05', ['XNYS'], abacus, bravo).rows).toEqual([])
  })
  test('one that vanished ends on the last day that showed it', () => {
    const record = aRecord()
    for (const date of ['2024-03-04', '2024-03-05', '2024-03-06']) record.list(date, ['XNYS'], abacus, bravo)
    expect(record.list('2024-03-08', ['XNYS'], bravo).rows).toHaveLength(1)
    expect(record.of('ABC')[0]).toMatchObject({ valid_to: '2024-03-06', end_reason: 'delisted', successor: null })
  })
  test('where something unlike it came the same day, why it went is unknown', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], abacus, bravo)
    const { counts, candidates } = record.list('2024-03-05', ['XNYS'], bravo, aListing('NEW', 'Newcomer Corp.'))
    expect(record.of('ABC')[0]).toMatchObject({ valid_to: '2024-03-04', end_reason: 'unknown' })
    expect([counts['ended_unknown'], candidates]).toEqual([1, []])
  })
  test('without the sightings of before, the days of the intervals stand in for them', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], abacus, bravo)
    record.list('2024-03-05', ['XNYS'], abacus, bravo, aListing('CHR', 'Charlie Corp.'))
    record.forgetSeen()
    record.list('2024-03-06', ['XNYS'], bravo, aListing('CHR', 'Charlie Corp.'))
    expect(record.of('ABC')[0]?.valid_to).toBe('2024-03-05')
  })
  test('a list of one venue ends nothing on another', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], abacus)
    record.list('2024-03-05', ['XNAS'], aListing('NDQ', 'Nasdaq Thing Inc.', { mic: 'XNAS' }))
    record.list('2024-03-05', ['TO'], aListing('ABC.TO', 'Abacus Ore Ltd.'))
    expect(record.of('ABC')[0]?.valid_to).toBeNull()
  })
  test('the same listing in three files of a day stands once', () => {
    const record = aRecord()
    const ndq = aListing('NDQ', 'Nasdaq Thing Inc.', { mic: 'XNAS' })
    const { rows } = record.take({
      directories: [
        aDirectory('2024-03-04', ['XNAS'], [ndq]),
        aDirectory('2024-03-04', ['XNYS'], [abacus]),
        aDirectory('2024-03-04', ['XNYS', 'XNAS'], [ndq, abacus]),
      ],
    })
    expect(rows.map(({ symbol }) => symbol)).toEqual(['ABC', 'NDQ'])
    expect(record.list('2024-03-04', ['XNYS', 'XNAS'], ndq, abacus).rows).toEqual([])
  })
  test('a second list of the same day adds and ends nothing', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], abacus)
    record.list('2024-03-05', ['XNYS'], abacus, bravo)
    record.list('2024-03-05', ['XNYS'], abacus, aListing('CHR', 'Charlie Corp.'))
    expect(record.of('BRV')[0]?.valid_to).toBeNull()
    expect(record.of('CHR')).toHaveLength(1)
  })
  test('an older list ends nothing, renames nothing, and shows what was there before', () => {
    const record = aRecord()
    record.list('2024-03-05', ['XNYS'], abacus, bravo)
    record.list('2024-03-06', ['XNYS'], bravo)
    const { rows } = record.list('2024-03-01', ['XNYS'], aListing('ABC', 'Abacus Ore (old name)'), aListing('GON', 'Gone Before Inc.'))
    expect(rows).toHaveLength(1)
    expect(record.of('GON')).toMatchObject([{ valid_from: '2024-03-01', valid_to: '2024-03-01', end_reason: 'unknown' }])
    expect(record.of('BRV')[0]?.valid_to).toBeNull()
    expect(record.of('ABC')).toHaveLength(1)
  })
  test('a new name under the same symbol is a new version of the same row', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], abacus)
    record.list('2024-03-05', ['XNYS'], aListing('ABC', 'Completely Otherwise Holdings'))
    expect(record.of('ABC')).toMatchObject([
      { instrument_id: instrumentId('US', 'ABC', '2024-03-04'), name: 'Completely Otherwise Holdings', valid_to: null },
    ])
  })
  test('a symbol that fell through a hole in a list goes on as it was', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], abacus, bravo)
    record.list('2024-03-05', ['XNYS'], bravo)
    expect(record.list('2024-03-06', ['XNYS'], abacus, bravo).counts['reopened']).toBe(1)
    expect(record.of('ABC')).toMatchObject([{ valid_from: '2024-03-04', valid_to: null, end_reason: null }])
  })
  test('a move from NYSE to Nasdaq keeps the row, whichever file comes first', () => {
    const moved = aListing('ABC', 'Abacus Ore Ltd.', { mic: 'XNAS' })
    const ndq = aListing('NDQ', 'Nasdaq Thing Inc.', { mic: 'XNAS' })
    for (const order of [0, 1]) {
      const record = aRecord()
      record.list('2024-03-04', ['XNYS'], abacus, bravo)
      record.list('2024-03-04', ['XNAS'], ndq)
      const files = [() => record.list('2024-03-05', ['XNYS'], bravo), () => record.list('2024-03-05', ['XNAS'], ndq, moved)]
      for (const file of order === 0 ? files : files.toReversed()) file()
      expect(record.of('ABC')).toMatchObject([{ mic: 'XNAS', valid_from: '2024-03-04', valid_to: null }])
    }
  })
})

describe('renames', () => {
  test('one that went and one that came under the same name are one instrument', () => {
    const record = aRecord()
    record.list('2024-03-04', ['TO'], aListing('PSC.TO', 'Primary Silver Corp.'), aListing('OTH.TO', 'Other Ltd.'))
    const { counts } = record.list('2024-03-05', ['TO'], aListing('AGX.TO', 'Primary Silver Corporation'), aListing('OTH.TO', 'Other Ltd.'))
    expect(record.of('PSC.TO')[0]).toMatchObject({ valid_to: '2024-03-04', end_reason: 'renamed', successor: 'AGX.TO' })
    expect(record.of('AGX.TO')[0]).toMatchObject({
      instrument_id: instrumentId('TO', 'PSC.TO', '2024-03-04'),
      predecessor: 'PSC.TO',
      valid_from: '2024-03-05',
    })
    expect(counts).toMatchObject({ renamed: 1 })
  })
  test('two of one issuer that went at once pair by their class marks, or not at all', () => {
    const record = aRecord()
    const issuer = { issuer: 'Classic Paper Ltd.' }
    record.list(
      '2024-03-04',
      ['TO'],
      aListing('OLD-A.TO', 'Classic Cl A', issuer),
      aListing('OLD-B.TO', 'Classic Cl B', issuer),
      aListing('TWO.TO', 'Twin', { issuer: 'Twin Ltd.' }),
    )
    record.list(
      '2024-03-05',
      ['TO'],
      aListing('NEW-A.TO', 'Klassic Cl A', issuer),
      aListing('NEW-B.TO', 'Klassic Cl B', issuer),
      aListing('T1.TO', 'Twin', { issuer: 'Twin Ltd.' }),
      aListing('T2.TO', 'Twin', { issuer: 'Twin Ltd.' }),
    )
    expect(record.of('OLD-A.TO')[0]?.successor).toBe('NEW-A.TO')
    expect(record.of('OLD-B.TO')[0]?.successor).toBe('NEW-B.TO')
    expect(record.of('TWO.TO')[0]).toMatchObject({ end_reason: 'unknown', successor: null })
  })
  test('a name that another listing still wears joins nothing', () => {
    const record = aRecord()
    const stays = aListing('STY', 'Placeholder Industries Inc.')
    record.list('2024-03-04', ['XNYS'], stays, aListing('OLD', 'Placeholder Industries Inc.'))
    record.list('2024-03-05', ['XNYS'], stays, aListing('NEW', 'Placeholder Industries Inc.'))
    expect(record.of('OLD')[0]).toMatchObject({ end_reason: 'unknown', successor: null })
  })
  test('a name that only resembles the other makes a candidate, no rename', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], aListing('WHT', 'Wheatland Silver Corp.'))
    const { candidates } = record.list('2024-03-05', ['XNYS'], aListing('WPM', 'Wheatland Precious Metals Corp.'))
    expect(candidates).toEqual([{ exchange: 'US', from: 'WHT', to: 'WPM', date: '2024-03-05', evidence: 'both names hold "WHEATLAND"' }])
    expect(record.of('WHT')[0]).toMatchObject({ end_reason: 'unknown', successor: null })
  })
  test('the same CIK is evidence whatever the names, and another CIK forbids what the names say', () => {
    const record = aRecord()
    record.list(
      '2024-03-04',
      ['XNYS'],
      aListing('OLD', 'Old Name Inc.', { cik: '0000000001' }),
      aListing('DUP', 'Double Inc.', { cik: '0000000002' }),
    )
    record.list(
      '2024-03-05',
      ['XNYS'],
      aListing('NEW', 'Wholly New Corp.', { cik: '0000000001' }),
      aListing('DBL', 'Double Inc.', { cik: '0000000003' }),
    )
    expect(record.of('OLD')[0]?.successor).toBe('NEW')
    expect(record.of('DUP')[0]?.successor).toBeNull()
  })
  test('a capital pool that sheds its .P is the same instrument, also under a new name', () => {
    const record = aRecord()
    record.list('2024-03-04', ['V'], aListing('POOL-P.V', 'Pool Nine Capital Corp.', { type: 'capital_pool' }))
    record.list('2024-03-05', ['V'], aListing('POOL.V', 'Kelp Farms Ltd.'))
    expect(record.of('POOL-P.V')[0]).toMatchObject({ end_reason: 'renamed', successor: 'POOL.V' })
  })
  test('an issuer that graduates to the TSX moves with its instrument, in one document or in two of either order', () => {
    const before = aListing('GRD.V', 'Graduate Mines Inc.')
    const after = aListing('GRD.TO', 'Graduate Mines J', { issuer: 'Graduate Mines Inc.' })
    const [oldTo, oldV] = [aListing('BIG.TO', 'Big Board Ltd.'), aListing('SML.V', 'Small Board Ltd.')]
    const days: readonly (readonly (readonly [string, readonly Listing[]])[])[] = [
      [
        ['TO', [oldTo, after]],
        ['V', [oldV]],
      ],
      [
        ['V', [oldV]],
        ['TO', [oldTo, after]],
      ],
    ]
    for (const apart of [false, true]) {
      for (const day of days) {
        const record = aRecord()
        record.list('2024-03-04', ['TO'], oldTo)
        record.list('2024-03-04', ['V'], oldV, before)
        const directories = day.map(([scope, listings]) => aDirectory('2024-03-05', [scope], listings))
        if (apart) for (const directory of directories) record.take({ directories: [directory] })
        else record.take({ directories })
        expect(record.of('GRD.V')[0]).toMatchObject({ valid_to: '2024-03-04', end_reason: 'moved', successor: 'GRD.TO' })
        expect(record.of('GRD.TO')[0]).toMatchObject({ instrument_id: instrumentId('V', 'GRD.V', '2024-03-04'), predecessor: 'GRD.V' })
      }
    }
  })
  test('a stated rename ends the old symbol on the session before and carries the instrument on', () => {
    const record = aRecord()
    record.list('2024-05-31', ['XNYS'], aListing('OLD', 'Old Name Inc.'))
    const rename: Rename = { exchange: 'US', from: 'OLD', to: 'NEW', date: '2024-06-10', name: 'New Name Inc.' }
    expect(record.rename(rename).rows).toHaveLength(2)
    expect(record.of('OLD')[0]).toMatchObject({ valid_to: '2024-06-07', end_reason: 'renamed', successor: 'NEW' })
    expect(record.of('NEW')[0]).toMatchObject({
      valid_from: '2024-06-10',
      name: 'New Name Inc.',
      predecessor: 'OLD',
      instrument_id: record.of('OLD')[0]?.instrument_id,
    })
    expect(record.rename(rename)).toMatchObject({ rows: [], counts: { known_renames: 1 } })
    expect(record.list('2024-06-11', ['XNYS'], aListing('NEW', 'New Name Inc.')).counts).toEqual({ described_anew: 1 })
    expect(record.list('2024-06-12', ['XNYS'], aListing('NEW', 'New Name Inc.')).rows).toEqual([])
  })
  test('a stated rename explains what two directories had left open', () => {
    const record = aRecord()
    record.list('2024-06-07', ['XNYS'], aListing('OLD', 'Old Name Inc.'))
    record.list('2024-06-10', ['XNYS'], aListing('NEW', 'Entirely Fresh Corp.'))
    expect(record.of('OLD')[0]?.end_reason).toBe('unknown')
    record.rename({ exchange: 'US', from: 'OLD', to: 'NEW', date: '2024-06-10', name: null })
    expect(record.of('OLD')[0]).toMatchObject({ valid_to: '2024-06-07', end_reason: 'renamed', successor: 'NEW' })
    expect(record.of('NEW')[0]?.instrument_id).toBe(record.of('OLD')[0]?.instrument_id)
  })
  test('a chain of renames keeps one instrument from first to last', () => {
    const record = aRecord()
    record.list('2024-01-02', ['XNYS'], aListing('ONE', 'Chain Inc.'))
    record.rename(
      { exchange: 'US', from: 'TWO', to: 'THREE', date: '2024-03-01', name: null },
      { exchange: 'US', from: 'ONE', to: 'TWO', date: '2024-02-01', name: null },
    )
    const ids = ['ONE', 'TWO', 'THREE'].map(symbol => record.of(symbol)[0]?.instrument_id)
    expect(new Set(ids).size).toBe(1)
    expect(record.of('TWO')[0]).toMatchObject({ valid_from: '2024-02-01', valid_to: '2024-02-29', predecessor: 'ONE', successor: 'THREE' })
  })
  test('of an old symbol that nothing else knows one day is certain', () => {
    const record = aRecord()
    record.list('2024-01-02', ['XNAS'], aListing('META', 'Metal Platforms, Inc.', { mic: 'XNAS' }))
    record.rename({ exchange: 'US', from: 'FB', to: 'META', date: '2022-06-09', name: null })
    expect(record.of('FB')).toMatchObject([{ valid_from: '2022-06-08', valid_to: '2022-06-08', end_reason: 'renamed', successor: 'META' }])
    expect(record.of('META')).toMatchObject([{ valid_from: '2024-01-02', predecessor: 'FB' }])
  })
  test('a rename announced for later waits; one onto a symbol that was listed long before is refused', () => {
    const record = aRecord()
    record.list('2024-01-02', ['XNYS'], abacus, bravo)
    const rename: Rename = { exchange: 'US', from: 'ABC', to: 'NEW', date: '2024-06-10', name: null }
    expect(record.take({ renames: [rename], date: '2024-06-03' })).toMatchObject({ rows: [], counts: { pending_renames: 1 } })
    expect(record.rename({ ...rename, to: 'BRV' })).toMatchObject({ rows: [], refused: [{ reason: 'rename_to_listed_symbol', subject: 'ABC' }] })
  })
})

describe("the operator's own renames that cannot be applied", () => {
  const rename: Rename = { exchange: 'US', from: 'OLD', to: 'NEW', date: '2024-06-10', name: null }
  const own = { renames: [rename], refuse_unapplied: true, source: 'csv' }
  test('are refused with what is known, and are applied once a list has the symbol; those of a vendor are counted only', () => {
    const record = aRecord()
    const { refused, counts } = record.take(own)
    expect(refused).toMatchObject([{ dataset: 'symbols', reason: 'rename_of_unknown_symbol', subject: 'OLD', record: rename }])
    expect(refused[0]?.detail).toBe(
      'OLD to NEW on 2024-06-10: neither symbol is in any list; load a list of symbols (a file symbols*.csv) with OLD, a first_date before 2024-06-10 and the last_date 2024-06-09, or with NEW; then release this finding',
    )
    expect(counts['renames_of_unknown_symbols']).toBe(1)
    expect(record.rename(rename)).toMatchObject({ refused: [], counts: { renames_of_unknown_symbols: 1 } })
    record.list('2024-06-03', ['XNYS'], aListing('OLD', 'Old Mines Inc.'))
    expect(record.take(own)).toMatchObject({ refused: [], counts: { renamed: 1 } })
    expect(record.of('NEW')[0]).toMatchObject({ predecessor: 'OLD' })
  })
  test('name the days on which the symbols are known', () => {
    const record = aRecord()
    record.list('2024-07-01', ['XNYS'], aListing('OLD', 'Old Mines Inc.'))
    expect(record.take(own).refused[0]?.detail).toContain('the days do not match: OLD is known from 2024-07-01 to now; load a list')
    // The list that the text asks for.
    record.list('2026-01-02', [], { ...aListing('OLD', 'Old Mines Inc.'), first_date: '2024-01-02', last_date: '2024-06-09' } as DatedListing)
    expect(record.take(own)).toMatchObject({ refused: [], counts: { renamed: 1 } })
    expect(record.of('OLD')[0]).toMatchObject({ valid_from: '2024-01-02', end_reason: 'renamed', successor: 'NEW' })
  })
  test('of a later day are refused too: the file is not read again by itself', () => {
    const record = aRecord()
    record.list('2024-01-02', ['XNYS'], aListing('OLD', 'Old Mines Inc.'))
    const { refused } = record.take({ ...own, date: '2024-06-03' })
    expect(refused).toMatchObject([{ reason: 'rename_of_later_day', subject: 'OLD' }])
    expect(refused[0]?.detail).toContain('the file was read on 2024-06-03; put the row into a new file renames*.csv on 2024-06-10 or later')
  })
})

describe('symbols that are used again', () => {
  test('a symbol that comes back for another company names another instrument', () => {
    const record = aRecord()
    record.list('2020-03-02', ['XNYS'], abacus, bravo)
    record.list('2020-03-03', ['XNYS'], bravo)
    record.list('2024-03-05', ['XNYS'], bravo, aListing('ABC', 'Zeppelin Travel plc'))
    const [before, after] = record.of('ABC')
    expect(before).toMatchObject({ valid_to: '2020-03-02', name: 'Abacus Ore Ltd.' })
    expect(after).toMatchObject({ valid_from: '2024-03-05', name: 'Zeppelin Travel plc', predecessor: null })
    expect(after?.instrument_id).not.toBe(before?.instrument_id)
  })
  test('one that complete lists did not show for months is another where its name is another', () => {
    const record = aRecord()
    record.list('2025-05-30', ['XTSX'], aListing('MPT.V', 'Maritime Potash Inc.', { exchange: 'V', mic: 'XTSX', currency: 'CAD' }))
    record.list('2025-06-02', ['XTSX'], aListing('KCX.V', 'Kettle Creek Ltd.', { exchange: 'V', mic: 'XTSX', currency: 'CAD' }))
    record.list('2026-03-16', ['XTSX'], aListing('MPT.V', 'Mountain Pine Therapeutics Ltd.', { exchange: 'V', mic: 'XTSX', currency: 'CAD' }))
    const [before, after] = record.of('MPT.V')
    expect(after?.instrument_id).not.toBe(before?.instrument_id)
    expect(before).toMatchObject({ valid_to: '2025-05-30', successor: null })
  })
  test('one that comes back under its own name is the same instrument, listed again', () => {
    const record = aRecord()
    record.list('2020-03-02', ['XNYS'], abacus, bravo)
    record.list('2020-03-03', ['XNYS'], bravo)
    record.list('2024-03-05', ['XNYS'], bravo, aListing('ABC', 'ABACUS ORE LIMITED'))
    const [before, after] = record.of('ABC')
    expect(after).toMatchObject({ valid_from: '2024-03-05', instrument_id: before?.instrument_id })
  })
  test('another CIK under a symbol that never left is another instrument', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], aListing('ABC', 'Abacus Inc.', { cik: '0000000001' }))
    record.list('2024-03-05', ['XNYS'], aListing('ABC', 'Abacus Inc.', { cik: '0000000002' }))
    const [before, after] = record.of('ABC')
    expect(before).toMatchObject({ valid_to: '2024-03-04', end_reason: 'unknown' })
    expect(after?.instrument_id).not.toBe(before?.instrument_id)
  })
  test('a class A that hands its symbol to the class C goes on under its new one', () => {
    const record = aRecord()
    const issuer = { issuer: 'Undertow Inc.' }
    record.list(
      '2016-12-06',
      ['XNYS'],
      aListing('UT', 'Undertow Inc. Class A Common Stock', issuer),
      aListing('UT-C', 'Undertow Inc. Class C Common Stock', issuer),
    )
    record.list(
      '2016-12-07',
      ['XNYS'],
      aListing('UTA', 'Undertow Inc. Class A Common Stock', issuer),
      aListing('UT', 'Undertow Inc. Class C Common Stock', issuer),
    )
    expect(record.of('UT')).toMatchObject([{ successor: 'UTA', end_reason: 'renamed', valid_to: '2016-12-06' }, { valid_from: '2016-12-07' }])
    expect(record.of('UTA')[0]?.instrument_id).toBe(record.of('UT')[0]?.instrument_id)
    expect(record.of('UT')[1]?.instrument_id).not.toBe(record.of('UT')[0]?.instrument_id)
  })
})

describe('several sources of one venue', () => {
  test('a source that spells a name otherwise, or lacks a symbol that another showed this week, changes nothing', () => {
    const record = aRecord('nasdaqtrader')
    record.list('2024-03-04', ['XNYS'], abacus, bravo)
    const { rows, counts } = record.take({ source: 'eodhd', directories: [aDirectory('2024-03-05', ['US'], [aListing('ABC', 'Abacus Ore')])] })
    expect([rows, counts]).toEqual([[], { known: 1, disputed: 1 }])
    record.list('2024-03-06', ['XNYS'], abacus, bravo)
    record.take({ source: 'eodhd', directories: [aDirectory('2024-06-05', ['US'], [aListing('ABC', 'Abacus Ore')])] })
    expect(record.of('BRV')[0]).toMatchObject({ valid_to: '2024-03-06' })
  })
  test('a CIK that one source knows is taken over, and no list without CIKs removes it', () => {
    const record = aRecord('nasdaqtrader')
    record.list('2024-03-04', ['XNYS'], abacus)
    record.take({ source: 'polygon', directories: [aDirectory('2024-03-05', [], [aListing('ABC', 'Abacus', { cik: '0000000009' })])] })
    record.list('2024-03-06', ['XNYS'], abacus)
    expect(record.of('ABC')[0]).toMatchObject({ cik: '0000000009', name: 'Abacus Ore Ltd.' })
  })
  test('a list with days of prices adds what was listed before and leaves alone what is known', () => {
    const record = aRecord('nasdaqtrader')
    record.list('2019-10-17', ['XNYS'], abacus)
    const dated = (symbol: string, first: string, last: string): DatedListing =>
      aListing(symbol, '', { first_date: first, last_date: last, issuer: null })
    const listings = [dated('ABC', '1999-01-04', '2019-10-18'), dated('REU', '1995-01-03', '2001-06-29'), dated('REU', '2015-01-05', '2019-10-18')]
    record.take({ source: 'tiingo', directories: [aDirectory('2019-10-18', [], listings)] })
    expect(record.of('ABC')).toHaveLength(1)
    expect(record.of('REU')).toMatchObject([
      { valid_from: '1995-01-03', valid_to: '2001-06-29', end_reason: 'unknown' },
      { valid_from: '2015-01-05', valid_to: null },
    ])
    const [old, now] = record.of('REU')
    expect(old?.instrument_id).not.toBe(now?.instrument_id)
    record.take({ source: 'tiingo', directories: [aDirectory('2024-03-05', [], [dated('REU', '2015-01-05', '2023-08-01')])] })
    expect(record.of('REU')[1]).toMatchObject({ valid_to: '2023-08-01' })
  })
})

describe('damaged lists', () => {
  const many = Array.from({ length: 50 }, (_, index) => aListing(`S${index}`, `Company number ${index}`))
  test('one that lost more than a fifth is refused as a whole, and the next whole one counts again', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], ...many)
    const { rows, refused } = record.list('2024-03-05', ['XNYS'], ...many.slice(0, 39))
    expect([rows, refused]).toMatchObject([[], [{ reason: 'directory_shrank', subject: 'exchange XNYS 2024-03-05' }]])
    expect(refused[0]?.detail).toBe('exchange XNYS 2024-03-05: 39 listings after 50 on 2024-03-04, limit 40')
    expect(record.list('2024-03-06', ['XNYS'], ...many).rows).toEqual([])
  })
  test('an operator can say that it is right', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], ...many)
    const directories = [aDirectory('2024-03-05', ['XNYS'], many.slice(0, 39))]
    expect(record.take({ directories, accept_shrunk: new Set(['exchange XNYS 2024-03-04']) }).rows).toEqual([])
    expect(record.take({ directories, accept_shrunk: new Set(['exchange XNYS 2024-03-05']) }).rows).toHaveLength(11)
  })
  test('one that lost a fifth is believed', () => {
    const record = aRecord()
    record.list('2024-03-04', ['XNYS'], ...many)
    expect(record.list('2024-03-05', ['XNYS'], ...many.slice(0, 40)).rows).toHaveLength(10)
  })
})

test('51,000 listings, then a day with renames among them, give exactly the rows that changed', () => {
  const record = aRecord()
  const listings = Array.from({ length: 51_000 }, (_, index) =>
    aListing(`Q${index.toString(36).toUpperCase()}`, `Enterprise ${index} Incorporated`, { mic: null }),
  )
  expect(record.list('2024-03-04', ['US'], ...listings).rows).toHaveLength(51_000)
  const renamed = listings.map((listing, index) => (index % 5100 === 0 ? { ...listing, symbol: `Z${index}` } : listing))
  const { rows, counts } = record.list('2024-03-05', ['US'], ...renamed)
  expect([rows.length, counts['renamed']]).toEqual([20, 10])
})
