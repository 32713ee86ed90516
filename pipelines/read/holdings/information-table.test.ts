import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { describeReal, realFolder, realPresent, realText } from '#fixtures/real.ts'
import { type HoldingLine, tableXml } from '#fixtures/world/render/holdings.ts'
import { readInformationTable } from './information-table.ts'
import type { TableRow } from './table-row.ts'

const read = (text: string): TableRow[] => [...readInformationTable('13F x', text)]
const line = (value: string): HoldingLine => ({ issuer: 'A & B <C> INC', title: 'COM', cusip: '037833100', value, shares: '10' })
const sample = tableXml([line('1'), line('22')], 'ns1:')

/** The same rows as read by saxes, the reference. */
function bySaxes(text: string): (string | null)[][] {
  const rows: Map<string, string>[] = []
  let content = ''
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  parser.on('error', error => {
    throw error
  })
  const local = (name: string): string => name.slice(name.indexOf(':') + 1)
  parser.on('opentag', tag => {
    content = ''
    if (local(tag.name) === 'infoTable') rows.push(new Map())
  })
  parser.on('text', part => {
    content += part
  })
  parser.on('cdata', part => {
    content += part
  })
  parser.on('closetag', tag => {
    if (content.trim() !== '') rows.at(-1)?.set(local(tag.name), content.trim())
    content = ''
  })
  parser.write(text.trimStart()).close()
  return rows.map(row =>
    [
      'nameOfIssuer',
      'titleOfClass',
      'cusip',
      'figi',
      'value',
      'sshPrnamt',
      'sshPrnamtType',
      'putCall',
      'investmentDiscretion',
      'otherManager',
      'Sole',
      'Shared',
      'None',
    ].map(name => row.get(name) ?? null),
  )
}
const cells = (row: TableRow): (string | null)[] => [
  row.issuer,
  row.title,
  row.cusip,
  row.figi,
  row.value,
  row.amount,
  row.amountType,
  row.putCall,
  row.discretion,
  row.otherManager,
  row.sole,
  row.shared,
  row.none,
]

/** Processor time of this thread, which does not depend on the load of the machine. */
const cpuMs = (begun: NodeJS.CpuUsage): number => process.threadCpuUsage(begun).user / 1000

describe('the XML information table', () => {
  test('any namespace prefix, none, and a default namespace read alike', () => {
    const rows = ['', 'ns1:', 'n1:', 'ns4:', 'eis:'].map(prefix => read(tableXml([line('1'), line('22')], prefix)).map(cells))
    for (const each of rows) expect(each).toEqual(rows[0])
    expect(rows[0]?.[1]).toEqual(['A & B <C> INC', 'COM', '037833100', null, '22', '10', 'SH', null, 'SOLE', null, '10', '0', '0'])
  })
  test('comments, CDATA, instructions, blank lines in front, attributes with > inside and numbered references', () => {
    const text = `\n\n<?xml version="1.0"?><!-- <infoTable> --><informationTable a="x > y"><?z?><infoTable><nameOfIssuer>Caf&#233; &#x26; <![CDATA[<Sons>]]></nameOfIssuer><value>1<!-- , -->2</value></infoTable></informationTable>\n`
    expect(read(text)[0]).toMatchObject({ issuer: 'Café & <Sons>', value: '12' })
  })
  test('a bare & that software of the time let pass stays; an unknown reference is refused', () => {
    expect(read('<informationTable><infoTable><nameOfIssuer>AT&T INC</nameOfIssuer></infoTable></informationTable>')[0]?.issuer).toBe('AT&T INC')
    expect(() => read('<informationTable><infoTable><nameOfIssuer>A&foo;</nameOfIssuer></infoTable></informationTable>')).toThrow('unknown reference')
  })
  test.each([
    ['cut inside a row', sample.slice(0, 400)],
    ['cut between two rows', `${sample.slice(0, sample.indexOf('</ns1:infoTable>') + 16)}`],
    ['end tags crossed', sample.replace('</ns1:value>', '</ns1:cusip>')],
    ['a second root', `${sample}<informationTable/>`],
    ['text behind the root', `${sample} and more`],
    ['nothing', ''],
    ['an element inside a cell', sample.replace('>COM<', '><b>COM</b><')],
  ])('%s: the table is refused whole, since nobody can tell what is missing', (_what, text) => {
    expect(() => read(text)).toThrow(/13F x: /)
  })
  test('a DOCTYPE and another root are refused by name', () => {
    expect(() => read('<!DOCTYPE a [<!ENTITY b "c">]><informationTable/>')).toThrow('declaration')
    expect(() => read('<edgarSubmission/>')).toThrow('expected <informationTable>')
    expect(() => read(`<informationTable>${'<a>'.repeat(100)}`)).toThrow('64 levels')
  })
  test('an element that stands twice in a row is flagged and the first is kept; an unknown one is flagged', () => {
    const [row] = read('<informationTable><infoTable><value>1</value><value>2</value><extra/></infoTable></informationTable>')
    expect(row).toMatchObject({ value: '1', oddities: ['cell_twice', 'unknown_element'] })
  })
  test('hostile tables of five megabytes cost no more than their length', () => {
    // Compared with the processor time of a quarter: 4 times for work in proportion to the length, 16 for its square.
    const hostile = (length: number): string[] => [
      '<'.repeat(length),
      '<informationTable>'.padEnd(length, ' '),
      `<informationTable>${'<infoTable>'.repeat(length / 12.5)}`,
      `<informationTable a="${'"'.repeat(length)}`,
      `<informationTable><infoTable><value>${'&'.repeat(length)}</value></infoTable></informationTable>`,
      `<informationTable>${'<!--'.repeat(length / 5)}`,
    ]
    const costOf = (text: string): number => {
      const begun = process.threadCpuUsage()
      try {
        read(text)
      } catch {
        // Refused: what counts is how soon.
      }
      return cpuMs(begun)
    }
    const quarters = hostile(1.25e6).map(costOf)
    for (const [at, text] of hostile(5e6).entries()) expect(costOf(text)).toBeLessThan(10 * (quarters[at] ?? 0) + 500)
  })
  test('a character changed, dropped or doubled: refused, or the rows that saxes reads', () => {
    const piece = fc.constantFrom('<', '>', '/', '"', '&amp;', '&', ']]>', '<!--', '-->', ' ', 'a', '<a>', '</a>', '<![CDATA[', '\u0000')
    let taken = 0
    fc.assert(
      fc.property(fc.nat(sample.length), fc.nat(6), fc.array(piece, { maxLength: 2 }), (at, removed, added) => {
        const text = sample.slice(0, at) + added.join('') + sample.slice(at + removed)
        let expected: (string | null)[][]
        try {
          expected = bySaxes(text)
        } catch {
          return // malformed for saxes: ours may be more forgiving about a stray & or control character, never about structure
        }
        let mine: (string | null)[][]
        try {
          mine = read(text).map(cells)
        } catch {
          return // stricter than saxes: an element inside a cell, another root
        }
        taken += 1
        expect(mine.map(row => row[4])).toEqual(expected.map(row => row[4]))
      }),
      { numRuns: 2000, seed: 20260101 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})

describeReal('recorded information tables', () => {
  const names = realPresent ? readdirSync(join(realFolder, 'edgar/form13f')).filter(name => name.includes('table')) : []
  test.each(names)('%s reads as by saxes, cell by cell', name => {
    const text = realText(`edgar/form13f/${name}`)
    expect(read(text).map(cells)).toEqual(bySaxes(text))
  })
})
