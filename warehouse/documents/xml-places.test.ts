import { describe, expect, it } from 'vitest'
import { xmlPlaces } from './xml-places.ts'

const form4 = `<?xml version="1.0"?>
<ownershipDocument><issuer><issuerName>Gull &amp; Tern Co</issuerName></issuer>
<reportingOwner><rptOwnerName>AUK A</rptOwnerName><isDirector>1</isDirector></reportingOwner>
<reportingOwner><rptOwnerName>TERN B</rptOwnerName><isDirector>0</isDirector></reportingOwner>
<nonDerivativeTable>
<nonDerivativeTransaction><transactionShares><value>1000.00</value></transactionShares><sharesOwnedFollowingTransaction><value>5,000</value></sharesOwnedFollowingTransaction></nonDerivativeTransaction>
<nonDerivativeHolding><sharesOwnedFollowingTransaction><value>70</value><footnoteId id="F1"/></sharesOwnedFollowingTransaction></nonDerivativeHolding>
<nonDerivativeTransaction><transactionShares><value>1000</value></transactionShares></nonDerivativeTransaction>
</nonDerivativeTable><footnotes><footnote id="F1">By a trust.</footnote></footnotes></ownershipDocument>`
const textAt = (dataset: string, line: number, field: string, value: string, source = form4): string | null => {
  const [found] = xmlPlaces(source, [{ dataset, line, field, value }])
  return found ? source.slice(found.start, found.end) : null
}

describe('the place of a value in a form', () => {
  it('is in the row of its number, transactions and holdings counted together', () => {
    expect(textAt('insider_transactions', 1, 'shares', '1000.00')).toBe('1000.00')
    expect(textAt('insider_holdings', 2, 'shares_after', '70')).toBe('70')
    const places = xmlPlaces(
      form4,
      [1, 3].map(line => ({ dataset: 'insider_transactions', line, field: 'shares', value: '1000' })),
    )
    expect(places).toHaveLength(2)
    expect(places[0]?.start).not.toBe(places[1]?.start)
  })
  it('is found by its value, whatever the form of numbers, of yes and no, and of character references', () => {
    expect(textAt('insider_transactions', 1, 'shares_after', '5000')).toBe('5,000')
    expect(textAt('insider_filings', 0, 'issuer_name', 'Gull & Tern Co')).toBe('Gull &amp; Tern Co')
    expect(textAt('insider_filings', 0, 'owners.2.name', 'TERN B')).toBe('TERN B')
    expect(textAt('insider_filings', 0, 'owners.2.director', 'false')).toBe('0')
    expect(textAt('insider_filings', 0, 'footnotes.1.text', 'By a trust.')).toBe('By a trust.')
  })
  it('is not given if the text there is another value, or the row does not exist', () => {
    expect(textAt('insider_transactions', 1, 'shares', '1001')).toBeNull()
    expect(textAt('insider_transactions', 9, 'shares', '1000')).toBeNull()
    expect(textAt('insider_filings', 0, 'owners.1.name', 'TERN B')).toBeNull()
    expect(textAt('insider_transactions', 1, 'code_class', 'open_market_buy')).toBeNull()
    expect(textAt('risk_factors', 1, 'heading', 'By a trust.')).toBeNull()
  })
  it('is in the line of a 13F table with a prefix, and a day in another form', () => {
    const table =
      '<ns1:informationTable><ns1:infoTable><ns1:value>5</ns1:value></ns1:infoTable><ns1:infoTable><ns1:value>6</ns1:value></ns1:infoTable></ns1:informationTable>'
    expect(textAt('holdings', 2, 'value', '6', table)).toBe('6')
    expect(textAt('holdings', 1, 'value', '6', table)).toBeNull()
    expect(
      textAt('ownership_schedules', 0, 'event_date', '2026-10-31', '<edgarSubmission><dateOfEvent>10/31/2026</dateOfEvent></edgarSubmission>'),
    ).toBe('10/31/2026')
  })
})
