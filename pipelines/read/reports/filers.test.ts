// How filers print their items: each way by itself, in reports written by hand with invented names.
import { describe, expect, it, test } from 'vitest'
import { paragraphs, words } from '#fixtures/reports/paragraphs.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { locateItems } from './locate.ts'
import type { LocatedItem } from './located.ts'

/** Lines of plain text, with a blank line between two paragraphs. */
const plain = (...paragraphs: readonly string[]): string => `\n${paragraphs.join('\n\n')}\n`
const located = (source: string, form = '10-K'): LocatedItem[] => locateItems(readProse(source), form)
const printed = (source: string, form = '10-K'): string[] => located(source, form).flatMap(({ item, start, end }) => (end > start ? [item] : []))
const textOf = (source: string, item: string, form = '10-K'): string | undefined => {
  const prose = readProse(source)
  const found = locateItems(prose, form).find(each => each.item === item)
  return found && prose.text.slice(found.headingEnd, found.end).replace(/\s+/g, ' ').trim()
}

describe('items numbered in words', () => {
  const source = plain(
    '                 PART ONE',
    'ITEM ONE - BUSINESS',
    words(60),
    'ITEM TWO - PROPERTIES',
    words(20),
    'ITEM SIX - SELECTED FINANCIAL DATA',
    words(30),
    "ITEM SEVEN - MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION",
    words(90),
    'See Item Eight.',
    'ITEM EIGHT - FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA',
    words(90),
    'ITEM FOURTEEN - EXHIBITS AND REPORTS ON FORM 8-K',
    'None.',
  )
  it('are those items', () => {
    expect(printed(source)).toEqual(['1', '2', '6', '7', '8', '14'])
    expect(textOf(source, '2')).toBe(words(20))
  })
  it('two under one heading, as with digits', () => {
    const both = plain(
      ...paragraphs`
        Item One and Two. Business and Properties
        {60 words}
        ITEM THREE. LEGAL PROCEEDINGS
        None.
        ITEM FOUR. RESERVED
        None.
      `,
    )
    expect(located(both).map(({ item, flags }) => [item, flags[0]])).toEqual([
      ['1A', undefined],
      ['1', 'combined_with_2'],
      ['2', 'combined_with_1'],
      ['3', undefined],
      ['4', undefined],
    ])
  })
})

describe('an item of another rule', () => {
  test.each([
    'Item 1114(b)(2) of Regulation AB, Significant Enhancement Provider Information',
    'Item 1117 Legal Proceedings',
    'Item 404 Transactions with Related Persons',
    'Item 4.01 Changes in Registrant&#8217;s Certifying Accountant',
  ])('%s is none of this form', heading => {
    const source = `<p><b>Item 1. Business</b></p><p>${words(60)}</p><p><b>${heading}</b></p><p>${words(40)}</p><p><b>Item 15. Exhibits</b></p><p>None.</p>`
    expect(printed(source)).toEqual(['1', '15'])
  })
})

