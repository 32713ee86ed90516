// Pieces of prospectuses of many kinds (fixtures/offerings/wordings.ts): sellers with their roles, symbol, price and who gets the money.
import { describe, expect, test } from 'vitest'
import { layouts } from '#fixtures/offerings/layouts.ts'
import { traps } from '#fixtures/offerings/traps.ts'
import { wordings } from '#fixtures/offerings/wordings.ts'
import { textTable } from '#fixtures/text-table.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { sentencesIn } from './amounts.ts'
import { rolesIn } from './distribution.ts'
import { firmsIn, isFirm, sameFirm } from './firms.ts'
import { listingIn } from './listing.ts'
import { parseProspectus } from './parse.ts'
import { partiesOf } from './parties.ts'
import { priceIn } from './price.ts'
import { issuerSells } from './proceeds.ts'

const flagged = 'no_underwriters_'

test.each([...wordings, ...traps, ...layouts].map(each => [each.kind, each] as const))('%s', (_kind, { html, form, company, ...expected }) => {
  const { offering } = parseProspectus(html.startsWith('<') ? `<html><body>${html}</body></html>` : html, {
    accession: '0000990399-24-000001',
    cik: '0000990399',
    company,
    form,
    filed_date: '2025-01-02',
    file_number: null,
    document: null,
  })
  expect({
    underwriters: offering.underwriters.map(({ name, role }) => [name, role]),
    reason: offering.flags.find(flag => flag.startsWith(flagged))?.slice(flagged.length),
    symbol: offering.proposed_symbol,
    price: offering.price,
    basis: offering.price_basis,
    holdersOnly: offering.selling_holders_only,
  }).toEqual({
    underwriters: expected.underwriters,
    reason: expected.reason,
    symbol: expected.symbol,
    price: expected.price,
    basis: expected.basis,
    holdersOnly: expected.holdersOnly,
  })
})

describe('firms', () => {
  test.each([
    ['Amount of 20'],
    ['You seek principal repayment or preservation of capital.'],
    ['Earliest Date Available for Sale in the Public Market'],
    ['Approximately 12 months, unless previously called.'],
    ['Valuation- and Market-related Risks'],
    ['Working Capital'],
    ['DEREGISTRATION OF UNSOLD SECURITIES'],
    ['Debt Securities'],
    ['Are Not Bank Guaranteed'],
    ['The Nasdaq Stock Market LLC'],
    ['Depository Trust Company'],
    ['Plover & Sons LLP'],
    ['A Stifel Company'],
  ])('%s is none', name => {
    expect(isFirm(name)).toBe(false)
  })
  test('a list is taken apart, and commas and `and` within a name stay', () => {
    const names = (text: string): string[] => firmsIn(text).map(firm => firm.name)
    expect(names('with Keefe, Bruyette & Woods, Inc., Piper Sandler & Co. and Raymond James & Associates, Inc. (collectively')).toEqual([
      'Keefe, Bruyette & Woods, Inc.',
      'Piper Sandler & Co.',
      'Raymond James & Associates, Inc.',
    ])
    expect(names('Cowen and Company, LLC and The Bittern Company, LLC, each acting')).toEqual(['Cowen and Company, LLC', 'The Bittern Company, LLC'])
    expect(names('EF Hutton, division of Benchmark Investments, LLC, A.G.P./Alliance Global Partners and TD Securities (USA) LLC')).toEqual([
      'EF Hutton, division of Benchmark Investments, LLC',
      'A.G.P./Alliance Global Partners',
      'TD Securities (USA) LLC',
    ])
  })
  test.each(textTable`
    Barclays             | Barclays Capital Inc.
    Goldman, Sachs & Co. | Goldman Sachs & Co. LLC
    J.P. Morgan          | J.P. Morgan Securities LLC
    JPMorgan             | J.P. Morgan Securities LLC
    KBW                  | Keefe, Bruyette & Woods, Inc.
    Baird                | Robert W. Baird & Co. Incorporated
  `)('%s and %s are one firm', (left, right) => {
    expect(sameFirm(left, right)).toBe(true)
  })
  test('two firms whose names begin alike', () => {
    expect(sameFirm('Wells Fargo Securities, LLC', 'Wells Street Securities, LLC')).toBe(false)
    expect(sameFirm('Roth Capital Partners', 'Rothschild & Co')).toBe(false)
  })
})

