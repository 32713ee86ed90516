import { describe, expect, test } from 'vitest'
import { edgarDocument } from '#fixtures/edgar-document.ts'
import { processorMs } from '#fixtures/processor-time.ts'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { textTable } from '#fixtures/text-table.ts'
import { Unreadable } from '#schemas/errors.ts'
import { amountIn, percentIn, typesIn } from './amounts.ts'
import { tickedOf } from './boxes.ts'
import { numbersIn } from './cover-page.ts'
import { dayIn, dayOf } from './dates.ts'
import { parseSchedule, scheduleReader } from './readers.ts'
import { recoverXml } from './recover.ts'
import { parseUnstructured } from './unstructured.ts'

const context = { filing_id: 'f', accession: null, filed_date: null, form: null, issuer_cik: null, filer_cik: null }
const unreadable = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof Unreadable) return error.reason
    throw error
  }
  return 'read'
}

describe('an amount on a cover page', () => {
  test.each([
    ['-0-', '0'],
    [' – 0 – ', '0'],
    ['None', '0'],
    ['NIL*', '0'],
    ['1,234,567(1)', '1234567'],
    ['1,234,5671', '1234567'], // a raised mark run into the number
    ['1, 234, 567', '1234567'],
    ['1.234.567', '1234567'],
    ['1,234.50 shares', '1234.50'],
    ['NUMBER OF SHARES BENEFICIALLY\n12,000\nOWNED BY EACH', '12000'],
    ['(see Item 5) 44,100', '44100'],
    ['up to 9,000 shares of Common Stock', '9000'],
    ['7', '7'],
  ])('%j is %s', (printed, value) => {
    expect(amountIn(printed)?.value).toBe(value)
  })

  test.each([['N/A'], ['Not applicable'], ['See Item 5'], ['See response to row 9(b)']])('%j is a place without a number, never 0', printed => {
    expect(amountIn(printed)).toMatchObject({ value: null })
  })

  test('an empty place, a rule and a sentence are no amount', () => {
    for (const printed of ['', ' ', '------------------', '_______', 'the Reporting Person']) expect(amountIn(printed)).toBeNull()
  })

  test("the row's own number before the value is not the value", () => {
    expect(amountIn('5 1,000', [5, 7])?.value).toBe('1000')
    expect(amountIn('5', [5, 7])?.value).toBe('5')
  })

  test('what is less certain says so', () => {
    expect(amountIn('1,000')?.confidence).toBe(0.98)
    expect(amountIn('1,000 (A) 2,000 (B)')).toMatchObject({ value: '1000', confidence: 0.7, flag: 'several_numbers' })
    expect(amountIn('—')).toMatchObject({ value: '0', confidence: 0.5, flag: 'dash_for_zero' })
  })
})

describe('a percentage', () => {
  test.each(textTable`
    (11): 20.58% ------ 12.                                              | 20.58
    17.4% (based on 81,733,247 shares outstanding as of August 14, 2013) | 17.4
    NONE                                                                 | 0
    Approximately 4.54% as of the date of this Statement                 | 4.54
    ........................... 4.63%*                                   | 4.63
    11 1.1% [See First Preliminary Note]                                 | 1.1
    -- 4.470780155                                                       | 4.470780155
    -0-                                                                  | 0
    0.00                                                                 | 0.00
    .9%                                                                  | 0.9
    5,31 %                                                               | 5.31
  `)('%j is %s', (printed, value) => {
    expect(percentIn(printed)?.value).toBe(value)
  })

  test('a bound, a footnote and a reference are no number; a bound keeps its words', () => {
    expect(percentIn('Less than 0.1%')).toMatchObject({ value: null, printed: 'Less than 0.1', flag: 'is_a_bound' })
    expect(percentIn('Up to 9.9999%**')).toMatchObject({ value: null, flag: 'is_a_bound' })
    expect(percentIn('***')).toMatchObject({ value: null, flag: 'in_footnote' })
    for (const printed of ['N/A', 'Not Applicable', 'See response to Item 5.']) expect(percentIn(printed)?.value).toBeNull()
    expect(percentIn(' ')).toBeNull()
  })
})

