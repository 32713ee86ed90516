import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { edgarDocument } from '#fixtures/edgar-document.ts'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { textTable } from '#fixtures/text-table.ts'
import { parseFiling, submissionReader } from './full-submission.ts'

const aDocument = (body: Buffer, url = 'recorded:a.txt') => edgarDocument(body, url)
const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '..', '..', '..', 'fixtures', 'insider', name))

describe('a full submission', () => {
  test('the header belongs to every entity, the form to the insider datasets, all known from acceptance', () => {
    const { facts } = parseFiling(aDocument(fixture('0000990101-24-000011.txt')))
    expect(facts.filings?.map(row => [row.cik, row.role])).toEqual([
      ['0000990101', 'reporting_owner'],
      ['0000990001', 'issuer'],
    ])
    for (const row of [
      ...(facts.filings ?? []),
      ...(facts.insider_filings ?? []),
      ...(facts.insider_transactions ?? []),
      ...(facts.insider_holdings ?? []),
    ]) {
      expect(row).toMatchObject({ known_from: '2024-05-08T21:30:12Z', known_basis: 'accepted' })
    }
  })

  test('content of a form that has no reader here is counted, its filing listed', () => {
    const other = Buffer.from(
      fixture('0000990101-24-000011.txt').toString('latin1').replaceAll('TYPE:	4', 'TYPE:	N-CSR').replace('<TYPE>4', '<TYPE>N-CSR'),
    )
    const parsed = parseFiling(aDocument(other))
    expect(parsed.skipped).toEqual({ 'content_not_read_yet:N-CSR': 1 })
    expect(parsed.facts.insider_filings).toBeUndefined()
    expect(parsed.facts.filings).toHaveLength(2)
  })

  test("the feed's notice of a deletion adds nothing", () => {
    const deletion = Buffer.from('<SUBMISSION>\n<DELETION>\n<ACCESSION-NUMBER>0000990001-24-000001\n<TYPE>4\n<FILING-DATE>20240508\n</SUBMISSION>\n')
    expect(parseFiling(aDocument(deletion))).toMatchObject({ facts: {}, skipped: { deleted_submission: 1 } })
  })

  test('what was filed in confidence is known from its release', () => {
    const confidential = Buffer.from(
      '<ACCEPTANCE-DATETIME>20240313150033\n<PRIVATE-TO-PUBLIC>\nACCESSION NUMBER: 0000990001-24-000001\nCONFORMED SUBMISSION TYPE: DRS\nFILED AS OF DATE: 20240313\nDATE AS OF CHANGE: 20240626\n\nFILER:\n\n\tCOMPANY DATA:\n\t\tCENTRAL INDEX KEY: 990001\n',
    )
    expect(parseFiling(aDocument(confidential)).facts.filings?.[0]).toMatchObject({ known_from: '2024-06-27T02:00:00Z', known_basis: 'published' })
  })

  test('a header without a date is unreadable', () => {
    expect(() => parseFiling(aDocument(Buffer.from('ACCESSION NUMBER: 0000990001-24-000001\nCONFORMED SUBMISSION TYPE: 4\n')))).toThrow(
      'has no filed date',
    )
  })

  test.each(textTable`
    0000990001-24-000001.txt                                   | known
    000099000124000001/0000990001-24-000001.txt                | known
    000099000124000001/0000990001-24-000001-index-headers.html | known
    000099000124000001/0000990001-24-000001.hdr.sgml           | known
    000099000124000001/form4.xml                               | not known
  `)('the address of %s is %s', (path, whether) => {
    expect(submissionReader.reads(`https://www.sec.gov/Archives/edgar/data/990001/${path}`)).toBe(whether === 'known')
  })
})

describeReal('recorded submissions', () => {
  test('a Form 4 of 2000 on paper lists company and director and invents no transaction', () => {
    const parsed = parseFiling(aDocument(realBytes('edgar/form345/prac-0001094891-00-000193-paper-era.txt')))
    expect(parsed.facts.filings?.map(row => [row.cik, row.role])).toEqual([
      ['0000911787', 'subject_company'],
      ['0001050609', 'reporting_owner'],
    ])
    expect(parsed.facts.insider_transactions).toEqual([])
    expect(parsed.skipped).toEqual({ no_ownership_xml: 1 })
  })

  test('a fund that files under two acts is one row and one refusal', () => {
    const parsed = parseFiling(aDocument(realBytes('edgar/sgml/header_with_double_newlines.txt')))
    expect(parsed.facts.filings).toHaveLength(1)
    expect(parsed.refused).toEqual([expect.objectContaining({ reason: 'filing_listed_twice' })])
  })
})