describe('plain text of the first years', () => {
  const twentyF = (heading: string): string =>
    plain(
      'Item 1. Identity of Directors, Senior Management and Advisers',
      'Not applicable',
      'Item 3. Key Information',
      words(60),
      heading,
      words(400),
      'Item 4. Information on the Company',
      words(120),
      'Item 14. Material Modifications to the Rights of Security Holders and Use of\n          Proceeds',
      'None',
      'Item 15. Reserved for future use',
      'Not applicable',
      'Item 16. Reserved for future use',
      'Not applicable',
      'Item 18. Financial Statements',
      words(30),
      'Item 19. Financial Statements and Exhibits',
      words(30),
    )
  test.each(['Risk factors\n------------', 'Risk factors\n- ------------', 'Risk Factors\n============', 'Risk factors', 'D.  Risk factors'])(
    'the risk factors of a 20-F stand below %j',
    heading => {
      const found = located(twentyF(heading), '20-F').find(({ item }) => item === '3.D')
      expect(found).toMatchObject({ status: 'full', located: 'heading', flags: expect.arrayContaining(['title_only']) })
      expect(textOf(twentyF(heading), '3.D', '20-F')?.replace(/^[-= ]+/, '')).toBe(words(400))
    },
  )
  it('a sentence that begins with the words is no heading', () => {
    const inText = `${words(9)}\nRisk factors are told of in our last report and in the prospectus of the\noffering. ${words(400)}`
    expect(located(twentyF(inText), '20-F').find(({ item }) => item === '3.D')?.status).toBe('not_present')
  })
  it('reserved items and the last ones are items; a title may go on in the line below', () => {
    const source = twentyF('Risk factors')
    expect(printed(source, '20-F')).toEqual(['1', '3', '3.D', '4', '14', '15', '16', '18', '19'])
    expect(located(source, '20-F').find(({ item }) => item === '14')).toMatchObject({
      title: 'Material Modifications to the Rights of Security Holders and Use of Proceeds',
      status: 'full',
      words: 15,
    })
  })
  it('a stub in the line below a title is no part of it', () => {
    const source = plain('ITEM 1. BUSINESS', words(60), 'ITEM 3. LEGAL PROCEEDINGS\n        None.', 'ITEM 4. RESERVED\n        Not applicable')
    expect(located(source).find(({ item }) => item === '3')?.title).toBe('LEGAL PROCEEDINGS')
  })
})

describe('a part that is answered as a whole', () => {
  const source = plain(
    'ITEM 8. FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA',
    words(90),
    'ITEM 9. CHANGES IN AND DISAGREEMENTS WITH ACCOUNTANTS',
    'None.',
    '                   PART III',
    `     The information required by Part III is incorporated by reference\nto the proxy statement. ${words(40)}`,
    '     It was filed in May.',
    '                   PART IV',
    'ITEM 14. EXHIBITS AND REPORTS ON FORM 8-K',
    words(30),
  )
  it('ends the item before, however much stands below it', () => {
    expect(textOf(source, '9')).toBe('None.')
  })
  it('exhibits of item 14, before 2003, are of part IV', () => {
    expect(located(source).find(({ item }) => item === '14')?.part).toBe('IV')
  })
  it('a running head of the same part, or of a part that is taken back, ends nothing', () => {
    const running = plain(
      ...paragraphs`
        ITEM 7. MANAGEMENT’S DISCUSSION AND ANALYSIS
        {90 words}
        PART II
        {90 words}
        PART I
        {90 words}
        PART II
        {9 words}
        ITEM 8. FINANCIAL STATEMENTS
        {60 words}
      `,
    )
    expect(textOf(running, '7')?.split(' ').length).toBe(90 + 2 + 90 + 2 + 90 + 2 + 9)
  })
})

