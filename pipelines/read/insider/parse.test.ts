import { describe, expect, test } from 'vitest'
import type { FilingContext } from '../parsed.ts'
import { codeClass } from './codes.ts'
import { canonicalSymbol, parseOwnership } from './parse.ts'

const context: FilingContext = { filing_id: 'sha256:x', accession: null, filed_date: null, issuer_cik: null, form: null }
const issuer = '<issuer><issuerCik>990001</issuerCik><issuerTradingSymbol>TIDW</issuerTradingSymbol></issuer>'
const owner = (cik: string): string =>
  `<reportingOwner><reportingOwnerId><rptOwnerCik>${cik}</rptOwnerCik></reportingOwnerId><reportingOwnerRelationship><isOfficer>1</isOfficer></reportingOwnerRelationship></reportingOwner>`
const read = (inside: string, more = issuer + owner('990101'), given: Partial<FilingContext> = {}) =>
  parseOwnership(`<ownershipDocument><documentType>4</documentType>${more}${inside}</ownershipDocument>`, { ...context, ...given })
const row = (cells: string): string => `<nonDerivativeTable><nonDerivativeTransaction>${cells}</nonDerivativeTransaction></nonDerivativeTable>`
const coding = (code: string): string => `<transactionCoding><transactionCode>${code}</transactionCode></transactionCoding>`

