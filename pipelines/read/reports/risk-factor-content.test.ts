import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FilingContext } from '../filings/content-reader.ts'
import { parseSubmission } from '../filings/sgml.ts'
import { riskFactorContent } from './risk-factor-content.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'risk-factors')
const context: FilingContext = {
  accession: '0000990502-25-000001',
  form: 'S-1',
  filed_date: '2025-03-03',
  accepted_at: null,
  period_of_report: null,
  subject_cik: '0000990502',
  filer_cik: '0000990502',
  url: 'recorded:s1',
}
const filed = (html: string) =>
  parseSubmission(
    Buffer.from(
      `<SEC-DOCUMENT>x.txt\n<SEC-HEADER>\nACCESSION NUMBER: 0000990502-25-000001\nCONFORMED SUBMISSION TYPE: S-1\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>S-1\n<SEQUENCE>1\n<FILENAME>s1.htm\n<TEXT>\n${html}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n`,
    ),
  )

describe('risk factors of a registration statement', () => {
  const html = readFileSync(join(folder, 'prospectus-s1.html'), 'utf8')
  it('those of the section, not of the contents table or the summary, up to the next section', () => {
    const { risk_factors: rows = [] } = riskFactorContent.read(filed(html), context).facts
    expect(rows.map(row => [row.group_heading, row.heading])).toEqual([
      ['Risks Related to Our Business', 'Demand for our grid batteries may fall, which would reduce our revenue.'],
      ['Risks Related to Our Business', 'We depend on a single supplier of lithium carbonate.'],
      ['Risks Related to Our Business', 'Attacks on our monitoring systems could harm our customers and our reputation.'],
      ['Risks Related to Our Business', 'We may lose engineers to larger competitors.'],
      ['Risks Related to This Offering', 'The price of our common shares may change sharply.'],
    ])
    expect(rows.every(row => row.document === 's1.htm' && row.form === 'S-1' && row.cik === '0000990502')).toBe(true)
    // Offsets count from behind the tag TEXT, its line end included.
    for (const row of rows) expect(`\n${html}`.slice(row.source_start, row.source_end)).toContain(row.heading)
  })
  it('a statement that prints none has none', () => {
    const read = riskFactorContent.read(filed('<p><b>RISK FACTORS</b></p><p>See our annual report, which is incorporated by reference.</p>'), context)
    expect(read).toEqual({ facts: {}, refused: [], skipped: { no_risk_factors: 1 } })
  })
  it('is asked for registration statements alone', () => {
    expect(['S-1', 'S-1/A', 'F-1', 'S-11/A', 'F-10'].every(riskFactorContent.takes)).toBe(true)
    expect(['10-K', '424B4', 'S-3', '40-F'].some(riskFactorContent.takes)).toBe(false)
  })
})