const bold = (text: string, size = 0): string => `<p style="font-weight:bold${size > 0 ? `;font-size:${size}pt` : ''}">${text}</p>`
const text = (count: number): string => `<p>${words(count)}</p>`
/** The end of a printed page, its number at the foot. */
const foot = (page: number): string => `<p style="text-align:center">${page}</p><hr style="page-break-after:always">`
/** Risk factors of a filer that heads each in bold; every heading bears an anchor `n0`, `n1`, … */
const risksIn = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${bold(`<a name="n${at}"></a>Our kiln ${at} may fail`)}${text(200)}`).join('')

describe('links of a list that is no contents of the report', () => {
  const linksTo = (lines: readonly (readonly [title: string, anchor: string])[]): string =>
    `<table>${lines.map(([title, anchor], at) => `<tr><td><a href="#${anchor}">${title}</a></td><td>${at + 40}</td></tr>`).join('')}</table>`
  const notes = [
    'General information',
    'Basis of preparation',
    'Financial risk management',
    'Share capital',
    'Legal proceedings',
    'Income taxes',
    'Leases',
  ]
  const notesList = linksTo(notes.map((title, at) => [title, `n${at + 1}`] as const))
  const body = (risk: string): string =>
    `${bold('Item 1. Identity of Directors')}<p>Not applicable.</p>${bold('<a name="i3"></a>Item 3. Key Information')}${text(50)}${risk}${bold('<a name="i4"></a>Item 4. Information on the Company')}${text(300)}${bold('<a name="i5"></a>Item 5. Operating and Financial Review')}${text(300)}${bold('<a name="i18"></a>Item 18. Financial Statements')}${text(60)}`
  const contents = linksTo([
    ['Item 3. Key Information', 'i3'],
    ['Item 4. Information on the Company', 'i4'],
    ['Item 5. Operating and Financial Review', 'i5'],
    ['Item 18. Financial Statements', 'i18'],
  ])
  // 12 risk factors of 200 words, a heading of 5 words each, and the title's own words.
  test.each([
    ['behind the report', `${contents}${body(`${bold('D. Risk Factors')}${risksIn(12)}`)}${notesList}`, 12 * 205 + 3],
    ['with the only links of the report', `${body(`${bold('D. Risk Factors')}${risksIn(12)}`)}${notesList}`, 12 * 205 + 3],
    ['ahead of it', `${notesList}${text(90)}${contents}${body(`${bold('Risk Factors')}${risksIn(12)}`)}`, 12 * 205 + 2],
  ])('a list of notes %s, with wrong links, ends no section', (_, source, expected) => {
    expect(located(source, '20-F').find(({ item }) => item === '3.D')).toMatchObject({ status: 'full', words: expected })
  })
  it('letter E ends letter D', () => {
    const source = body(`${bold('D. Risk Factors')}${risksIn(3)}${bold('E. Other matters')}${text(30)}`)
    expect(located(source, '20-F').find(({ item }) => item === '3.D')?.words).toBe(3 * 205 + 3)
  })
})

describe('an index that gives pages', () => {
  const row = (...cells: readonly string[]): string => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`
  const index = `${bold('FORM 10-K CROSS-REFERENCE INDEX')}<table>${row('Item 1.', 'Business', '1-2')}${row('Item 1A.', 'Risk Factors', '3-5')}${row('Item 1B.', 'Unresolved Staff Comments', 'None')}${row('Item 1C.', 'Cybersecurity', '6')}${row('Item 2.', 'Properties', '6')}${row('Item 3.', 'Legal Proceedings', '7')}${row('Item 7.', 'Management’s Discussion and Analysis of Financial Condition', '8-9')}</table>`
  /** Sections with titles of their own; `behind` stands at the head of page 6. */
  const report = (size: number, behind: string): string =>
    `${bold('OUR BUSINESS AND WHAT WE FIRE', 12)}${text(300)}${foot(1)}${text(300)}${foot(2)}${bold('RISK FACTORS', size)}${text(300)}${foot(3)}${bold('Cybersecurity', 10)}${text(300)}${foot(4)}${text(300)}${foot(5)}${behind}${text(300)}${foot(6)}${bold('LEGAL PROCEEDINGS', 12)}${text(300)}${foot(7)}${bold('MANAGEMENT’S DISCUSSION', 12)}${text(300)}${foot(8)}${text(300)}${foot(9)}${index}`
  const risk = (source: string): LocatedItem | undefined => located(source).find(({ item }) => item === '1A')
  it('ends a section with its range, where what follows has no heading', () => {
    expect(risk(report(12, ''))).toMatchObject({ status: 'full', words: 2 + 300 + 1 + 1 + 300 + 1 + 300 + 1 })
  })
  it('a heading larger than its neighbours does not swallow them', () => {
    const source = report(16, `${bold('CYBERSECURITY', 12)}`)
    expect(risk(source)).toMatchObject({ status: 'full', words: 2 + 300 + 1 + 1 + 300 + 1 + 300 + 1 })
  })
  it('the same without pages: the smaller titles are as large as titles are in the report', () => {
    const source = `${bold('RISK FACTORS', 16)}${risksIn(2)}${bold('UNRESOLVED STAFF COMMENTS', 12)}<p>None.</p>${bold('CYBERSECURITY', 12)}${text(90)}${bold('PROPERTIES', 12)}${text(40)}${bold('LEGAL PROCEEDINGS', 12)}${text(40)}`
    expect(located(source).map(({ item, words: count }) => [item, count])).toEqual([
      ['1A', 2 + 2 * 205],
      ['1B', 4],
      ['1C', 91],
      ['2', 41],
      ['3', 42],
    ])
  })
  it('a section that contradicts its page, or runs on behind its pages, or is far too short for them, says so', () => {
    const contents = (risks: number, staff: number): string =>
      `<table>${row('Item 1.', 'Business', '1')}${row('Item 1A.', 'Risk Factors', `${risks}`)}${row('Item 1B.', 'Unresolved Staff Comments', `${staff}`)}${row('Item 2.', 'Properties', '9')}</table>`
    const pages = `${bold('Item 1. Business')}${text(200)}${foot(1)}${text(200)}${foot(2)}${bold('Item 1A. Risk Factors')}${text(300)}${foot(3)}${text(300)}${foot(4)}${text(300)}${foot(5)}${text(300)}${foot(6)}${text(300)}${foot(7)}${bold('Item 1B. Unresolved Staff Comments')}<p>None.</p>${foot(8)}${bold('Item 2. Properties')}${text(30)}${foot(9)}`
    const short = pages.replaceAll(text(300), '<p>Kiln.</p>').replace('<p>Kiln.</p>', text(280))
    expect(risk(`${contents(3, 8)}${pages}`)?.flags).toEqual([])
    expect(risk(`${contents(5, 8)}${pages}`)?.flags).toEqual(['not_on_index_page'])
    expect(risk(`${contents(3, 5)}${pages}`)?.flags).toEqual(['beyond_index_pages'])
    expect(risk(`${contents(3, 9)}${short}`)?.flags).toEqual(['shorter_than_usual', 'shorter_than_index_pages'])
  })
})

