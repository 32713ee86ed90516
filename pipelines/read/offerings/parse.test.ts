import { describe, expect, test } from 'vitest'
import { processorMs } from '#fixtures/processor-time.ts'
import { textTable } from '#fixtures/text-table.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { cellNumbers, moneyIn, plainNumber, sentencesIn, shifted } from './amounts.ts'
import { securityIn } from './cover.ts'
import { isOfferingForm } from './forms.ts'
import { isNonGaap, lineItemOf } from './line-items.ts'
import { type ProspectusContext, parseProspectus } from './parse.ts'
import { columnOf } from './periods.ts'
import { rangeIn } from './price.ts'
import { issuerGetsNothing, netStated, proceedsTable } from './proceeds.ts'
import { outlineOf } from './sections.ts'
import { lockUpIn, optionOf } from './terms.ts'
import { categoryOf, sensitivityIn, usesIn } from './uses.ts'
import { monthsBetween } from './xbrl.ts'

const context: ProspectusContext = {
  accession: '0000990399-24-000001',
  cik: '0000990399',
  company: 'DIPPER MILLS CORP',
  form: 'S-1',
  filed_date: '2024-01-02',
  file_number: null,
  document: null,
}
const body = (html: string) => {
  const prose = readProse(html.startsWith('<') ? html : `<p>${html}</p>`)
  return { prose, place: { start: 0, end: prose.text.length } }
}
const net = (html: string) => {
  const { prose, place } = body(html)
  const found = netStated(prose, place)
  return found === null ? null : [found.amount.value, found.option?.value ?? null, found.approximate]
}
const filler =
  '<p>A reader should weigh all of what follows before deciding anything about these securities, which are not insured by anyone.</p>'.repeat(20)

describe('amounts', () => {
  test('scales move the point exactly, blanks are null and never 0', () => {
    expect(moneyIn('approximately $66.7 million, US$1,234.50, $.5, C$2 billion, $[●] and $      after').map(({ value }) => value)).toEqual([
      '66700000',
      '1234.50',
      '0.5',
      '2000000000',
      null,
      null,
    ])
    expect(shifted('4.65', 6)).toBe('4650000')
    expect(shifted('0.001', 2)).toBe('0.1')
    expect(plainNumber('1,234.50')).toBe('1234.50')
  })
  test('`approximately` and `per share` belong to the amount that they stand beside', () => {
    expect(moneyIn('about $5.00 per share, or $9 in all').map(({ approximate, each }) => [approximate, each])).toEqual([
      [true, true],
      [false, false],
    ])
  })
  test('a row: a sign without a number is a blank, brackets a minus, a dash nil, a bracketed digit a footnote', () => {
    expect(cellNumbers(['$', '1,000', '$', '', '(25)', '—', '(1)'])).toEqual(['1000', null, '0'])
    expect(cellNumbers(['(2,500', ')', '12%'])).toEqual(['-2500'])
    expect(cellNumbers(['(2,500)'])).toEqual(['-2500'])
  })
  test('sentences end before a capital, not behind Inc., U.S. or an initial', () => {
    const text = 'We are Dipper Mills, Inc. We sell in the U.S. Market. J. Finch leads us. Yes.'
    expect(sentencesIn(text, 0, text.length).map(sentence => sentence.text)).toHaveLength(3)
  })
})