describe('an ownership document', () => {
  test('a row without transactionCoding is kept with a null code and flagged on row and filing', () => {
    const { filing, transactions } = read(row('<securityTitle><value>Common</value></securityTitle>'))
    expect(transactions[0]).toMatchObject({
      line: 1,
      code: null,
      code_class: 'unknown',
      flags: ['missing_transaction_coding'],
      shares: null,
      price: null,
    })
    expect(filing.flags).toEqual(['missing_transaction_coding'])
  })

  test('null is not zero: an empty price is null, a printed 0 is 0', () => {
    const amounts = (price: string): string =>
      row(`${coding('G')}<transactionAmounts><transactionPricePerShare>${price}</transactionPricePerShare></transactionAmounts>`)
    expect(read(amounts('')).transactions[0]?.price).toBeNull()
    expect(read(amounts('<value></value>')).transactions[0]?.price).toBeNull()
    expect(read(amounts('<value>0</value>')).transactions[0]?.price).toBe('0')
    expect(read(amounts('<value>0.00</value>')).transactions[0]?.price).toBe('0.00')
  })

  test('a number that is none is null, the row stays, and the message names line, field and text', () => {
    const { transactions, refused } = read(
      row(`${coding('S')}<transactionAmounts><transactionShares><value>1,000.-</value></transactionShares></transactionAmounts>`),
    )
    expect(transactions[0]).toMatchObject({ shares: null, flags: ['shares_unreadable'] })
    expect(refused[0]?.detail).toBe('form345 sha256:x: line 1 has shares "1,000.-", expected a decimal number; kept as null')
  })

  test('zone-suffixed days are cut, days that do not exist are refused', () => {
    const day = (text: string) =>
      read(row(`${coding('S')}<transactionDate><value>${text}</value></transactionDate>`)).transactions[0]?.transaction_date
    for (const text of ['2020-01-02', '2020-01-02-05:00', '2020-01-02Z', '2020-01-02+14:00', '2020-01-02T00:00:00.000-05:00'])
      expect(day(text)).toBe('2020-01-02')
    for (const text of ['2021-02-29', '2020-13-01', '01/02/2020', '2020-01-02 or so']) expect(day(text)).toBeNull()
    expect(day('2024-02-29')).toBe('2024-02-29')
  })

  test('a code against its direction is kept as filed and flagged', () => {
    const traded = (code: string, way: string) =>
      read(
        row(
          `${coding(code)}<transactionAmounts><transactionAcquiredDisposedCode><value>${way}</value></transactionAcquiredDisposedCode></transactionAmounts>`,
        ),
      ).transactions[0]
    expect(traded('P', 'D')).toMatchObject({ code: 'P', acquired_disposed: 'D', flags: ['code_against_direction'] })
    expect(traded('S', 'A')?.flags).toEqual(['code_against_direction'])
    expect(traded('A', 'D')?.flags).toEqual([])
  })

  test('every code of the form has its class; V is no code', () => {
    expect([...'PSADFIMCEHOXGLWZJKU'].map(codeClass)).not.toContain('unknown')
    for (const code of ['V', 'Q', 'p', '', 'constructor', '__proto__']) expect(codeClass(code)).toBe('unknown')
    expect(read(row(coding('V'))).transactions[0]).toMatchObject({ code: 'V', flags: ['code_unknown'] })
  })

  test('the issuer is never one of the owners, unless the filing says so', () => {
    const own = read('', issuer + owner('990101'))
    expect([own.filing.issuer_cik, own.filing.owner_ciks]).toEqual(['0000990001', ['0000990101']])
    expect(read('', issuer + owner('990001')).filing.flags).toEqual(['owner_is_issuer'])
  })

  test('a joint filing is one trade with n owners', () => {
    const { transactions } = read(row(coding('P')), issuer + owner('1') + owner('2') + owner('3'))
    expect(transactions).toHaveLength(1)
    expect(transactions[0]?.owner_ciks).toEqual(['0000000001', '0000000002', '0000000003'])
  })

  test('lines are counted over both tables and both kinds, in the order of the document', () => {
    const { transactions, holdings } = read(
      '<nonDerivativeTable><nonDerivativeHolding/><nonDerivativeTransaction/></nonDerivativeTable><derivativeTable><derivativeTransaction/><derivativeHolding/><surprise/></derivativeTable>',
    )
    expect(holdings.map(holding => [holding.line, holding.derivative])).toEqual([
      [1, false],
      [4, true],
    ])
    expect(transactions.map(transaction => [transaction.line, transaction.derivative, transaction.flags])).toEqual([
      [2, false, ['empty_row', 'missing_transaction_coding']],
      [3, true, ['empty_row', 'missing_transaction_coding']],
    ])
  })

  test('a price of table II is the price of the derivative, and no value is reckoned from it', () => {
    const [row] = read(
      '<derivativeTable><derivativeTransaction><conversionOrExercisePrice><value>45.10</value></conversionOrExercisePrice><transactionAmounts><transactionShares><value>1000</value></transactionShares><transactionPricePerShare><value>1250000</value></transactionPricePerShare></transactionAmounts><underlyingSecurity><underlyingSecurityShares><value>250000</value></underlyingSecurityShares></underlyingSecurity></derivativeTransaction></derivativeTable>',
    ).transactions
    expect(row).toMatchObject({
      derivative: true,
      shares: '1000',
      price: '1250000',
      underlying_shares: '250000',
      total_value: null,
      value_after: null,
    })
  })

  test('empty tables are no rows', () => {
    expect(read('<nonDerivativeTable/><derivativeTable></derivativeTable>').filing).toMatchObject({ transactions: 0, holdings: 0, flags: [] })
  })

  test('an issuer CIK that is missing comes from the header, and without one the document is unreadable', () => {
    expect(read('', owner('1'), { issuer_cik: '0000990001' }).filing).toMatchObject({ issuer_cik: '0000990001', flags: ['issuer_cik_from_header'] })
    expect(() => read('', owner('1'))).toThrow('issuerCik is null')
  })

  test('other XML and broken XML are unreadable', () => {
    expect(() => parseOwnership('<edgarSubmission/>', context)).toThrow('expected <ownershipDocument>')
    expect(() => parseOwnership('<ownershipDocument><issuer></ownershipDocument>', context)).toThrow('unexpected close tag')
  })

  test('the checkbox decides over the words, the words where there is none', () => {
    const note = '<footnotes><footnote id="F1">Made under a Rule 10b5-1 plan adopted on May 1, 2023.</footnote></footnotes>'
    expect(read(note).filing).toMatchObject({ plan_10b5_1: 'yes', plan_10b5_1_source: 'footnote', plan_adopted_date: '2023-05-01' })
    expect(read(`<aff10b5One>1</aff10b5One>${note}`).filing).toMatchObject({ plan_10b5_1: 'yes', plan_10b5_1_source: 'checkbox' })
    expect(read(`<aff10b5One>false</aff10b5One>${note}`).filing).toMatchObject({ plan_10b5_1: 'no', flags: ['plan_named_but_not_ticked'] })
    expect(read('<remarks>Rule 10b5-1 plan dated June 1, 2021</remarks>').filing).toMatchObject({
      plan_10b5_1: 'yes',
      plan_adopted_date: '2021-06-01',
    })
    expect(read('').filing).toMatchObject({ plan_10b5_1: 'unknown', plan_10b5_1_source: null, aff_10b5_1: null })
  })

  test.each([
    ['NONE', null],
    ['[NONE]', null],
    ['n/a', null],
    ['NA', null],
    ['', null],
    ['TIDW', 'TIDW'],
    [' tidw ', 'TIDW'],
    ['BRK.A', 'BRK-A'],
    ['BRK/B', 'BRK-B'],
    ['NYSE: CLF.A', 'CLF-A'],
    ['(NASDAQ: TIDW)', 'TIDW'],
    ['TIDW, TIDWP', 'TIDW, TIDWP'],
  ])('symbol %j is written %j', (filed, symbol) => {
    expect(canonicalSymbol(filed)).toBe(symbol)
  })
})