/** Items of a 10-K up to Item 5, each with a short body; `behind` stands behind Item 4. */
const upTo5 = (behind = ''): string =>
  `${bold('PART I')}${bold('Item 1. Business')}${text(120)}${bold('Item 1A. Risk Factors')}${text(500)}${bold('Item 1B. Unresolved Staff Comments')}<p>None.</p>${bold('Item 2. Properties')}${text(30)}${bold('Item 3. Legal Proceedings')}<p>None.</p>${bold('Item 4. Mine Safety Disclosures')}<p>Not applicable.</p>${behind}${bold('PART II')}${bold('Item 5. Market for Registrant&#8217;s Common Equity')}${text(60)}`
const statusOf = (source: string, item: string, form = '10-K') => {
  const found = located(source, form).find(each => each.item === item)
  return found && [found.status, found.words, ...found.flags]
}

describe('a report on asset-backed securities', () => {
  const end = `${bold('PART IV')}${bold('Item 15. Exhibits, Financial Statement Schedules')}${text(40)}`
  it('lists what General Instruction J leaves out, ahead of items of Regulation AB', () => {
    const source = `${bold('PART I')}<p>The following Items have been omitted in accordance with General Instruction J to Form 10-K:</p><p>Item 1. Business.</p><p>Item 1A. Risk Factors.</p><p>Item 2. Properties.</p><p>Item 3. Legal Proceedings.</p>${bold('Item 1B. Unresolved Staff Comments.')}<p>None.</p>${bold('Item 4. Mine Safety Disclosures.')}<p>Not applicable.</p><p>Substitute information provided in accordance with General Instruction J to Form 10-K:</p>${bold('Item 1114(b)(2) of Regulation AB. Significant Enhancement Provider Financial Information.')}${text(80)}${bold('Item 1117 of Regulation AB. Legal Proceedings.')}${text(80)}${end}`
    expect(located(source).flatMap(({ item, status, words: count }) => (count > 0 ? [[item, status, count]] : []))).toEqual([
      ['1', 'not_required', 3],
      ['1A', 'not_required', 4],
      ['2', 'not_required', 3],
      ['3', 'not_required', 4],
      ['1B', 'full', 6],
      ['4', 'not_required', 7],
      ['15', 'full', 46],
    ])
    expect(located(source).find(({ item }) => item === '1A')?.reason).toMatch(/^The following Items have been omitted/)
  })
  it('says so below each heading, or in one sentence', () => {
    const each = `${bold('Item 1. Business')}<p>Omitted in accordance with General Instruction J.</p>${bold('Item 1A. Risk Factors')}<p>Omitted pursuant to General Instruction J.</p>${bold('Item 4. Mine Safety Disclosures')}<p>Not applicable.</p>${end}`
    expect(['1', '1A'].map(item => statusOf(each, item)?.[0])).toEqual(['not_required', 'not_required'])
    const sentence = `<p>Item 1. Business, Item 2. Properties and Item 3. Legal Proceedings are omitted in accordance with General Instruction J.</p>${bold('Item 1B. Unresolved Staff Comments')}<p>None.</p>${end}`
    expect(
      located(sentence)
        .filter(({ status }) => status === 'omitted')
        .map(({ item }) => item),
    ).toEqual(['1', '2', '3'])
    expect(statusOf(sentence, '1A')).toEqual(['not_present', 0])
  })
})

