// EDGAR's rendered pages of Forms 3, 4 and 5 give the same content as their XML. Recorded pages, and small constructed ones.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { datasets } from '#schemas/index.ts'
import type { RawDocument } from '../parsed.ts'
import { isOwnershipPage } from './page.ts'
import { ownershipPageReader, parseBareOwnership, parseOwnershipPage } from './readers.ts'

const documentOf = (body: Buffer): RawDocument => ({
  ...{ url: 'recorded:page', sha256: createHash('sha256').update(body).digest('hex'), source: 'edgar', retrieved_at: '', status: 200, headers: {} },
  body,
})

const owner = (name: string, cik: string): string =>
  `<table><tr><td><span>1. Name and Address of Reporting Person<sup>*</sup></span><table><tr><td><a href="/cgi-bin/browse-edgar?action=getcompany&amp;CIK=${cik}">${name}</a></td></tr></table><table><tr><td><span class="FormData">1 KILN ROAD</span></td></tr></table><table><tr><td><span class="FormData">CLAYTON</span></td><td><span class="FormData">NC</span></td><td><span class="FormData">27560</span></td></tr></table></td></tr></table>`
const cell = (text: string): string => `<td>${text === '' ? '' : `<span class="FormData">${text}</span>`}</td>`
const row = (...cells: readonly string[]): string => `<tr>${cells.map(cell).join('')}</tr>`
const note = (mark: string): string => `</span><span class="FootnoteData"><sup>(${mark})</sup></span><span>`

type Given = {
  readonly title?: string
  readonly box?: string
  readonly original?: string
  readonly one?: string
  readonly two?: string
  readonly owners?: string
  readonly notes?: string
  readonly boxes?: string
}
const page = (given: Given): string => `<!DOCTYPE html><html><head><title>SEC FORM
   ${given.title ?? '4'}</title></head><body>
<table><tr><td><table><tr><td>${given.box ?? ' '}</td></tr></table></td><td>Check this box to indicate that a transaction was made pursuant to Rule 10b5-1(c).</td></tr></table>
${given.owners ?? owner('Potter Ann', '0001000001')}
<table><tr><td><span>2. Issuer Name <b>and</b> Ticker or Trading Symbol</span><br><a href="?CIK=0001000002">Kiln Works, Inc.</a> [ <span class="FormData">KILN</span> ]</td>
<td><span>5. Relationship of Reporting Person(s) to Issuer</span><table>${given.boxes ?? '<tr><td><span class="FormData">X</span></td><td>Director</td><td></td><td>10% Owner</td></tr><tr><td><span class="FormData">X</span></td><td>Officer (give title below)</td><td></td><td>Other (specify below)</td></tr><tr><td colspan="4"><span class="FormData">Chief Potter</span><span class="FormData"></span></td></tr>'}</table></td></tr>
<tr><td><span>3. Date of Earliest Transaction (Month/Day/Year)</span><br><span class="FormData">05/06/2025</span></td></tr>
<tr><td><span>4. If Amendment, Date of Original Filed (Month/Day/Year)</span><br>${given.original === undefined ? '' : `<span class="FormData">${given.original}</span>`}</td></tr></table>
<table><thead><tr><th colspan="11">Table I - Non-Derivative Securities</th></tr><tr><th rowspan="2">1. Title of Security (Instr. 3)</th><th rowspan="2">2. Transaction Date</th><th rowspan="2">2A. Deemed Execution Date, if any</th><th colspan="2">3. Transaction Code (Instr. 8)</th><th colspan="3">4. Securities Acquired (A) or Disposed Of (D) (Instr. 3, 4 and 5)</th><th rowspan="2">5. Amount of Securities Beneficially Owned Following Reported Transaction(s)</th><th rowspan="2">6. Ownership Form: Direct (D) or Indirect (I)</th><th rowspan="2">7. Nature of Indirect Beneficial Ownership</th></tr><tr><th>Code</th><th>V</th><th>Amount</th><th>(A) or (D)</th><th>Price</th></tr></thead><tbody>${given.one ?? ''}</tbody></table>
<table><thead><tr><th colspan="16">Table II - Derivative Securities</th></tr><tr><th rowspan="2">1. Title of Derivative Security (Instr. 3)</th><th rowspan="2">2. Conversion or Exercise Price of Derivative Security</th><th rowspan="2">3. Transaction Date</th><th rowspan="2">3A. Deemed Execution Date, if any</th><th colspan="2">4. Transaction Code (Instr. 8)</th><th colspan="2">5. Number of Derivative Securities Acquired (A) or Disposed of (D) (Instr. 3, 4 and 5)</th><th colspan="2">6. Date Exercisable and Expiration Date</th><th colspan="2">7. Title and Amount of Securities Underlying Derivative Security</th><th rowspan="2">8. Price of Derivative Security (Instr. 5)</th><th rowspan="2">9. Number of derivative Securities Beneficially Owned Following Reported Transaction(s)</th><th rowspan="2">10. Ownership Form: Direct (D) or Indirect (I)</th><th rowspan="2">11. Nature of Indirect Beneficial Ownership</th></tr><tr><th>Code</th><th>V</th><th>(A)</th><th>(D)</th><th>Date Exercisable</th><th>Expiration Date</th><th>Title</th><th>Amount or Number of Shares</th></tr></thead><tbody>${given.two ?? ''}</tbody></table>
<table><tr><td><b>Explanation of Responses:</b></td></tr>${given.notes ?? ''}</table>
<table><tr><td></td><td><u><span class="FormData">/s/ Ann Potter</span></u></td><td><u><span class="FormData">05/07/2025</span></u></td></tr></table></body></html>`
const read = (given: Given) => parseOwnershipPage(documentOf(Buffer.from(page(given))))