describe('net proceeds', () => {
  test.each(textTable`
    66700000  | 77100000 | true  | We estimate that the net proceeds to us will be approximately $66.7 million (or $77.1 million if the underwriters exercise their option in full).
    12345678  | null     | false | Our net proceeds from this offering are estimated to be $12,345,678, after deducting the discount.
    4000000   | 5000000  | true  | We will receive net proceeds of about $4 million. If the underwriters exercise their option in full, our net proceeds will be about $5 million.
    494000000 | null     | true  | The net proceeds from the sale of $500,000,000 of the notes will be approximately $494 million.
    9100000   | null     | true  | We expect to receive approximately $9.1 million in net proceeds from this offering.
    null      | null     | true  | The net proceeds from this offering will be approximately $      after deducting the discount.
    10800000  | null     | false | We estimate that our net proceeds, after deducting commissions and estimated expenses of $1.2 million, will be $10.8 million.
    43200000  | null     | true  | We expect to receive net proceeds, after deducting underwriting discounts and estimated offering expenses, of approximately $43.2 million.
    50000000  | null     | true  | We estimate that we will receive net proceeds of approximately $50 million from this offering, after deducting offering expenses, which are estimated to be $2.1 million.
    9500000   | null     | true  | The net proceeds, after deducting expenses, which are estimated at $500,000, will be about $9.5 million.
    12345000  | null     | true  | After deducting the underwriting discount and our expenses, we expect to receive approximately $12,345,000 from this offering.
    9050000   | null     | false | We intend to use the net proceeds, which we estimate to be $9,050,000, to buy mills.
    494300000 | null     | true  | We expect the net proceeds from this offering to be approximately $494.3 million after deducting the discount.
    72100000  | null     | true  | The net proceeds to us from our sale of 5,000,000 shares at an assumed price of $16.00 per share after deducting underwriting discounts and estimated offering expenses payable by us will be approximately $72.1 million.
    9100000   | null     | true  | We anticipate that the net proceeds will amount to approximately $9,100,000.
    6200000   | null     | true  | We expect to receive net proceeds from the sale of the securities that we are offering by this prospectus supplement and the accompanying prospectus to the investors that have entered into the securities purchase agreement with us on the date of this prospectus supplement, excluding the proceeds, if any, from the exercise of the warrants, of approximately $6.2 million.
    20100000  | null     | true  | The net proceeds to the Company from the sale of the shares of Common Stock offered by the Company hereby in the offering made by this Prospectus to the public in the United States and abroad of approximately $20,100,000 will be used for working capital.
    12500000  | null     | true  | <p>We estimate that the net proceeds to us, after deducting underwriting discounts and</p><p>41</p><p>Table of Contents</p><p>commissions, will be approximately $12.5 million.</p>
  `)('%s, with the option %s, approximate %s: %s', (amount, option, approximate, text = '') => {
    expect(net(text)?.map(String)).toEqual([amount, option, approximate])
  })
  test.each(textTable`
    We intend to use the net proceeds to repay a loan of $5,000,000 and buy a mill.
    The net proceeds will fund a dividend of $3,000,000.
    We will use approximately $20 million of the net proceeds for a new plant.
    A $1.00 increase in the price would increase the net proceeds to us by approximately $4.1 million.
    If all of the warrants were exercised for cash, we would receive net proceeds of $8.7 million.
    We received net proceeds of our last round.
    We received net proceeds of $20 million from our offering of 2023.
  `)('are not estimated by: %s', text => {
    expect(net(text)).toBeNull()
  })
  test('nothing for the issuer is said in many ways; pre-funded warrants left out of a figure are none of them', () => {
    const nothing = (text: string) => {
      const { prose, place } = body(text)
      return issuerGetsNothing(prose, place)
    }
    expect(nothing('We will not receive any of the proceeds from the sale of shares by the selling stockholders.')).toBe(true)
    expect(nothing('All proceeds from the resale will go to the selling shareholders.')).toBe(true)
    expect(nothing('The Company will receive no proceeds from the sale of the shares offered hereby.')).toBe(true)
    expect(nothing('This amount does not take into account any proceeds from the sale of the pre-funded warrants.')).toBe(false)
  })
  test('three columns are not told apart', () => {
    const { prose, place } = body(
      '<table><tr><td></td><td>Minimum</td><td>Midpoint</td><td>Maximum</td></tr><tr><td>Gross proceeds</td><td>1,000</td><td>2,000</td><td>3,000</td></tr><tr><td>Net proceeds</td><td>900</td><td>1,800</td><td>2,700</td></tr></table>',
    )
    expect(proceedsTable(prose, place)).toMatchObject({ values: {}, severalColumns: true })
  })
})