describe('items that the form has and the report has not', () => {
  it('are listed with the words that leave them out', () => {
    const source = `${bold('PART I')}${bold('Item 1. Financial Statements')}${text(90)}${bold('Item 2. Management&#8217;s Discussion')}${text(90)}${bold('Item 3. Quantitative and Qualitative Disclosures About Market Risk')}<p>None.</p>${bold('Item 4. Controls and Procedures')}${text(60)}${bold('PART II')}<p>Items 3, 4 and 5 are not applicable and have been omitted.</p>${bold('Item 1. Legal Proceedings')}<p>None.</p>${bold('Item 1A. Risk Factors')}<p>None.</p>${bold('Item 6. Exhibits')}${text(20)}`
    const left = located(source, '10-Q').filter(({ status }) => status === 'omitted')
    expect(left.map(({ part, item, reason }) => [part, item, reason?.slice(0, 34)])).toEqual([
      ['II', '2', 'the report prints no heading of th'],
      ['II', '3', 'Items 3, 4 and 5 are not applicabl'],
      ['II', '4', 'Items 3, 4 and 5 are not applicabl'],
      ['II', '5', 'Items 3, 4 and 5 are not applicabl'],
    ])
    expect(left.every(({ start, end, words: count, located: by }) => start === end && count === 0 && by === null)).toBe(true)
  })
  it('a part that answers for its items is their reason', () => {
    const source = plain(
      ...paragraphs`
        PART I
        ITEM 1. BUSINESS
        {60 words}
        ITEM 2. PROPERTIES
        {20 words}
        ITEM 3. LEGAL PROCEEDINGS
        None.
        PART II
        ITEM 5. MARKET FOR COMMON EQUITY
        {20 words}
        ITEM 7. MANAGEMENT'S DISCUSSION
        {90 words}
        ITEM 8. FINANCIAL STATEMENTS
        {60 words}
        ITEM 9. CHANGES IN AND DISAGREEMENTS WITH ACCOUNTANTS
        None.
        PART III
        Part III is incorporated by reference to our proxy statement.
        PART IV
        ITEM 14. EXHIBITS AND REPORTS ON FORM 8-K
        {20 words}
      `,
    )
    expect(
      located(source)
        .filter(({ status }) => status === 'omitted')
        .map(({ item, reason }) => [item, reason]),
    ).toEqual(['10', '11', '12', '13'].map(item => [item, 'Part III is incorporated by reference to our proxy statement.']))
  })
  it('a fragment of a report leaves nothing out', () => {
    const source = `${bold('PART III')}${bold('Item 10. Directors, Executive Officers and Corporate Governance')}${text(60)}${bold('Item 11. Executive Compensation')}${text(60)}`
    expect(located(source, '10-K/A').filter(({ status }) => status === 'omitted')).toEqual([])
  })
})

