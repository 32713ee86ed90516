import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { processorMs } from '#fixtures/processor-time.ts'
import { describeReal, realBytes, realFolder, realPresent } from '#fixtures/real.ts'
import { type HoldingLine, tableXml } from '#fixtures/world/render/holdings.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { readInformationTable } from './information-table.ts'
import { RowShapes } from './row-shapes.ts'
import type { TableRow } from './table-row.ts'

type Outcome = { readonly rows: readonly TableRow[]; readonly error: string | null }
function outcome(text: string, bytes?: Uint8Array): Outcome {
  const rows: TableRow[] = []
  try {
    for (const row of readInformationTable('13F x', text, bytes)) rows.push(row)
    return { rows, error: null }
  } catch (error) {
    return { rows, error: String(error) }
  }
}
/** Compares both ways of reading a document, up to the error if there is one. */
function bothWays(bytes: Uint8Array): Outcome {
  const text = decodeText(bytes)
  const general = outcome(text)
  expect(outcome(text, bytes)).toEqual(general)
  return general
}

const lines = Array.from(
  { length: 8 },
  (_, at): HoldingLine => ({
    issuer: ['AMBER & SONS HOLDINGS INC', 'COBALT CO', "O'NEIL <NEW> PHARMACEUTICALS", '3M CO'][at % 4] as string,
    title: 'COM',
    cusip: ['037833100', '594918104'][at % 2] as string,
    value: String(1000 + at * 7),
    shares: String(10 + (at % 3)),
    discretion: 'SOLE',
    ...(at % 3 === 1 ? { putCall: 'Put' as const } : {}),
    ...(at % 3 === 2 ? { otherManager: '1,2' } : {}),
  }),
)
const plain = tableXml(lines, 'ns1:').replaceAll('><', '>\n      <')
const rowPattern = /<ns1:infoTable>[\s\S]*?<\/ns1:infoTable>/g
const rowCount = lines.length

/** Changes of a row: some are well-formed, some are not. */
const oddities: Readonly<Record<string, (row: string) => string>> = {
  CDATA: row => row.replace(/>COM</, '><![CDATA[C<O>M]]><'),
  'CDATA beside text': row => row.replace(/>COM</, '>C<![CDATA[O]]>M<'),
  'a comment in a cell': row => row.replace(/>COM</, '>CO<!-- <x> -->M<'),
  'a comment between cells': row => row.replace('<ns1:cusip>', '<!-- x --><ns1:cusip>'),
  'a comment between rows': row => `<!-- <ns1:infoTable> -->${row}`,
  'an instruction': row => row.replace('<ns1:cusip>', '<?x y?><ns1:cusip>'),
  'numbered references': row => row.replace(/>COM</, '>C&#79;&#x4d;<'),
  'an unknown reference': row => row.replace(/>COM</, '>C&foo;M<'),
  'an unknown reference outside the cells': row => row.replace('<ns1:cusip>', '&foo;<ns1:cusip>'),
  'a bare sign': row => row.replace(/>COM</, '>C&M<'),
  'another prefix': row => row.replaceAll('ns1:', 'n2:'),
  'no prefix': row => row.replaceAll('ns1:', ''),
  'other letters': row => row.replaceAll('nameOfIssuer', 'NAMEOFISSUER'),
  'line ends of Windows': row => row.replaceAll('\n', '\r\n'),
  'white space in the tags': row => row.replace('<ns1:cusip>', '<ns1:cusip >').replace('</ns1:cusip>', '</ns1:cusip\n>'),
  'white space around a content': row => row.replace(/>COM</, '> \n COM\t<'),
  'white space inside a content': row => row.replace(/>COM</, '>COM  OF\n A LONGER TITLE<'),
  'a blank content': row => row.replace(/>COM</, '>  <'),
  'an empty content': row => row.replace(/>COM</, '><'),
  'an empty tag': row => row.replace('<ns1:titleOfClass>COM</ns1:titleOfClass>', '<ns1:titleOfClass/>'),
  'an attribute': row => row.replace('<ns1:cusip>', '<ns1:cusip a="x > y">'),
  'an attribute of the row': row => row.replace('<ns1:infoTable>', "<ns1:infoTable id='1'>"),
  'a tag that looks empty': row => row.replace('<ns1:cusip>', '<ns1:cusip a="/">'),
  'an element twice': row => row.replace('<ns1:cusip>', '<ns1:cusip>1</ns1:cusip><ns1:cusip>'),
  'an empty element in front of the same': row => row.replace('<ns1:cusip>', '<ns1:cusip/><ns1:cusip>'),
  'an empty element behind the same': row => row.replace('</ns1:cusip>', '</ns1:cusip><ns1:cusip></ns1:cusip>'),
  'an element missing': row => row.replace(/<ns1:value>.*?<\/ns1:value>/, ''),
  'all elements missing': () => '<ns1:infoTable></ns1:infoTable>',
  'an empty row': () => '<ns1:infoTable/>',
  'elements in another order': row => row.replace(/(<ns1:cusip>.*?<\/ns1:cusip>)(\s*)(<ns1:value>.*?<\/ns1:value>)/, '$3$2$1'),
  'an unknown element': row => row.replace('<ns1:cusip>', '<ns1:extra>1</ns1:extra><ns1:cusip>'),
  'a row in a row': row => row.replace('<ns1:cusip>', '<ns1:infoTable></ns1:infoTable><ns1:cusip>'),
  'a row in a group': row => `<ns1:votingAuthority>${row}</ns1:votingAuthority>`,
  'text between the cells': row => row.replace('<ns1:cusip>', 'text<ns1:cusip>'),
  'a control character': row => row.replace(/>COM</, '>C\u0001M<'),
  'an accented letter': row => row.replace(/>COM</, '>CÖM’S<'),
  'an end tag of another element': row => row.replace('</ns1:cusip>', '</ns1:cusib>'),
  'an end tag missing': row => row.replace('</ns1:cusip>', ''),
  'a start tag missing': row => row.replace('<ns1:cusip>', ''),
  'an element in a cell': row => row.replace(/>COM</, '><b>COM</b><'),
  'a declaration': row => `<!ENTITY a "b">${row}`,
  'the end of the root': row => `${row}</ns1:informationTable>`,
}

