import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { checkText } from './check-text.ts'
import { figuresOfProse } from './figures.ts'

// A receipt's id with a 5 in it, and lines whose numbers are 1 to 7: nothing of that is a count of five transactions.
const receipt_id = 'r1_e5vopqfnrdc5lmwvw542ezivgsp4brfsxx43xmkbhkg3drnwbxpq'
const insiders = {
  receipt_id,
  text: JSON.stringify({
    count: 7,
    currency: 'CAD',
    change_pct: -3.25,
    previous_close: 111.27,
    transactions: [1, 2, 3, 4, 5, 6, 7].map(line => ({
      line,
      shares: line * 100,
      price: 12.71,
      transaction_date: `2026-10-2${line}`,
      filed_date: '2026-10-30',
    })),
    receipt_id,
  }),
}
const statuses = (text: string): string[] => checkText(text, [insiders]).figures.map(each => `${each.text}: ${each.status}`)

describe('figures of a text against receipts', () => {
  /** A row: a text, and the status of each of its figures. */
  const expectStatuses = (rows: readonly (readonly string[])[]) => expect(rows.map(([text = '']) => [text, statuses(text).join(', ')])).toEqual(rows)
  it('does not take the 5 of a receipt id, a line or a share count for five transactions', () => {
    expectStatuses(textTable`
      There were 5 transactions.    | 5: unsupported
      There were five transactions. | five: unsupported
      There were 500 transactions.  | 500: unsupported
      There were 7 transactions.    | 7: supported
    `)
  })
  it('compares units: dollars of another country and percentages are other figures', () => {
    expectStatuses(textTable`
      the close before was 111.27 CAD | 111.27 CAD: supported
      the close before was 111.27 USD | 111.27 USD: unsupported
      it closed 111.27 % higher       | 111.27 %: unsupported
    `)
  })
  it('takes the sign from the verb, and not the wrong one', () => {
    expectStatuses(textTable`
      The price fell 3.25 %. | 3.25 %: supported
      The price rose 3.25 %. | 3.25 %: unsupported
      A change of -3.25 %.   | -3.25 %: supported
    `)
  })
  it('accepts a rounding to three digits and refuses a looser one', () => {
    expectStatuses(textTable`
      It closed at 111.3 CAD. | 111.3 CAD: supported
      It closed at 110 CAD.   | 110 CAD: unsupported
    `)
  })
  it('reads dates with the kind that the words name', () => {
    expectStatuses(textTable`
      a transaction dated October 25, 2026 | October 25, 2026: supported
      filed on 2026-10-25                  | 2026-10-25: ambiguous
      filed on 2026-10-30                  | 2026-10-30: supported
      paid on 2026-12-24                   | 2026-12-24: unsupported
    `)
  })
  it('finds figures in words, other scripts, and behind a false list number', () => {
    expectStatuses(textTable`
      a dozen purchases at twice the price | a dozen: unsupported, twice: unsupported
      5. transactions were seen            | 5: unsupported
      １２ shares                          | １２: unsupported
    `)
  })
  it('leaves names with digits, citations, list numbers and link targets alone', () => {
    expect(figuresOfProse('Form 4, Forms 3, 4 and 5, 10-K, 13D, Rule 506(b), the 52-week high [3], [x](https://www.sec.gov/Archives/1234)')).toEqual(
      [],
    )
    expect(figuresOfProse('1. one thing\n2. another')).toEqual([])
  })
  it('supports nothing without answers', () => {
    expect(checkText('7 transactions', [])).toMatchObject({ supported: 0, unsupported: 1 })
  })
})

describe('a number in words', () => {
  it.each([
    ['six hundred and twenty-one million dollars', '621000000'],
    ['one hundred thirteen', '113'],
    ['two thousand five hundred shares', '2500'],
    ['half a million', '500000'],
    ['a dozen', '12'],
    ['twenty-five percent', '25'],
    ['between two and three', '2'],
    ['five six', null],
  ])('%s is %s', (text, value) => {
    expect(figuresOfProse(text)[0]?.value).toBe(value)
  })
})