describe('uses', () => {
  test.each(textTable`
    repay our term loan and for general corporate purposes         | debt_repayment
    general corporate purposes, including research and development | general_corporate
    working capital and other general corporate purposes           | working_capital
    Phase 2 trials of our lead product candidate                   | r_and_d
    exploration drilling at the mine                               | exploration
    pay a dividend to our existing stockholders                    | dividends_to_holders
    gilding the lily                                               | other
  `)('%s: %s', (purpose, category) => {
    expect(categoryOf(purpose)).toBe(category)
  })
  test('a list that is not led in as one of uses gives none of them', () => {
    const { prose, place } = body(
      '<p>We expect that the sale of the bank will involve the following:</p><p>•</p><p>the sale of securities of $400 million; and</p><p>•</p><p>the sale of loans.</p>',
    )
    expect(usesIn(prose, place, new Set())).toEqual([])
  })
  test('a million shares more or less are told by their number', () => {
    const { prose, place } = body(
      'An increase or decrease of 1.0 million shares in the number of shares that we offer would change the net proceeds to us by approximately $14.0 million.',
    )
    expect(sensitivityIn(prose, place)).toMatchObject([{ driver: 'number', change: '1000000', effect: '14000000' }])
  })
})

describe('terms', () => {
  test('what a phrase names first is what is offered', () => {
    expect(securityIn('Warrants to purchase up to 5,000 shares')?.security).toBe('warrant')
    expect(securityIn('American Depositary Shares representing Ordinary Shares')?.security).toBe('ADS')
    expect(securityIn('5.25% Senior Notes due 2030')?.security).toBe('note')
    expect(securityIn('Depositary Shares each representing preferred stock')?.security).toBe('depositary share')
  })
  test('a range needs both ends', () => {
    const range = (text: string) => {
      const { prose, place } = body(text)
      const found = rangeIn(prose, place)
      return found && [found.low, found.high]
    }
    expect(range('The initial public offering price per share will be between $14.00 and $16.00.')).toEqual(['14.00', '16.00'])
    expect(range('The initial public offering price per share will be between $      and $      .')).toBeNull()
  })
  test('two lock-ups of different lengths for holders give none', () => {
    const { prose, place } = body(
      '<p>Our directors agreed not to sell for 180 days after the date of this prospectus.</p><p>Our other stockholders agreed not to sell for 90 days.</p>',
    )
    expect(lockUpIn(prose, [place])).toMatchObject({ holders: null, disputed: true })
  })
  test('the option with its shares and days', () => {
    const { prose, place } = body('We granted the underwriters a 30-day option to purchase up to an additional 1,023,000 shares of common stock.')
    expect(optionOf(prose, place)).toMatchObject({ shares: '1023000', days: 30 })
  })
  test('forms of registration, with amendments; a proxy or a report is none', () => {
    for (const form of [
      'S-1',
      'S-1/A',
      'F-1',
      'S-11/A',
      'F-10',
      '424B1',
      '424B8',
      'S-4',
      'F-4/A',
      'S-3ASR',
      'S-1MEF',
      '1-A',
      '1-A/A',
      '1-A POS',
      '253G2',
    ])
      expect(isOfferingForm(form)).toBe(true)
    for (const form of ['S-8', '10-K', '40-F', 'DEF 14A', '4', '425', '1-A-W', '1-K', '1-U']) expect(isOfferingForm(form)).toBe(false)
  })
})