test('types are codes in any order, in words, or with zeros for letters', () => {
  expect(typesIn('IN-IA-OO')?.value).toEqual(['IN', 'IA', 'OO'])
  expect(typesIn(' (See Instructions)\nPN; OO (Limited Liability Company)')?.value).toEqual(['PN', 'OO'])
  expect(typesIn('* HC, CO')?.value).toEqual(['HC', 'CO'])
  expect(typesIn('00')?.value).toEqual(['OO'])
  expect(typesIn('Individual')).toMatchObject({ value: ['IN'], flag: 'type_in_words' })
  expect(typesIn('CUSIP No. 1')).toBeNull()
})

test('boxes stand before or behind their words', () => {
  const places = (text: string) => (['a', 'b'] as const).map(name => ({ name, start: text.indexOf(`(${name})`), end: text.indexOf(`(${name})`) + 3 }))
  for (const text of ['(a) [ ] (b) [X]', '☐ (a) ☒ (b)', '(a) o\n(b) x', '(a) |_| (b) |X|', '(a) / / (b) /X/', '(a) ____ (b) __X__', '(a) ¨ (b) þ']) {
    expect(tickedOf(text, places(text)).map(each => each.name)).toEqual(['b'])
  }
  expect(tickedOf('(a) [ ] (b) [ ]', places('(a) [ ] (b) [ ]'))).toEqual([])
})

test('days as filers print them', () => {
  for (const printed of [
    'December 9, 2024',
    'DECEMBER 9, 2024',
    '12/09/2024',
    '12-9-24',
    '9 December 2024',
    'Dec. 9th, 2024',
    '2024-12-09',
    '2024-12-09-05:00',
  ])
    expect(dayOf(printed)).toBe('2024-12-09')
  expect(dayOf('31/12/2023')).toBe('2023-12-31')
  for (const printed of ['', 'February 30, 2024', 'See Item 5', '13/13/2024']) expect(dayIn(printed)).toBeNull()
})

test('a CUSIP may hold blanks and dashes; words and dates are none', () => {
  expect(numbersIn('G9930Q 10 1')).toEqual(['G9930Q101'])
  expect(numbersIn('99302G-10-1 (Class A)')).toEqual(['99302G101'])
  expect(numbersIn('Class A: 99306M104; Class B: 99306M203')).toEqual(['99306M104', '99306M203'])
  for (const text of ['COMMON STOCK', 'None', 'December 31, 1999', '(212) 555-0100']) expect(numbersIn(text)).toEqual([])
})

describe('malformed XML', () => {
  const textAt = (xml: string, ...path: readonly string[]): string | undefined => {
    let element: ReturnType<typeof recoverXml> | undefined = recoverXml('x', xml)
    for (const name of path) element = element?.children.find(each => each.name === name)
    return element?.text.trim()
  }
  const open = '<edgarSubmission><formData><reportingPersons><reportingPersonInfo>'
  const person = ['formData', 'reportingPersons', 'reportingPersonInfo'] as const

  test('a field whose end tag is missing ends where the next one begins', () => {
    const xml = `${open}<percentOfClass>8.5<typeOfReportingPerson>PN</typeOfReportingPerson></reportingPersonInfo></reportingPersons></formData></edgarSubmission>`
    expect(textAt(xml, ...person, 'percentOfClass')).toBe('8.5')
    expect(textAt(xml, ...person, 'typeOfReportingPerson')).toBe('PN')
  })

  test('a second person begins although the first was not closed', () => {
    const root = recoverXml(
      'x',
      `${open}<reportingPersonName>A</reportingPersonName><reportingPersonInfo><reportingPersonName>B</reportingPersonName>`,
    )
    expect(root.children[0]?.children[0]?.children.map(each => each.children[0]?.text)).toEqual(['A', 'B'])
  })

  test('the field that the end of the document cuts is not certain', () => {
    expect(textAt(`${open}<aggregateAmountOwned>120`, ...person, 'aggregateAmountOwned')).toBe('')
  })

  test('entities of a DOCTYPE are not followed', () => {
    expect(
      unreadable(() => parseSchedule('<!DOCTYPE x [<!ENTITY a "b">]><edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13D">', context)),
    ).toBe('doctype')
  })
})