describe('headings that one answer stands for', () => {
  const partIII = (mark: string): string =>
    `${upTo5()}${bold('PART III')}${['10. Directors, Executive Officers and Corporate Governance', '11. Executive Compensation', '12. Security Ownership of Certain Beneficial Owners', '13. Certain Relationships and Related Transactions', '14. Principal Accountant Fees and Services'].map(title => bold(`Item ${title}${mark}`)).join('')}`
  const note = 'The information is incorporated by reference to our proxy statement.'
  const end = `${bold('PART IV')}${bold('Item 15. Exhibits')}${text(40)}`
  test.each([
    ['a footnote right below', `${partIII('*')}<p>* ${note}</p>${end}`, 'answered_in_footnote'],
    ['a footnote at the end of the report', `${partIII(' *')}${end}<p>*${note}</p>`, 'answered_in_footnote'],
    ['words below the last of them', `${partIII('')}<p>${note}</p>${end}`, 'answered_with_14'],
    [
      'words above the first of them',
      `${partIII('').replace('PART III</p>', `PART III</p><p>The information required by Items 10 to 14 is incorporated by reference to our proxy statement.</p>`)}${end}`,
      'answered_above',
    ],
  ])('%s', (_, source, flag) => {
    for (const item of ['10', '11', '12', '13']) expect(statusOf(source, item)).toEqual(expect.arrayContaining(['incorporated_by_reference', flag]))
    expect(located(source).find(({ item }) => item === '11')?.title).toBe('Executive Compensation')
  })
  it('an asterisk whose footnote says something else changes nothing', () => {
    expect(statusOf(`${partIII('*')}${end}<p>* Filed herewith.</p>`, '10')).toEqual(['empty', 8])
  })
})

describe('sections without a number', () => {
  test.each([
    'EXECUTIVE OFFICERS OF THE REGISTRANT',
    'Executive Officers of the Registrant',
    'Information about our Executive Officers',
    'Executive Officers of Kiln Works, Inc.',
  ])('%s, behind Item 4, is no part of it', heading => {
    const source = upTo5(`${bold(heading)}${text(200)}`)
    expect(statusOf(source, '4')).toEqual(['not_required', 7])
    expect(located(source).find(({ item }) => item === 'executive_officers')).toMatchObject({ part: 'I', status: 'full', flags: [] })
  })
  it('the officers at the end of Item 1 are cut from it; where Item 1 goes on they stand inside of it', () => {
    const last = upTo5().replace(
      bold('Item 1A. Risk Factors'),
      `${bold('Executive Officers of the Registrant')}${text(80)}${bold('Item 1A. Risk Factors')}`,
    )
    expect(statusOf(last, '1')).toEqual(['full', 123])
    expect(statusOf(last, 'executive_officers')?.[1]).toBe(85)
    const within = last.replace(bold('Item 1A. Risk Factors'), `${bold('Available Information')}${text(40)}${bold('Item 1A. Risk Factors')}`)
    expect(statusOf(within, '1')?.[1]).toBe(123 + 85 + 42)
    expect(statusOf(within, 'executive_officers')).toEqual(['full', 85, 'inside_item_1'])
  })
  it('the officers of part III are those of Item 10', () => {
    const source = `${upTo5()}${bold('PART III')}${bold('Item 10. Directors, Executive Officers and Corporate Governance')}${text(40)}${bold('Executive Officers of the Registrant')}${text(60)}${bold('Item 11. Executive Compensation')}${text(60)}`
    expect(statusOf(source, 'executive_officers')).toBeUndefined()
  })
  it('a title whose number the filer left out ends the item before it', () => {
    const source = upTo5().replace(bold('Item 3. Legal Proceedings'), bold('LEGAL PROCEEDINGS'))
    expect(statusOf(source, '2')).toEqual(['full', 33])
    expect(statusOf(source, '3')).toEqual(['full', 3, 'title_only'])
  })
  test.each([
    ['smaller than the headings around', '<p><i>Legal Proceedings</i></p>'],
    ['printed twice', `${bold('LEGAL PROCEEDINGS')}${text(9)}${bold('LEGAL PROCEEDINGS')}`],
    ['out of the order of the form', bold('SELECTED FINANCIAL DATA')],
  ])('a title %s is none', (_, heading) => {
    const source = upTo5().replace(bold('Item 3. Legal Proceedings'), heading)
    expect(statusOf(source, '3')).toBeUndefined()
  })
  it('a heading inside of Item 1 called Risk Factors was no Item 1A before December 2005', () => {
    const source = upTo5()
      .replace(bold('Item 1A. Risk Factors'), bold('RISK FACTORS'))
      .replace(`${bold('Item 1B. Unresolved Staff Comments')}<p>None.</p>`, '')
    expect(statusOf(source, '1A')).toEqual(['not_present', 0])
  })
})