describe('rows with the markup of earlier rows', () => {
  test('are recognised from the second of their kind on', () => {
    const match = vi.spyOn(RowShapes.prototype, 'match')
    const { rows, error } = bothWays(Buffer.from(plain))
    const found = match.mock.results.filter(({ value }) => value !== null).length
    match.mockRestore()
    expect([rows.length, error]).toEqual([rowCount, null])
    // Three kinds: with an option, with a manager, with neither.
    expect(found).toBe(rowCount - 3)
  })

  test.each(Object.entries(oddities))('%s: in one row, in some and in all, read as without the fast path', (_what, change) => {
    for (const chosen of [[0], [1], [4], [0, 1, 2], [3, 4, 5], [0, 2, 4, 6], [0, 1, 2, 3, 4, 5, 6, 7]]) {
      let at = -1
      const text = plain.replace(rowPattern, row => {
        at += 1
        return chosen.includes(at) ? change(row) : row
      })
      expect(at).toBe(rowCount - 1)
      for (const encoded of [Buffer.from(text), Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`), Buffer.from(`\ufeff${text}`, 'utf16le')])
        bothWays(encoded)
      bothWays(Buffer.from(text.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"'), 'latin1'))
    }
  })

  test('a cell that occurs twice is not read from the markup alone: its value depends on the content of the first', () => {
    const row = (first: string, second: string): string => `<infoTable><cusip>${first}</cusip><cusip>${second}</cusip></infoTable>`
    const text = `<informationTable>${row('', '2')}${row('', '2')}${row('1', '2')}${row(' ', '')}${row('1', '')}</informationTable>`
    const { rows } = bothWays(Buffer.from(text))
    expect(rows.map(({ cusip, oddities }) => [cusip, oddities.length])).toEqual([
      ['2', 0],
      ['2', 0],
      ['1', 1],
      [null, 0],
      ['1', 1],
    ])
  })

  test('the same document cut at any place is refused with the same words', () => {
    for (let end = 0; end < plain.length; end += 3) expect(bothWays(Buffer.from(plain.slice(0, end))).error).toMatch(/13F x: /)
  })

  test('characters changed, dropped, doubled or moved', () => {
    const piece = fc.constantFrom(
      ...'<>/&"\' \n\r\t=a0\u0000\u0085é’',
      ']]>',
      '<!--',
      '-->',
      '<![CDATA[',
      '&amp;',
      '&#49;',
      '<?x?>',
      '</ns1:cusip>',
      '/>',
    )
    let read = 0
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(plain.length), fc.nat(9), fc.array(piece, { maxLength: 2 })), { minLength: 1, maxLength: 3 }),
        fc.constantFrom<BufferEncoding>('utf8', 'latin1'),
        (changes, encoding) => {
          let text = plain
          for (const [at, removed, added] of changes) text = text.slice(0, at) + added.join('') + text.slice(at + removed)
          if (bothWays(Buffer.from(text, encoding)).error === null) read += 1
        },
      ),
      { numRuns: 3000, seed: 20261129 },
    )
    expect(read).toBeGreaterThan(100)
  })

  test('hostile tables cost no more than their length', () => {
    const row = '<infoTable><value>1</value></infoTable>'
    // Compared with the processor time of a quarter: 4 times for work in proportion to the length, 16 for its square.
    const hostile = (length: number): string[] => [
      `<informationTable>${row}<infoTable><value>${'1'.repeat(length)}`,
      `<informationTable>${row}${'<infoTable><value>'.repeat(length / 18)}`,
      `<informationTable>${row}${'<infoTable>'.repeat(20)}${'<value>1</value>'.repeat(length / 16)}`,
      `<informationTable>${row}${`<infoTable>${' '.repeat(900)}<cusip>`.repeat(length / 918)}`,
      `<informationTable>${Array.from({ length: 400 }, (_, at) => row.replace('><', `>${' '.repeat(at)}<`)).join('')}${row.repeat(length / 40)}`,
      `<informationTable>${row}${`${row.replace('1', '&'.repeat(60))}`.repeat(length / 100)}`,
    ]
    const quarters = hostile(1.25e6).map(text => processorMs(() => outcome(text, Buffer.from(text))))
    for (const [at, text] of hostile(5e6).entries())
      expect(processorMs(() => outcome(text, Buffer.from(text)))).toBeLessThan(10 * (quarters[at] ?? 0) + 500)
  })
})

describeReal('recorded information tables', () => {
  const folders = ['edgar/form13f', 'edgar2/form13f']
  const files = realPresent ? folders.flatMap(folder => readdirSync(join(realFolder, folder)).map(name => `${folder}/${name}`)) : []
  test.each(files.filter(path => /table|info/i.test(path)))('%s reads as without the fast path', path => {
    bothWays(realBytes(path))
  })
})
