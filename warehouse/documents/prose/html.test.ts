import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockAt, countWords, type Prose, readProse, wordsOf } from './prose.ts'

const shown = (html: string): string => readProse(`<html><body>${html}</body></html>`).text
const blocks = (prose: Prose): string[] => prose.blocks.map(block => prose.text.slice(block.start, block.end))

describe('visible text of HTML', () => {
  test('block tags separate, inline tags join what they touch', () => {
    expect(shown('<p>Item 1A.<b>Risk</b> Factors</p><div>Next</div>')).toBe('Item 1A.Risk Factors\nNext')
    expect(shown('<span>R</span><span>ISK</span>\n<span>F</span><span>ACTORS</span>')).toBe('RISK FACTORS')
    expect(shown('one<br>two<br/>three<hr>four')).toBe('one\ntwo\nthree\nfour')
  })
  test('cells of a row stand on one line, whatever stands in them', () => {
    expect(shown('<table><tr><td>Item 1A.</td><td> Risk Factors </td><td></td><td>15</td></tr><tr><td>Item 1B.</td></tr></table>after')).toBe(
      'Item 1A.\tRisk Factors\t15\nItem 1B.\nafter',
    )
    expect(shown('<table><tr><td><p>a</p></td><td><p>b</p><p>c</p></td></tr></table>')).toBe('a\tb\nc')
  })
  test('blanks of any kind are one blank, what has no width is nothing', () => {
    expect(shown('<p>a&nbsp;&nbsp; b\u2003c\n\td&#8203;e&shy;f</p>')).toBe('a b c def')
    expect(shown('<p>&nbsp;</p><p>x</p>')).toBe('x')
  })
  test('comments, scripts, styles, the title, the hidden XBRL header and display:none are not shown', () => {
    expect(
      shown(
        '<!-- no --><script>if (a < b) no()</script><style>p { no }</style><ix:header><ix:hidden>no</ix:hidden></ix:header><div style="DISPLAY: none">no<p>no</p></div>yes',
      ),
    ).toBe('yes')
    expect(readProse('<html><head><title>no</title><meta name="x"><p>yes</p></html>').text).toBe('yes')
  })
  test('a head that is never closed does not hide the page', () => {
    expect(readProse('<html><head><title>no</title><body><p>yes</p>').text).toBe('yes')
  })
  test('character references are decoded once, Windows numbers as browsers do', () => {
    expect(shown('<p>R&amp;D &lt;5% &amp;lt; &#146;s &#x2019; &eacute;</p>')).toBe('R&D <5% &lt; ’s ’ é')
  })
  test('a bare < or & is text', () => {
    expect(shown('<p>p < 0.05 & q <3 R&D</p>')).toBe('p < 0.05 & q <3 R&D')
  })
  test('lines of <pre> are lines', () => {
    expect(shown('<pre>one\n  two\n\nthree</pre>')).toBe('one\ntwo\nthree')
  })
  test('a quoted > does not end a tag, an unclosed quote does not swallow the page', () => {
    expect(shown('<p title="a > b">text</p>')).toBe('text')
    expect(shown('<p title="a>text</p><p>more</p>')).toContain('more')
  })
  test.each([
    ['a comment that is never closed', 'one<!-- Page 12 -><p>two</p>'],
    ['a comment that only the next one closes', 'one<!-- Page 12 ><p>two</p><!-- Page 13 -->'],
    ['a title that is never closed', '<title>one<p>two</p>'],
    ['a style that is never closed', 'one<style>p { no }<p>two</p>'],
    ['a script that is never closed', 'one<script>no()<p>two</p>'],
    ['a hidden element that is never closed', 'one<div style="display:none"><ix:header>no</ix:header><p>two</p>'],
    ['a hidden header that is never closed', 'one<ix:header><p>two</p>'],
  ])('%s does not hide the page', (_, html) => {
    for (const end of ['', '</body></html>']) expect(readProse(`<html><body>${html}${end}`).text).toBe('one\ntwo')
  })
  test('what is commented out or hidden stays so', () => {
    expect(shown('one<!-- <p>no</p> <!-- no --><p>two</p>')).toBe('one\ntwo')
    expect(shown('one<!----><!-- a > b --><p>two</p><div style="display:none">no</div>')).toBe('one\ntwo')
    expect(readProse(`<html><body><p>${'one '.repeat(40)}</p><div style="display:none">no`).text.includes('no')).toBe(false)
  })
  test('an end tag inside of a cell does not close what stands around the table', () => {
    const prose = readProse('<html><body><div style="font-weight:bold"><table><tr><td>a</p></b></td><td>b</td></tr></table>c</div></body></html>')
    expect(blocks(prose)).toEqual(['a\tb', 'c'])
    expect(prose.blocks[0]?.bold).toBe(2)
    expect(prose.blocks[1]?.bold).toBe(1)
  })
})

