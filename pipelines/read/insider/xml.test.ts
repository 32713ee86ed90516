import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeReal, realFolder, realPresent, realText } from '#fixtures/real.ts'
import { child, type Element, parseAnyXml, parseXml, textOf } from '../xml/xml.ts'
import { parsePlainXml } from '../xml/xml-plain.ts'

/** The parts of an element that the form's parser uses. */
const seen = (element: Element): unknown => [element.name, element.id, element.text.replace(/\s+/g, ' ').trim(), element.children.map(seen)]

/** If the plain reader accepts a document, saxes must accept it too and give the same result. */
function checkAgainstSaxes(text: string): boolean {
  const plain = parsePlainXml(text)
  if (plain === null) return false
  expect(seen(plain)).toEqual(seen(parseAnyXml('document', text)))
  return true
}

const sample = `<?xml version="1.0" encoding="UTF-8"?>
<ownershipDocument>
  <issuer><issuerName>Café &amp; Sons &lt;Ltd&gt;</issuerName><rptOwnerStreet2/></issuer>
  <nonDerivativeTable ><nonDerivativeTransaction><transactionShares><value>1,000</value><footnoteId id="F1" /></transactionShares></nonDerivativeTransaction></nonDerivativeTable>
  <footnotes><footnote id="F1">It's "one" two\r\n three.</footnote></footnotes>
</ownershipDocument>
`

describe('XML of a form', () => {
  test('the plain reader takes an ordinary document', () => {
    expect(checkAgainstSaxes(sample)).toBe(true)
    expect(textOf(child(child(parseXml('x', sample), 'issuer'), 'issuerName'))).toBe('Café & Sons <Ltd>')
  })

  test('comments, CDATA, other attributes, instructions and numbered references go to saxes', () => {
    for (const part of [
      '<!-- a --><b>1</b>',
      '<b><![CDATA[<1>]]></b>',
      '<b c="d">1</b>',
      '<?x y?><b>1</b>',
      '<b>&#49;</b>',
      '<b>&amp;&#49;</b>',
      "<b id='F1'>1</b>",
      '<x:b>1</x:b>',
    ]) {
      const text = `<a>${part}</a>`
      expect(parsePlainXml(text)).toBeNull()
      expect(parseXml('x', text).children[0]?.name).toBe('b')
    }
  })

  test('a character whose lower byte is that of a mark is text', () => {
    // U+013C, U+0126, U+0220 and U+0A3E end in the bytes of <, &, space and >.
    const text = '<a><b>ļbļ/aļĦȠ\u0a3e</b><cļ/></a>'.replace('<cļ/>', '<c>ļ</c>')
    expect(checkAgainstSaxes(text)).toBe(true)
    expect(parsePlainXml('<a><bļ/></a>')).toBeNull()
    expect(parsePlainXml('<a>\ue000</a>')).toBeNull()
  })

  test('a document behind a longer one reads as it does alone, cut at any place', () => {
    for (let end = 0; end <= sample.length; end += 1) {
      parsePlainXml(sample)
      checkAgainstSaxes(sample.slice(0, end))
      expect(parsePlainXml(sample.slice(0, end)) === null).toBe(end < sample.trimEnd().length)
    }
  })

  test('a document of two megabytes', () => {
    const text = `<a>${'<b>  <c>x</c>\n    </b>'.repeat(90_000)}</a>`
    expect(parsePlainXml(text)?.children.length).toBe(90_000)
    expect(parsePlainXml(sample)?.children.length).toBe(3)
  })

  test('a document that is not well-formed is refused with its place', () => {
    for (const text of [
      '',
      'text',
      '<a>',
      '<a></b>',
      '<a/><b/>',
      '<a>&nbsp;</a>',
      '<a>]]></a>',
      '<a>\u0001</a>',
      '<a id="1" id="2"/>',
      '<a>1 < 2</a>',
      '<a',
      '<a id="1/>',
    ]) {
      expect(() => parseXml('form4 x', text)).toThrow(/form4 x: /)
    }
  })

  test('a DOCTYPE, an entity bomb, a tower of elements and 32 MiB are refused', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>'
    expect(() => parseXml('x', bomb)).toThrow('DOCTYPE')
    expect(() => parseXml('x', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>')).toThrow('DOCTYPE')
    expect(() => parseXml('x', `${'<a>'.repeat(300)}${'</a>'.repeat(300)}`)).toThrow('256 levels')
    expect(() => parseXml('x', `<a>${' '.repeat(33 * 1024 * 1024)}</a>`)).toThrow('limit')
    expect(() => parseXml('x', '<a>'.repeat(100_000))).toThrow('256 levels')
  })

  test('whatever the plain reader takes, saxes takes and sees the same: a character changed, dropped, doubled or moved', () => {
    const piece = fc.constantFrom(
      ...'<>/&;"\' \na=\u0000\u0085\uFFFE\uD800',
      ']]>',
      '<!--',
      '-->',
      '<![CDATA[',
      '&amp;',
      '&lt',
      'id="F1"',
      '<a>',
      '</a>',
      '<?x?>',
    )
    let taken = 0
    fc.assert(
      fc.property(fc.nat(sample.length), fc.nat(12), fc.array(piece, { maxLength: 3 }), (at, removed, added) => {
        if (checkAgainstSaxes(sample.slice(0, at) + added.join('') + sample.slice(at + removed))) taken += 1
      }),
      { numRuns: 4000, seed: 20260101 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})

describeReal('recorded ownership XML', () => {
  const names = realPresent ? readdirSync(join(realFolder, 'edgar/form345')).filter(name => name.endsWith('.xml')) : ['none recorded']
  test.each(names)('%s takes the plain way and reads as by saxes', name => {
    expect(checkAgainstSaxes(realText(`edgar/form345/${name}`))).toBe(true)
  })
})