describe('who acts in which role', () => {
  const roles = (text: string): string[] => {
    const prose = readProse(`<p>${text}</p>`)
    const parties = partiesOf(prose, 'DIPPER MILLS CORP', prose.text.length)
    return sentencesIn(prose.text, 0, prose.text.length).flatMap(sentence => rolesIn(sentence, parties).map(part => `${part.name}: ${part.role}`))
  }
  test.each([
    [
      'Siskin Securities LLC and Linnet & Co. are acting as representatives of the underwriters.',
      ['Siskin Securities LLC: underwriter', 'Linnet & Co.: underwriter'],
    ],
    [
      'We have engaged Siskin Securities LLC, or the placement agent, to act as our exclusive placement agent.',
      ['Siskin Securities LLC: placement_agent'],
    ],
    ['We have entered into a sales agreement with Siskin Securities LLC, as Sales Agent, relating to our shares.', ['Siskin Securities LLC: agent']],
    [
      'Siskin Securities LLC, which we refer to as SSL, acting as agent for Dipper, will pay all of the commissions to dealers.',
      ['Siskin Securities LLC: agent'],
    ],
    ['The agent for this offering, Siskin Securities LLC, is our affiliate.', ['Siskin Securities LLC: agent']],
    ['Through Siskin Securities LLC, or our dealer manager, we are offering up to 70,000,000 shares.', ['Siskin Securities LLC: dealer_manager']],
    ['We offer units through Siskin Securities LLC, which is our affiliate and acts as dealer-manager.', ['Siskin Securities LLC: dealer_manager']],
    ['Siskin Securities LLC, the sole bookrunner for this offering, has agreed to purchase the shares.', ['Siskin Securities LLC: underwriter']],
    ['We engaged Siskin Securities LLC to assist us in selling our shares on a best efforts basis.', ['Siskin Securities LLC: agent']],
    [
      'The Underwriters, being Siskin Securities LLC and Linnet & Co., as principals, conditionally offer the shares.',
      ['Siskin Securities LLC: underwriter', 'Linnet & Co.: underwriter'],
    ],
    ['We have entered into a sales agreement with Siskin Securities LLC, as forward purchaser.', []],
    ['Siskin Securities LLC, as the remarketing agent, will remarket the bonds.', []],
    ['Siskin Securities LLC will act as calculation agent.', []],
    ['Siskin Securities LLC is acting as financial advisor to us.', []],
    ['An affiliate of Siskin Securities LLC is acting as agent under our loan.', []],
    ['In May 2023 Siskin Securities LLC acted as our placement agent.', []],
    ['We granted Siskin Securities LLC a right of first refusal to act as sole underwriter of any later offering.', []],
    ['Dipper Mills Corp is acting as selling agent of its own bonds.', []],
  ])('%s', (text, expected) => {
    expect(roles(text)).toEqual(expected)
  })
})

describe('symbol and price', () => {
  const symbol = (text: string, linked = false): string | null => {
    const prose = readProse(`<p>${text}</p>`)
    return listingIn(prose, { start: 0, end: prose.text.length }, { names: ['Dipper Mills Corp'], linked }).symbol
  }
  test.each([
    ['Our common stock is listed on Nasdaq under the symbol “DPPR.”', 'DPPR'],
    ['Our common stock is listed on Nasdaq under the symbol DPPR.', 'DPPR'],
    ['Our common stock trades on Nasdaq under the ticker “DPPR.”', 'DPPR'],
    ['Dipper Mills’ common stock trades on the NYSE (NYSE: DPPR).', null],
    ['Our common stock (NYSE: DPPR) trades since 2020.', 'DPPR'],
    ['Class B shares of Dipper Mills Corp are quoted under the symbol “DPPR.B”.', 'DPPR.B'],
    ['The common stock of Finch Motors, Inc. is listed under the symbol “FNCH.”', null],
    ['Finch common stock is listed on the NYSE under the symbol “FNCH.”', null],
    ['The Nasdaq-100 Index® (Bloomberg symbol: “NDX”)', null],
    ['as displayed on Reuters under the heading “EFFECT”', null],
    ['Our common stock is listed under the symbol “[●].”', null],
    ['We have reserved the trading symbol “DPPR” for our common stock on Nasdaq.', 'DPPR'],
    ['The shares of Finch Index Trust are listed under the symbol “FNX.”', null],
    ['The common stock of our parent, Dipper Holdings, Inc., is listed under the symbol “DPH.”', null],
  ])('%s', (text, expected) => {
    expect(symbol(text)).toBe(expected)
  })
  test('a note that follows another share has the symbol of neither', () => {
    expect(symbol('The common stock is listed on the NYSE under the symbol “FNCH.”', true)).toBeNull()
  })

  const price = (text: string, resale = false): readonly (string | null)[] => {
    const prose = readProse(`<p>${text}</p>`)
    const found = priceIn(prose, { start: 0, end: prose.text.length }, resale)
    return [found?.price ?? null, found?.basis ?? null]
  }
  test.each([
    ['The public offering price is $4.00 per share.', false, '4.00', 'fixed'],
    ['We are offering 100 shares at a purchase price of $4.00 per share.', false, '4.00', 'fixed'],
    ['Based on an assumed public offering price of $4.50 per share, the midpoint of the range.', false, '4.50', 'midpoint'],
    ['We sold 537,634 shares in a private placement at a purchase price of $7.44 per share.', false, null, null],
    ['The aggregate market value held by non-affiliates was computed at a price of $3.10 per share.', false, null, null],
    ['The last reported sale price of our common stock was $1.91 per share.', false, null, null],
    ['The offering price for each unit is $10.00.', false, '10.00', 'fixed'],
    ['We are offering 2,000,000 common shares at C$5.00 per common share.', false, '5.00', 'fixed'],
    ['We will redeem the shares at a price of $10.10 per share.', false, null, null],
    ['We closed our initial public offering at a public offering price of $16.00 per share.', false, null, null],
    ['The shares were sold to the selling stockholders at an offering price of $2.40 per share.', true, null, null],
    ['The selling stockholders will sell the shares at a fixed price of $0.10 per share.', true, '0.10', 'fixed'],
  ])('%s', (text, resale, expected, basis) => {
    expect(price(text, resale)).toEqual([expected, basis])
  })
  test.each(textTable`
    sells         | We may offer and sell these securities from time to time in one or more offerings.
    sells         | We intend to use the net proceeds from the sale of our securities for mills.
    does not sell | We are not selling any shares under this prospectus.
    does not sell | We will receive the exercise price of the warrants, and we will not sell shares.
  `)('the issuer %s: %s', (whether, text) => {
    expect(issuerSells(text)).toBe(whether === 'sells')
  })
})