describe('two items under one heading', () => {
  const under = (heading: string, own = ''): string =>
    `${bold('PART I')}${bold(heading)}${text(90)}${own}${text(500)}${bold('Item 2. Properties')}${text(30)}${bold('Item 3. Legal Proceedings')}<p>None.</p>`
  test.each([
    'Items 1 and 1A. Business and Risk Factors',
    'ITEMS 1. AND 1A. BUSINESS AND RISK FACTORS',
    'Item 1/1A. Business and Risk Factors',
    'Item 1. Business and Item 1A. Risk Factors',
    'ITEM 1. BUSINESS AND ITEM 1A. RISK FACTORS',
  ])('%s', heading => {
    expect(
      located(under(heading))
        .map(({ item, status }) => [item, status])
        .slice(0, 2),
    ).toEqual([
      ['1', 'full'],
      ['1A', 'full'],
    ])
  })
  it('the risk factors begin at their own title inside of it', () => {
    expect(statusOf(under('Items 1 and 1A. Business and Risk Factors', bold('Risk Factors')), '1A')).toEqual([
      'full',
      502,
      'combined_with_1',
      'title_only',
    ])
  })
  it('a sentence that names the other item is no heading of both', () => {
    expect(statusOf(under('Item 1. Business (see Item 1A. Risk Factors)'), '1A')?.[0]).toBe('not_present')
  })
})

describe('a stub that points to a place of the same report', () => {
  const notes = `${bold('Note 3. Leases')}${text(30)}${bold('Note 4. Commitments and Contingencies')}${text(40)}${bold('Note 5. Taxes')}${text(50)}`
  const report = (stub: string, statements = notes): string =>
    `${bold('PART I')}${bold('Item 1. Business')}${text(120)}${foot(1)}${bold('Item 1A. Risk Factors')}${text(500)}${foot(2)}${bold('Item 3. Legal Proceedings')}<p>${stub}</p>${bold('PART II')}${bold('Item 7. Management&#8217;s Discussion and Analysis')}${text(90)}${foot(3)}${text(60)}${foot(4)}${bold('Item 8. Financial Statements and Supplementary Data')}${statements}${foot(5)}${bold('Item 9. Changes in and Disagreements with Accountants')}<p>None.</p>${foot(6)}`
  const target = (stub: string) => {
    const source = report(stub)
    const prose = readProse(source)
    const found = locateItems(prose, '10-K').find(({ item }) => item === '3')
    return (
      found?.target && [
        found.status,
        found.target.by,
        found.target.label,
        prose.text.slice(found.target.start, found.target.end).slice(0, 40),
        found.target.words,
      ]
    )
  }
  test.each([
    [
      'See &#8220;Commitments and Contingencies&#8221; in Item 8.',
      ['cross_reference', 'title', 'Commitments and Contingencies', 'Note 4. Commitments and Contingencies\nTh', 45],
    ],
    ['See Note 4 to the financial statements herein.', ['cross_reference', 'note', 'note 4', 'Note 4. Commitments and Contingencies\nTh', 45]],
    [
      'The matter is described on pages 3 to 4 of this report.',
      ['cross_reference', 'pages', 'pages 3-4', 'Item 3. Legal Proceedings\nThe matter is ', 176],
    ],
    ['See Item 7 below.', ['cross_reference', 'item', 'item 7', 'Item 7. Management’s Discussion and Anal', 158]],
  ])('%s', (stub, expected) => {
    expect(target(stub)).toEqual(expected)
  })
  test.each(['See &#8220;Of the Kiln&#8221; herein.', 'See Note 44 herein.', 'See pages 80 to 90 of this report.'])(
    '%s names no place that is there',
    stub => {
      expect(target(stub)).toBeUndefined()
    },
  )
})