describe('what the markup says of a line', () => {
  test('bold, italic and underlined characters are counted without blanks', () => {
    const [block] = readProse(
      '<p><b>Risk</b> <i>and</i> <u>reward</u> <font style="font-weight: 700">now</font> <b style="font-weight:normal">x</b></p>',
    ).blocks
    expect(block).toMatchObject({ bold: 7, italic: 3, underline: 6, inked: 17 })
  })
  test('headings, alignment and font size', () => {
    const found = readProse(
      '<h2>A</h2><p align="center">B</p><center>C</center><p style="text-align:center;font-size:14pt">D</p><p style="font:bold 10pt Times">E</p>',
    )
    expect(found.blocks.map(({ level, centred, size, bold }) => [level, centred, size, bold])).toEqual([
      [2, false, 0, 1],
      [0, true, 0, 0],
      [0, true, 0, 0],
      [0, true, 14, 0],
      [0, false, 10, 1],
    ])
  })
  test('places and the links to them', () => {
    const prose = readProse('<body><a href="#r%31">Risk Factors</a><p>cover</p><a name="r1"></a><div id="s2"><p>Item 1A</p></div>')
    const at = prose.text.indexOf('Item 1A')
    expect([prose.anchors.get('r1'), prose.anchors.get('s2')]).toEqual([at, at])
    expect(prose.links).toEqual([{ start: 0, end: 12, target: 'r1' }])
  })
  test('tables are numbered, page ends are kept', () => {
    const prose = readProse('<body>a<table><tr><td>b</td></tr></table>c<hr style="page-break-after:always"/>d')
    expect(prose.blocks.map(block => block.table)).toEqual([0, 1, 0, 0])
    expect(prose.pageBreaks).toEqual([5])
  })
  test('the block of an offset is the last one that begins at or before it', () => {
    const prose = readProse('<p>ab</p><p>cd</p>')
    expect([0, 2, 3, 4, 99].map(at => blockAt(prose, at))).toEqual([0, 0, 1, 1, 1])
    expect(blockAt({ blocks: [] }, 4)).toBe(-1)
  })
})

const words = fc.stringMatching(/^[A-Za-z0-9.,;&]{1,8}$/).filter(word => !/&[A-Za-z#]/.test(word))
describe('the way back to the source', () => {
  test('every shown character stands where sourceOffset says', () => {
    const piece = fc.oneof(
      words,
      fc.constantFrom(' ', '  \n', '&nbsp;', '<b>', '</b>', '<p>', '</p>', '<td>', '</tr>', '<br>', '&amp;', '<!-- x -->', '&#8217;', '<i/>'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), parts => {
        const source = `<html><body>${parts.join('')}`
        const prose = readProse(source)
        for (let at = 0; at < prose.text.length; at += 1) {
          const character = prose.text.charAt(at)
          if (/\s/.test(character)) continue
          const found = source.charAt(prose.sourceOffset(at))
          // A character reference becomes its character, also one that results from two pieces (`&` and `gt`).
          if (found !== '&') expect([at, found]).toEqual([at, character])
        }
      }),
      { numRuns: 500 },
    )
  })
  test('nothing visible is lost: the words are those between the tags', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), list => {
        const source = `<div>${list.join('</div> <div>')}</div>`
        expect(wordsOf(readProse(source).text)).toEqual(list)
        expect(countWords(readProse(source).text)).toBe(list.length)
      }),
    )
  })
  test('any text at all is read, in time linear in its length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400, unit: 'binary' }), text => {
        const prose = readProse(`<p>${text}`)
        expect(prose.blocks.every(block => block.start < block.end && block.end <= prose.text.length)).toBe(true)
      }),
      { numRuns: 500 },
    )
    for (const page of [`<p ${'style '.repeat(200_000)}>`, '<style></style>'.repeat(100_000), `${'<i>'.repeat(5_000)}${'</b>'.repeat(400_000)}`])
      expect(readProse(`<html>${page}`).text).toBe('')
    for (const unit of [
      '<!-- >',
      '<!-- > <!-- ',
      '<style><p>',
      '<title>',
      '<div hidden style="display:none">',
      '<',
      '<p',
      '<p>',
      '</p>',
      '<table><tr><td>',
      '&',
      '&#',
      '<!--',
      '"',
      '<a href="',
      '<b>',
      '\u00a0',
    ]) {
      expect(readProse(`<html>${unit.repeat(50_000)}`).text.length).toBeLessThanOrEqual(200_000)
    }
  })
})
