import { expect, it, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { isFilingSummary, parseFilingSummary, summaryIn } from './filing-summary.ts'
import { parseSubmission } from './sgml.ts'

const summary = (inside: string): string =>
  `<?xml version='1.0' encoding='utf-8'?>\n<FilingSummary><Version>3.24.4</Version>${inside}</FilingSummary>`
const report =
  '<Report instance="k.htm"><HtmlFileName>R2.htm</HtmlFileName><ShortName>Balance Sheets &amp; more</ShortName><MenuCategory>Statements</MenuCategory></Report>'
const book = '<Report><ShortName>All Reports</ShortName></Report>'

it('names the rendered tables and the documents that they come from', () => {
  const text = summary(
    `<MyReports>${report}${book}</MyReports><InputFiles><File>k.xsd</File><File doctype="10-K" original="k.htm">k.htm</File></InputFiles>`,
  )
  expect(isFilingSummary(text)).toBe(true)
  expect(parseFilingSummary('summary', text)).toEqual({
    reports: [
      { file: 'R2.htm', name: 'Balance Sheets & more', category: 'Statements', role: null },
      { file: null, name: 'All Reports', category: null, role: null },
    ],
    documents: [
      { file: 'k.xsd', form: null },
      { file: 'k.htm', form: '10-K' },
    ],
  })
})
test.each([
  ['one report', summary(`<MyReports>${book}</MyReports>`), 1],
  ['none', summary('<MyReports/>'), 0],
])('%s is a list, too', (_, text, count) => {
  expect(parseFilingSummary('summary', text).reports.length).toBe(count)
})
test.each([
  ['cut off', summary(`<MyReports>${book}`).slice(0, -20), 'malformed_xml'],
  ['another document', '<feed><entry/></feed>', 'not_a_filing_summary'],
  ['a report without a name', summary('<MyReports><Report><HtmlFileName>R1.htm</HtmlFileName></Report></MyReports>'), 'not_a_filing_summary'],
  ['one with entities of its own', '<!DOCTYPE x [<!ENTITY a "b">]><FilingSummary/>', 'doctype'],
])('%s is refused', (_, text, reason) => {
  expect(() => parseFilingSummary('summary', text)).toThrow(expect.objectContaining({ reason }))
})

describeReal('a recorded submission', () => {
  it('holds the summary of its cover page', () => {
    const found = summaryIn('submission', parseSubmission(realBytes('edgar2/eightk/raw/e3.txt')))
    expect(found?.reports[0]).toMatchObject({ file: 'R1.htm', name: 'Document and Entity Information', category: 'Cover' })
    expect(found?.documents.find(({ form }) => form !== null)).toEqual({ file: 'form8k_122024.htm', form: '8-K' })
  })
})
