// Sentences of issuers about the day of their next report: what names one, and what only sounds like it.
import { describe, expect, test } from 'vitest'
import { processorMs } from '#fixtures/processor-time.ts'
import { textTable } from '#fixtures/text-table.ts'
import { announcementIn } from './announcements.ts'
import { printedDays } from './dates.ts'
import { periodEndIn } from './released.ts'
import { sentencesOf } from './sentences.ts'

const filed = '2025-10-14'
const result = (text: string, from = filed) => {
  const found = announcementIn({ start: 0, end: text.length, text }, from)
  return found && [found.date, found.time, ...found.flags]
}

describe('a sentence that names the day', () => {
  test.each([
    ['Kestrel Corp. will release its third quarter 2025 financial results on Tuesday, November 4, 2025.', ['2025-11-04', null]],
    ['Kestrel to Report Third Quarter Fiscal 2026 Results on December 3, 2025', ['2025-12-03', null]],
    ['The Company plans to announce third-quarter earnings before the opening of the NYSE on October 30, 2025.', ['2025-10-30', 'before_open']],
    ['Results for the third quarter will be released after the close of trading on 5 November 2025.', ['2025-11-05', 'after_close']],
    ['On Thursday, November 6, 2025, Kestrel will issue its quarterly results.', ['2025-11-06', null]],
    ['Kestrel is scheduled to publish its interim results for the six months ended September 30, 2025 on Nov. 20, 2025.', ['2025-11-20', null]],
    ['Its annual results are expected to be published on 26th February 2026.', ['2026-02-26', null]],
    ['Kestrel will report fourth quarter results on Thursday, February 5.', ['2026-02-05', null, 'year_not_printed']],
    ['Kestrel will report its third quarter results on Friday, November 4, 2025.', ['2025-11-04', null, 'weekday_differs']],
    ['Kestrel expects to release its quarterly results the week of November 3, 2025.', ['2025-11-03', null, 'approximate']],
    ['Kestrel will now report its third quarter results on November 12, 2025 instead of November 5, 2025.', ['2025-11-12', null]],
    [
      'The release of results, originally scheduled for November 5, 2025, will be announced: Kestrel will report quarterly results on November 12, 2025.',
      ['2025-11-12', null],
    ],
  ])('%s', (text, expected) => {
    expect(result(text)).toEqual(expected)
  })
})

describe('a sentence that names none', () => {
  test.each(textTable`
    Kestrel will host a conference call on November 4, 2025 to discuss its third quarter results.
    Kestrel will report topline results of its Phase 2 study in the third quarter, on November 4, 2025.
    Kestrel will report drilling results and quarterly earnings guidance on November 4, 2025.
    Kestrel is pleased to report record quarterly results for the period ended December 31, 2025.
    Kestrel reported its third quarter results on October 13, 2025.
    Kestrel will not release quarterly results on November 4, 2025.
    Kestrel will report quarterly results as of December 31, 2025 in due course.
    Kestrel will report quarterly results on October 14, 2025.
    Kestrel will report quarterly results on Monday, November 4.
    Kestrel will report quarterly results on February 30, 2026.
    Kestrel will report annual results on November 4, 2027.
    Kestrel will release a new product on November 4, 2025.
    The final results of the tender offer will be announced with quarterly data on November 4, 2025.
  `)('%s', text => {
    expect(result(text)).toBeNull()
  })
})

describe('what it stands on', () => {
  test('days in both orders, short and long, without running into numbers', () => {
    const days = printedDays('Dec. 3, 2025; 4 Dec 2025; Sept 5; Wed., December 31st, 2025; May 2025; March 45; Mar 7 2026')
    expect(days.map(({ year, month, day, weekday }) => [year, month, day, weekday])).toEqual([
      [2025, 12, 3, null],
      [2025, 12, 4, null],
      [null, 9, 5, null],
      [2025, 12, 31, 3],
      [2026, 3, 7, null],
    ])
  })

  test('abbreviations, initials and numbers end no sentence', () => {
    const text = 'Kestrel Corp. of St. Anne, with J. P. Doe, will report on Nov. 4, 2025 at 8 a.m. Eastern. It has 1.5 staff. "Good." Then\nA line'
    expect([...sentencesOf(text)].map(sentence => sentence.text)).toEqual([
      'Kestrel Corp. of St. Anne, with J. P. Doe, will report on Nov. 4, 2025 at 8 a.m. Eastern.',
      'It has 1.5 staff.',
      '"Good."',
      'Then',
      'A line',
    ])
    for (const { start, end, text: own } of sentencesOf(text)) expect(text.slice(start, end)).toBe(own)
  })

  test('the newest period that ended before the filing', () => {
    const text =
      'for the three and nine months ended September 27, 2025, against the year ended December 31, 2024, and the quarter ended January 3, 2026'
    expect(periodEndIn(text, filed)).toBe('2025-09-27')
    expect(periodEndIn('the quarter ended September 30, 2019', filed)).toBeNull()
  })

  test.each([
    ['one verb without end', 'will report '],
    ['dates without end', 'on November 4, 2025 results to report '],
    ['full stops', '. '],
    ['blanks', 'ended   \t   '],
    ['quotes and stops', '." '],
  ])('five megabytes of %s take moments', (_name, piece) => {
    const msOf = (length: number): number => {
      const text = piece.repeat(Math.ceil(length / piece.length))
      return processorMs(() => {
        for (const sentence of sentencesOf(text)) announcementIn(sentence, filed)
        periodEndIn(text, filed)
      })
    }
    // Compared with the processor time of a quarter: 4 times for work in proportion to the length, 16 for its square.
    const quarter = msOf(1_250_000)
    expect(msOf(5_000_000)).toBeLessThan(10 * quarter + 500)
  })
})