describe('columns and lines of financial tables', () => {
  test('day, span, basis and audit of a head', () => {
    const around =
      'We derived the data for the years ended December 31, 2023 from our audited statements. The data for the six months ended June 30, 2024 are derived from our unaudited statements.'
    expect(columnOf('Year Ended December 31, 2023', around)).toMatchObject({
      period_end: '2023-12-31',
      period_months: 12,
      audited: true,
      basis: 'actual',
    })
    expect(columnOf('Six Months Ended June 30, 2024', around)).toMatchObject({ period_end: '2024-06-30', period_months: 6, audited: false })
    expect(columnOf('As of June 30, 2024 Pro Forma As Adjusted', around)).toMatchObject({
      basis: 'pro_forma_as_adjusted',
      audited: false,
      period_months: null,
    })
    expect(columnOf('For the period from March 1, 2021 (inception) to December 31, 2021', '')).toMatchObject({
      period_start: '2021-03-01',
      period_end: '2021-12-31',
      period_months: null,
      audited: null,
    })
    expect(columnOf('February 30, 2024', '').period_end).toBeNull()
  })
  test.each(textTable`
    Total revenues                            | revenue
    Net loss                                  | net_income
    Loss from operations                      | operating_income
    Net loss per share, basic and diluted (1) | eps
    Diluted earnings per share                | eps_diluted
    Total stockholders’ equity (deficit)      | total_equity
    Total capitalization                      | total_capitalization
    Cash used in operating activities         | operating_cash_flow
  `)('%s is %s', (label, item) => {
    expect(lineItemOf(label)).toBe(item)
  })
  test('another label is no line item', () => {
    expect(lineItemOf('Some other thing')).toBeNull()
  })
  test('non-GAAP lines are told, months of a period are whole ones', () => {
    expect(isNonGaap('Adjusted EBITDA(1)')).toBe(true)
    expect(isNonGaap('Net income')).toBe(false)
    expect(monthsBetween('2024-01-01', '2024-06-30')).toBe(6)
    expect(monthsBetween('2024-01-01', '2024-01-15')).toBeNull()
  })
})

