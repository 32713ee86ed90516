import { expect, test } from 'vitest'
import { readProse } from './prose.ts'

const source = `<PAGE>
                          ANNUAL REPORT

ITEM 1A.   RISK FACTORS
  We may   lose money.


<TABLE>
<CAPTION>
<S>          <C>
Revenue      $ 12
</TABLE>
Next
`

test('lines of plain text are blocks, with the blank lines before them and their indent', () => {
  const prose = readProse(source)
  expect(prose.html).toBe(false)
  expect(prose.text).toBe('ANNUAL REPORT\nITEM 1A. RISK FACTORS\nWe may lose money.\nRevenue $ 12\nNext')
  expect(prose.blocks.map(({ gap, indent, table, centred }) => [gap, indent, table, centred])).toEqual([
    [1, 26, 0, true],
    [1, 0, 0, false],
    [0, 2, 0, false],
    [5, 0, 1, false],
    [1, 0, 0, false],
  ])
})
test('the tags of the format are not part of the text, their pages are kept', () => {
  expect(readProse(source).pageBreaks).toEqual([0])
  expect(readProse('a\n<PAGE>\nb').pageBreaks).toEqual([1])
})
test('every shown character stands where sourceOffset says', () => {
  const prose = readProse(source)
  for (let at = 0; at < prose.text.length; at += 1)
    if (!/\s/.test(prose.text.charAt(at))) expect(source.charAt(prose.sourceOffset(at))).toBe(prose.text.charAt(at))
})
