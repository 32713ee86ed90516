import { describe, expect, test } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { planInWords, priceRanges } from './footnote-facts.ts'

describe('price ranges in footnotes', () => {
  test.each(textTable`
    sold in multiple transactions at prices ranging from $150.35 to $151.34, inclusive.       | 150.35  | 151.34
    executed in multiple trades at prices ranging from $116.81 to $116.95; the price reported | 116.81  | 116.95
    within a range of prices between $9.875 and $10.25 per share                              | 9.875   | 10.25
    The prices ranged from a low of $1,020.50 to a high of $1,021.00                          | 1020.50 | 1021.00
    at prices ranging between US$ 3.10 - US$ 3.25                                             | 3.10    | 3.25
    the actual prices ranged from 12.01 to 12.50                                              | 12.01   | 12.50
    The range of prices for these trades is $66.8350 through $66.9800                         | 66.8350 | 66.9800
    with prices from $20.00 per share to $20.99 per share                                     | 20.00   | 20.99
  `)('%s', (text, low, high) => {
    expect(priceRanges(text)).toEqual([{ low, high }])
  })

  test.each([
    'The option vests ranging from 10% to 25% a year.',
    'Grants ranging from 1,000 to 2,000 shares were made.',
    'A weighted average price; from 2019 to 2021 the price was fixed.',
    'Prices ranging from $12.00 to $11.00.',
    'Sold at $12.00 per share.',
    'between the reporting person and the issuer at a price of $4',
  ])('no range: %s', text => {
    expect(priceRanges(text)).toEqual([])
  })

  test('two ranges are two, the same twice is one', () => {
    expect(priceRanges('prices ranging from $1.00 to $1.99; others ranging from $2.00 to $2.99; prices ranging from $1.00 to $1.99')).toHaveLength(2)
  })

  test('a long footnote costs no more than its length', () => {
    const text = `${'prices ranging from $1 '.repeat(200_000)} to`
    expect(priceRanges(text)).toEqual([])
    expect(planInWords(`10b5-1 ${'adopted on May '.repeat(100_000)}`).dates).toEqual([])
  })
})

describe('10b5-1 plans in words', () => {
  test.each(textTable`
    made pursuant to a Rule 10b5-1 trading plan adopted by the reporting person on May 13, 2019. | 2019-05-13
    Effected pursuant to a 10b5-1 plan adopted by Mr. Sato on Sept. 5, 2023.                     | 2023-09-05
    under a Rule 10b5-1 plan dated 11/3/21                                                       | 2021-11-03
    a Rule 10b5-1 trading arrangement entered into on the 2022-02-28                             | 2022-02-28
    On March 1, 2023, the reporting person adopted a Rule 10b5-1 trading plan.                   | 2023-03-01
    Rule 10b5-1 Plan (adoption date: December 9, 2022)                                           | 2022-12-09
  `)('%s', (text, date) => {
    expect(planInWords(text)).toEqual({ mentioned: true, dates: [date] })
  })

  test('a plan without a date, with two, and one that is denied', () => {
    expect(planInWords('Sold under a Rule 10b5-1 plan.')).toEqual({ mentioned: true, dates: [] })
    expect(planInWords('10b5-1 plans adopted on May 1, 2023 and adopted on June 2, 2023').dates).toHaveLength(2)
    expect(planInWords('This sale was not made under a Rule 10b5-1 plan.').mentioned).toBe(false)
    expect(planInWords('The option was adopted on May 1, 2023.').mentioned).toBe(false)
    expect(planInWords('A 10b5-1 plan adopted on February 30, 2023').dates).toEqual([])
  })

  // Years before 1990 are misprints: Rule 10b5-1 is of 2000, and the earliest filings on EDGAR are of the 1990s.
  test.each([
    ['January 1, 1990', ['1990-01-01']],
    ['1990-12-31', ['1990-12-31']],
    ['December 31, 1989', []],
    ['12/31/1989', []],
  ])('a plan adopted on %s gives the dates %j', (day, dates) => {
    expect(planInWords(`A 10b5-1 plan adopted on ${day}`)).toEqual({ mentioned: true, dates })
  })
})