describe('a document', () => {
  const document = (inside: string, tail = '') =>
    parseProspectus(
      `<html><body><p align="center"><b>PROSPECTUS</b></p><p align="center"><b>1,000,000 Shares of Common Stock</b></p>${filler}<p align="center"><b>RISK FACTORS</b></p>${filler}<p align="center"><b>USE OF PROCEEDS</b></p>${inside}<p align="center"><b>DIVIDEND POLICY</b></p>${filler}<p align="center"><b>CAPITALIZATION</b></p>${tail}</body></html>`,
      context,
    )
  test('two amounts that disagree are flagged, the first is kept as printed', () => {
    const { offering } = document('<p>The net proceeds to us will be $5,000,000.</p><p>Our net proceeds will be $6,000,000.</p>')
    expect([offering.net, offering.flags]).toEqual(['5000000', ['net_stated_twice', 'no_underwriters_not_found']])
  })
  test('the section ends at the next heading, page footers counted', () => {
    const { offering } = document('<p>All of it goes into flour and millstones.</p><p align="center">41</p>')
    expect(offering.use_of_proceeds_words).toBe(12)
    expect(offering.use_of_proceeds_text).toBe('USE OF PROCEEDS\nAll of it goes into flour and millstones.\n41')
  })
  test('a contents table is no section, and a row of the summary is not the section', () => {
    const prose = readProse(
      `<table><tr><td>Summary</td><td>1</td></tr><tr><td>Risk Factors</td><td>2</td></tr><tr><td>Use of Proceeds</td><td>3</td></tr><tr><td>Dilution</td><td>4</td></tr></table>${filler}<p><b>RISK FACTORS</b></p>${filler}<p><b>USE OF PROCEEDS</b></p><p>Here.</p><p><b>DILUTION</b></p>${filler}`,
    )
    expect(outlineOf(prose).sections.map(section => section.title)).toEqual(['RISK FACTORS', 'USE OF PROCEEDS', 'DILUTION'])
  })
  test('without a contents table a heading that looks alike ends the section; a page header that comes again does not', () => {
    const { offering } = document(
      '<p>All of it goes into flour.</p><p align="center"><b>DIPPER MILLS CORP</b></p><p>And more flour.</p><p align="center"><b>OUR MILL RACE</b></p><p>Water.</p><p align="center"><b>DIPPER MILLS CORP</b></p>',
    )
    expect(offering.use_of_proceeds_text).toBe('USE OF PROCEEDS\nAll of it goes into flour.\nDIPPER MILLS CORP\nAnd more flour.')
  })
  test.each([
    ['in capitals, which the contents do not list', 'USE OF PROCEEDS', 'PRIOR S CORPORATION STATUS'],
    ['underlined by dashes', 'Use of Proceeds\n---------------', 'The Reorganization\n------------------'],
    ['centred', `${' '.repeat(31)}Use of Proceeds`, `${' '.repeat(31)}The Reorganization`],
  ])('in text of the nineties the section ends at the next heading: %s', (_how, title, next) => {
    const paragraph =
      '     The Company weighs all of its options before it decides on anything, and\ninvestors should do so too before they buy any of the shares.\n\n'
    const entries = ['Prospectus Summary', 'Risk Factors', 'Use of Proceeds', 'Dilution', 'Business', 'Underwriting']
    const contents = `<TABLE>\n<S> <C>\n${entries.map((entry, at) => `${entry.padEnd(60, '.')}      ${at + 3}\n`).join('')}</TABLE>\n`
    const text = `PROSPECTUS\n\n       1,000,000 SHARES OF COMMON STOCK\n\n${paragraph.repeat(4)}${contents}\n                               RISK FACTORS\n\n${paragraph.repeat(9)}\n${title}\n\n     The net proceeds will be $9,000,000, for flour.\n\n                                       11\n<PAGE>\n\n     More of that flour is bought abroad.\n\n${next}\n\n     Other words.\n\n${paragraph.repeat(3)}                               BUSINESS\n\n${paragraph.repeat(9)}`
    const { offering } = parseProspectus(text, context)
    expect(offering.use_of_proceeds_text).toContain('bought abroad.')
    expect(offering.use_of_proceeds_text).not.toContain('Other words')
  })
  test('what is no prospectus is refused, not filled', () => {
    expect(() => parseProspectus(`<html><body>${filler}</body></html>`, context)).toThrow('no security on the cover')
    expect(() => parseProspectus('<p>short</p>', context)).toThrow('characters of text')
  })

  const megabytes = (piece: string, size = 5_000_000): string => piece.repeat(Math.ceil(size / piece.length))
  test.each([
    ['unclosed cells', '<table><tr><td>'],
    ['tags that never end', '<td<td '],
    ['dollars', '$ '],
    ['net proceeds without an amount', 'net proceeds to us of the '],
    ['numbers', '1,234,567 '],
    ['commas of one number', '123,'],
    ['links to nowhere', '<a href="#x">Use of Proceeds</a> 1 '],
    ['headings', '<p align="center"><b>USE OF PROCEEDS</b></p>'],
    ['headings of no known title', '<p align="center"><b>ABCDE</b></p>'],
    ['full stops', '. A'],
    ['inline facts that never end', '<ix:nonFraction name="us-gaap:Revenues" '],
    ['contexts that never end', '<xbrli:context id="a">'],
    ['table rows', '<tr><td>Total $</td><td>(1)</td>'],
  ])('5 MB of %s are read or refused in bounded time', (_name, piece) => {
    const source = `<html><body><p><b>PROSPECTUS</b></p><p><b>100 Shares</b></p><p><b>RISK FACTORS</b></p>${filler}<p><b>USE OF PROCEEDS</b></p><table><tr><td>${megabytes(piece)}`
    const ms = processorMs(() => {
      try {
        parseProspectus(source, context)
      } catch (error) {
        expect(error).toMatchObject({ name: 'Unreadable' })
      }
    })
    expect(ms).toBeLessThan(30_000)
  })
})