describe('a rendered Form 4', () => {
  it('gives the filing, its person and its boxes', () => {
    const { facts } = read({ title: '4/A', box: 'X', original: '05/01/2025' })
    expect(facts.insider_filings).toMatchObject([
      {
        ...{ form: '4/A', period_of_report: '2025-05-06', original_filed_date: '2025-05-01', aff_10b5_1: '1', plan_10b5_1: 'yes' },
        ...{ issuer_name: 'Kiln Works, Inc.', issuer_symbol: 'KILN', issuer_cik: '0001000002', transactions: 0, holdings: 0 },
        owners: [
          {
            name: 'Potter Ann',
            cik: '0001000001',
            director: true,
            officer: true,
            officer_title: 'Chief Potter',
            street1: '1 KILN ROAD',
            city: 'CLAYTON',
          },
        ],
        signatures: [{ name: '/s/ Ann Potter', date: '2025-05-07' }],
      },
    ])
  })
  it('gives transactions and holdings of both tables, a price that only a footnote tells as null', () => {
    const { facts, refused } = read({
      one: `${row('Common Stock', '05/06/2025', '', 'S', 'V', '1,500', 'D', `$${note('1')}`, '20,000', 'D', '')}${row('Common Stock', '', '', '', '', '', '', '', '300', 'I', 'By Trust')}`,
      two: row('Option', '$9.5', '05/06/2025', '', 'M', '', '', '1,500', '01/01/2024', '01/01/2034', 'Common Stock', '1,500', '$0', '0', 'D', ''),
      notes:
        '<tr><td class="FootnoteData">1. Prices ranged from $10.00 to $11.00.</td></tr><tr><td><b>Remarks:</b></td></tr><tr><td>Sold under duress.</td></tr>',
    })
    expect(refused).toEqual([])
    expect(facts.insider_filings).toMatchObject([
      { remarks: 'Sold under duress.', footnotes: [{ id: 'F1', text: 'Prices ranged from $10.00 to $11.00.' }] },
    ])
    expect(facts.insider_transactions).toMatchObject([
      {
        ...{ line: 1, derivative: false, code: 'S', acquired_disposed: 'D', shares: '1500', price: null, price_low: '10.00', price_high: '11.00' },
        ...{ transaction_date: '2025-05-06', shares_after: '20000', direct_or_indirect: 'D', timeliness: 'E' },
        footnotes: [{ field: 'price', id: 'F1', text: 'Prices ranged from $10.00 to $11.00.' }],
      },
      {
        ...{ line: 3, derivative: true, code: 'M', acquired_disposed: 'D', shares: '1500', price: '0', conversion_or_exercise_price: '9.5' },
        ...{
          exercise_date: '2024-01-01',
          expiration_date: '2034-01-01',
          underlying_title: 'Common Stock',
          underlying_shares: '1500',
          shares_after: '0',
        },
      },
    ])
    expect(facts.insider_holdings).toMatchObject([{ line: 2, shares_after: '300', direct_or_indirect: 'I', nature_of_ownership: 'By Trust' }])
    for (const dataset of ['insider_filings', 'insider_transactions', 'insider_holdings'] as const)
      for (const fact of facts[dataset] ?? []) expect(datasets[dataset].facts.safeParse(fact).error).toBeUndefined()
  })
  it('names each person of a joint filing once', () => {
    const { facts } = read({ owners: `${owner('Potter Ann', '0001000001')}${owner('Potter Ann', '0001000001')}${owner('Glaze LP', '0001000003')}` })
    expect(facts.insider_filings?.[0]?.owners.map(({ name, director }) => [name, director])).toEqual([
      ['Potter Ann', true],
      ['Glaze LP', false],
    ])
  })
  it('keeps a cell that cannot be read as null, and says so', () => {
    const { facts, refused } = read({ one: row('Common Stock', '13/45/2025', '', 'S', '', 'many', 'D', '$10', '20,000', 'D', '') })
    expect(facts.insider_transactions).toMatchObject([
      { transaction_date: null, shares: null, price: '10', flags: expect.arrayContaining(['shares_unreadable']) },
    ])
    expect(refused.map(({ reason }) => reason)).toEqual(['unreadable_cell', 'unreadable_cell'])
  })
  it('in the fixture reads the same', () => {
    const body = readFileSync(new URL('../../../fixtures/insider/rendered-form4.html', import.meta.url))
    const { facts, refused } = parseOwnershipPage(documentOf(body))
    expect(refused).toEqual([])
    expect(facts.insider_transactions?.map(({ line, code, shares, price, price_low }) => [line, code, shares, price, price_low])).toEqual([
      [1, 'S', '1500', null, '10.00'],
      [3, 'M', '1500', '0', null],
    ])
    expect(facts.insider_holdings?.map(({ line, shares_after }) => [line, shares_after])).toEqual([[2, '300']])
  })
  it('only fills what the XML has not said', () => {
    expect(read({}).fills).toBe(true)
  })
})