describe('documents that are no Schedule', () => {
  test('a letter that speaks of a Schedule 13D gives no rows', () => {
    expect(unreadable(() => parseUnstructured('<p>Dear Sirs, the sole voting power over 5,000 shares stands in our filing.</p>', context))).toBe(
      'not_a_schedule',
    )
    expect(scheduleReader.recognise('letter.html', '<p>As our Schedule 13D says, we hold shares.</p>')).toBeNull()
  })

  test('a Schedule without a cover page has no persons and says so', () => {
    const { filing, persons } = parseUnstructured('SCHEDULE 13D\nfiled on paper', context)
    expect(persons).toEqual([])
    expect(filing.flags).toContain('no_cover_page')
  })

  test('another form with the same root element is refused', () => {
    const xml =
      '<edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13D"><headerData><submissionType>D</submissionType></headerData></edgarSubmission>'
    expect(unreadable(() => parseSchedule(xml, context))).toBe('not_a_schedule')
  })
})

describe('hostile documents of five megabytes', () => {
  const units = [
    'item 4.\n',
    '[ ',
    'Name of Reporting Person\nAggregate amount beneficially owned 5\nPercent of class represented by amount in row (11) 5%\n',
  ]
  test.each(units)('%j over and over is read in seconds', unit => {
    const text = `SCHEDULE 13D\n${unit.repeat(Math.ceil(5_000_000 / unit.length))}`
    const ms = processorMs(() => {
      parseUnstructured(text, context)
      unreadable(() => recoverXml('x', `<edgarSubmission><formData>${text}`))
    })
    expect(ms).toBeLessThan(15_000)
  })

  test('every document cut anywhere, and with bytes changed, is read or refused', () => {
    const source = `SCHEDULE 13D\nA Corp\n(Name of Issuer)\n99302G101\n(CUSIP Number)\n1 NAME OF REPORTING PERSON\nB LLC\n2 CHECK THE APPROPRIATE BOX IF A MEMBER OF A GROUP (a) [X] (b) [ ]\n7 SOLE VOTING POWER\n1,000\n8 SHARED VOTING POWER\n-0-\n11 AGGREGATE AMOUNT BENEFICIALLY OWNED\n1,000\n13 PERCENT OF CLASS REPRESENTED BY AMOUNT IN ROW (11)\n5.1%\n14 TYPE OF REPORTING PERSON\nCO\nItem 4. Purpose of Transaction\nNone.\n`
    for (let at = 0; at <= source.length; at += 1) {
      expect(['read', 'not_a_schedule']).toContain(unreadable(() => parseUnstructured(source.slice(0, at), context)))
      const changed = `${source.slice(0, at)}${'<&([\t'[at % 5]}${source.slice(at + 1)}`
      expect(['read', 'not_a_schedule']).toContain(unreadable(() => parseUnstructured(changed, context)))
    }
  })
})

describeReal('recorded Schedules', () => {
  const read = (path: string) => {
    const body = realBytes(path)
    expect(scheduleReader.recognise(path, body.subarray(0, 65_536).toString('utf8'))).not.toBeNull()
    return scheduleReader.parse(edgarDocument(body, `recorded:${path}`))
  }

  test('two CUSIP layouts, both schemas, HTML and text are recognised by themselves', () => {
    const folder = 'edgar/schedule13'
    const files = [
      'aadi-bml-schedule13d.xml',
      'seaport-arch-schedule13d-nested-cusip.xml',
      'jushi-marex-schedule13g.xml',
      'livent-millennium-sc13g-legacy.html',
      'trinity-blackrock-sc13ga-legacy.txt',
    ]
    expect(files.map(name => read(`${folder}/${name}`).facts.ownership_persons?.length)).toEqual([2, 7, 2, 4, 1])
  })

  test('every figure of an HTML cover stands where its evidence says', () => {
    const path = 'edgar/schedule13/livent-millennium-sc13g-legacy.html'
    const text = realBytes(path).toString('latin1')
    const source = /<TEXT>([\s\S]*)<\/TEXT>/i.exec(text)?.[1] ?? text.slice(text.search(/<TEXT>/i) + 6)
    for (const person of read(path).facts.ownership_persons ?? []) {
      const aggregate = person.evidence.find(each => each.field === 'aggregate')
      expect(source.slice(aggregate?.start, aggregate?.end)).toContain('-0-')
    }
  })
})