describe('a figure of another', () => {
  const quotes = {
    text: '{"count":2,"quotes":[{"symbol":"GLPR.TO","price":112.03,"currency":"CAD"},{"symbol":"LNTF","price":114.3,"currency":"USD","change_pct":-3.01230377599}]}',
    receipt_id: null,
  }
  const statements = {
    text: '{"symbol":"RDGT","company":"RIDGEBACK TIMBER CORPORATION","annual":[{"fiscal_year":2025,"period_end":"2025-12-31","currency":"USD","values":{"revenue":{"value":621000000,"unit":"USD","filed_date":"2026-03-02"}}},{"fiscal_year":2024,"period_end":"2024-12-31","currency":"USD","values":{"revenue":{"value":598000000,"unit":"USD","filed_date":"2026-03-02"}}}]}',
    receipt_id: null,
  }
  const trades = {
    text: '{"ticker":"LNTF","count":2,"transactions":[{"issuer_name":"Lanternfish Semiconductor, Inc.","owner_names":["OKONKWO DANIEL"],"transaction_date":"2026-11-03","acquired_disposed":"D","shares":5450},{"issuer_name":"Lanternfish Semiconductor, Inc.","owner_names":["PELLEGRINO JÉRÔME"],"transaction_date":"2026-10-28","acquired_disposed":"D","shares":2500}]}',
    receipt_id: null,
  }
  const actions = {
    text: '{"symbol":"GLPR.TO","currency":"CAD","actions":[{"kind":"dividend","amount":0.4375,"currency":"CAD","ex_date":"2026-12-09","pay_date":"2026-12-30","declared_date":"2026-11-11"}]}',
    receipt_id: null,
  }
  const bars = {
    text: '{"symbol":"GLPR.TO","currency":"CAD","bars":[{"date":"2026-11-18","close":111.27},{"date":"2026-11-19","close":112.03}]}',
    receipt_id: null,
  }
  it.each([
    // Another company, by symbol or by name, known or not.
    ['GLPR.TO trades at 112.03.', quotes, ['supported']],
    ['GLPR.TO trades at 114.3.', quotes, ['ambiguous']],
    ['GLPR.TO trades at 114.3 and LNTF at 112.03.', quotes, ['ambiguous', 'ambiguous']],
    ['GLPR.TO trades at 112.03 and LNTF at 114.3.', quotes, ['supported', 'supported']],
    ['RDGT trades at 112.03.', quotes, ['ambiguous']],
    ['Ridgeback trades at 112.03.', quotes, ['ambiguous']],
    ['Apple trades at 112.03.', quotes, ['ambiguous']],
    ['The price of Apple is 112.03.', quotes, ['ambiguous']],
    ['| GLPR.TO | price 112.03 |\n| LNTF | price 112.03 |', quotes, ['supported', 'ambiguous']],
    ['LNTF is a chip maker. It trades at 112.03.', quotes, ['ambiguous']],
    ['Ridgeback Timber had revenue of 621 million USD.', statements, ['supported']],
    ['Lanternfish had revenue of 621 million USD.', statements, ['ambiguous']],
    ['Revenue was 621 million USD.', statements, ['supported']],
    // Another person of the company.
    ['Okonkwo of Lanternfish sold 5,450 shares.', trades, ['supported']],
    ['Pellegrino of Lanternfish sold 5,450 shares.', trades, ['ambiguous']],
    ['Lanternfish insiders made 2 transactions.', trades, ['supported']],
    ['Insiders of RDGT made 2 transactions.', trades, ['ambiguous']],
    // Another year or day.
    ['Revenue in 2024 was 621 million USD.', statements, ['supported', 'ambiguous']],
    ['Revenue rose from 598 million USD in 2024 to 621 million USD in 2025.', statements, ['supported', 'supported', 'supported', 'supported']],
    ['Revenue rose from 621 million USD in 2024 to 598 million USD in 2025.', statements, ['ambiguous', 'supported', 'ambiguous', 'supported']],
    ['On November 18 the close was 112.03 CAD.', bars, ['supported', 'ambiguous']],
    ['On November 19 the close was 112.03 CAD.', bars, ['supported', 'supported']],
    ['The dividend of 0.4375 CAD was paid on 2026-11-11.', actions, ['supported', 'ambiguous']],
    ['The dividend of 0.4375 CAD was paid on 2026-12-30.', actions, ['supported', 'supported']],
    // A difference of percentages.
    ['LNTF fell 3.01 percent.', quotes, ['supported']],
    ['LNTF fell 3.01 percentage points.', quotes, ['unsupported']],
  ])('%s', (text, answer, expected) => {
    expect(checkText(text, [answer]).figures.map(each => each.status)).toEqual(expected)
  })
})

describe('a figure of', () => {
  const quote =
    '{"quotes":[{"symbol":"GLPR.TO","price":112.03,"currency":"CAD","open":111.32,"high":112.54,"previous_close":111.27,"change":0.76,"change_pct":0.683023276714}],"count":1}'
  const bars = '{"symbol":"GLPR.TO","currency":"CAD","bars":[{"date":"2026-11-17","close":109.33},{"date":"2026-11-19","close":112.03}]}'
  const trades = '{"transactions":[{"issuer_symbol":"BRLX","code":"S","acquired_disposed":"D","shares":200000,"shares_after":9793800}]}'
  const statusOf = (text: string, answer: string): string | undefined => checkText(text, [{ text: answer, receipt_id: null }]).figures[0]?.status
  const answers: Readonly<Record<string, string>> = { quote, bars, trades }
  it.each(textTable`
    GLPR.TO lost 0.76 CAD a share.                    | quote  | unsupported
    GLPR.TO gained 0.76 CAD a share.                  | quote  | supported
    GLPR.TO rose 0.68 % in the session.               | quote  | supported
    The high price of the session was 112.03 CAD.     | quote  | ambiguous
    The high price of the session was 112.54 CAD.     | quote  | supported
    The previous close was 112.03 CAD.                | quote  | ambiguous
    GLPR.TO trades at a price of 112.03 CAD.          | quote  | supported
    GLPR.TO did not trade at a price of 112.03 CAD.   | quote  | ambiguous
    Apple (AAPL) trades at a price of 112.03 CAD.     | quote  | ambiguous
    GLPR.TO closed at 109.33 CAD on 2026-11-19.       | bars   | ambiguous
    GLPR.TO closed at 112.03 CAD on 2026-11-19.       | bars   | supported
    Insiders bought 200,000 shares.                   | trades | ambiguous
    Insiders sold 200,000 shares.                     | trades | supported
    The price to earnings ratio is [46].              | quote  | unsupported
  `)('%s', (text = '', answer = '', status) => {
    expect(statusOf(text, answers[answer] ?? '')).toBe(status)
  })
})