test.each([
  ['another page', '<html><title>SEC FORM 10-K</title><body>Reporting Person</body></html>', 'not_ownership'],
  ['a page cut off behind its title', '<html><title>SEC FORM 4</title><body>Reporting Person', 'issuer_missing'],
  ['no page at all', '\u0000\u0001', 'not_ownership'],
])('%s is refused', (_, text, reason) => {
  expect(() => parseOwnershipPage(documentOf(Buffer.from(text)))).toThrow(expect.objectContaining({ reason }))
})

it('the reader takes addresses of rendered pages, and pages by their look', () => {
  const folder = 'https://www.sec.gov/Archives/edgar/data/1000002/000100000225000001'
  expect([`${folder}/xslF345X05/form4.xml`, `${folder}/form4.xml`].map(ownershipPageReader.reads)).toEqual([true, false])
  expect([page({}), '<ownershipDocument>', '<html><title>SEC FORM 4</title>'].map(isOwnershipPage)).toEqual([true, false, false])
})

describeReal('recorded pages', () => {
  test.each([
    ['o2.html', 'scwo-melkote-form4-2025-04-30.xml'],
    ['o3.html', 'snow-garrett-form3-derivative-holdings.xml'],
  ])('%s says what its XML says', (html, xml) => {
    const [shown, filed] = [
      parseOwnershipPage(documentOf(realBytes(join('edgar2/form345', html)))),
      parseBareOwnership(documentOf(realBytes(join('edgar/form345', xml)))),
    ]
    // Values that a page does not show, or prints in another form (`134,018` for `134018.0`).
    const unseen = new Set([
      'filing_id',
      'schema_version',
      'transaction_form_type',
      'equity_swap',
      'aff_10b5_1',
      'no_securities_owned',
      'not_subject_to_section16',
    ])
    const plain = (rows: readonly object[] | undefined): unknown =>
      (rows ?? []).map(fact =>
        Object.fromEntries(
          Object.entries(fact)
            .filter(([key]) => !unseen.has(key))
            .map(([key, value]) => [key, typeof value === 'string' ? value.replace(/\.0$/, '') : value]),
        ),
      )
    for (const dataset of ['insider_filings', 'insider_transactions', 'insider_holdings'] as const)
      expect(plain(shown.facts[dataset])).toEqual(plain(filed.facts[dataset]))
  })
})
