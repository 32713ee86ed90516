import { describe, expect, it } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { describesIssuer, issuerFact } from './issuers.ts'
import { submissionsReader } from './submissions.ts'

const documentOf = (path: string) => ({
  sha256: '0'.repeat(64),
  source: 'edgar',
  url: `recorded:${path}`,
  retrieved_at: '2026-11-20T00:00:00Z',
  status: 200,
  headers: {},
  body: realBytes(path),
})

describe('an issuer', () => {
  it('has its industry code in four digits', () => {
    expect(issuerFact('0000000001', ' Lakes Corp. ', '100', 'Agricultural Production-Crops', 'A6', '1231')).toEqual({
      cik: '0000000001',
      name: 'Lakes Corp.',
      sic: '0100',
      sic_title: 'Agricultural Production-Crops',
      state_of_incorporation: 'A6',
      fiscal_year_end: '1231',
    })
  })
  it('is nobody whom EDGAR gives no code: persons, and 0000', () => {
    for (const sic of ['', null, undefined, '0000', 'n/a']) expect(issuerFact('0000000001', 'Roe Jane', sic, '', '', null)).toBeNull()
  })
  it('is described by reports and registrations, not by ownership forms', () => {
    for (const form of ['10-K', '10-K405', '10-Q/A', '8-K', '20-F', '40-F', '6-K', 'S-1/A', 'F-10', '424B4', '10-KSB'])
      expect([form, describesIssuer(form)]).toEqual([form, true])
    for (const form of ['3', '4', '5/A', '13F-HR', 'SC 13D', 'SCHEDULE 13G', '144', 'D']) expect([form, describesIssuer(form)]).toEqual([form, false])
  })
})

describeReal('a recorded submissions file', () => {
  it('of a company names its industry, of a person none', () => {
    const of = (name: string) => submissionsReader.parse(documentOf(`edgar/submissions/${name}`)).facts.issuers
    expect(of('CIK0000320193.json')).toEqual([
      {
        cik: '0000320193',
        name: 'Apple Inc.',
        sic: '3571',
        sic_title: 'Electronic Computers',
        state_of_incorporation: 'CA',
        fiscal_year_end: '0930',
      },
    ])
    expect(of('CIK0001718179.json')).toBeUndefined()
    expect(of('CIK0000320193-submissions-001.json')).toBeUndefined()
  })
})
