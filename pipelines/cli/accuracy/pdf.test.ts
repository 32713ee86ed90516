import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { corpus } from '#fixtures/pdf/corpus.ts'
import { type AccuracyReport, accuracy } from '../accuracy.ts'
import { readFacts, tableScore, textScore } from './pdf.ts'

const folder = mkdtempSync(join(tmpdir(), 'accuracy-pdf-'))
afterAll(() => rmSync(folder, { recursive: true }))
const made = corpus()
/** Rows of results of the three drill documents. */
const intervals: Readonly<Record<string, number>> = {
  'drill-release.pdf': 7,
  'drill-long-repeated-head.pdf': 44,
  'drill-long-bare-head.pdf': 44,
  'drill-french.pdf': 3,
}
const facts = Object.fromEntries(
  made.map(({ name, truth }) => [
    `pdf/${name}`,
    {
      page_count: truth.pages.length,
      page_text: truth.pages,
      headings: truth.headings,
      tables: truth.tables,
      scanned_pages: truth.scanned_pages,
      drill_intervals: intervals[name] ?? 0,
    },
  ]),
)
const run = async (given: unknown): Promise<AccuracyReport> => {
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(given))
  const lines: string[] = []
  await accuracy(['--docs', folder, '--facts', join(folder, 'facts.json'), '--json'], { out: line => lines.push(line) })
  return JSON.parse(lines.join('\n')) as AccuracyReport
}

describe('the corpus of PDF documents', () => {
  let report: AccuracyReport
  beforeAll(async () => {
    mkdirSync(join(folder, 'pdf'))
    for (const { name, bytes } of made) writeFileSync(join(folder, 'pdf', name), bytes)
    report = await run(facts)
  })
  test('is read word for word and cell for cell', () => {
    expect(report.differences).toEqual([])
    expect(report.folders['pdf']).toMatchObject({ documents: made.length, unread: 0, unequal: 0 })
  })
  test('is reported with the scores of its text and its tables', () => {
    expect(report.hints.filter(hint => hint.includes('text score: 100.00 %'))).toHaveLength(made.length)
    expect(report.hints.filter(hint => hint.includes('table score: 100.00 %'))).toHaveLength(made.length)
  })
  test('a wrong truth is a difference, with lower scores', async () => {
    const [name] = Object.keys(facts)
    const spoilt = structuredClone(facts[name as string]) as unknown as { page_text: string[]; tables: { rows: string[][] }[] }
    spoilt.page_text[0] = `${spoilt.page_text[0]} and one word more`
    const [row] = spoilt.tables[0]?.rows ?? []
    if (row) row[1] = '999.9'
    const { differences, hints } = await run({ [name as string]: spoilt })
    expect(differences.map(each => each.field)).toEqual(['page_text', 'tables'])
    expect(hints.join('\n')).toMatch(/text score: 99\.\d\d %/)
    expect(hints.join('\n')).toMatch(/table score: 9\d\.\d\d %/)
  })
  test('a file that is no PDF is unread, with the reason', async () => {
    writeFileSync(join(folder, 'pdf', 'no.pdf'), 'no')
    const { differences } = await run({ 'pdf/no.pdf': { page_count: 1 } })
    expect(String(differences[0]?.got)).toContain('the file is no PDF')
  })
})

describe('scores', () => {
  test('count words and cells in their order', () => {
    expect(textScore('a b c d', 'a  b\nc d')).toBe(1)
    expect(textScore('a b c d', 'a b x d')).toBe(0.75)
    const table = { page: 1, title: null, columns: ['a', 'b'], rows: [['1', null]] }
    expect(tableScore([table], [table])).toBe(1)
    expect(tableScore([table], [{ ...table, rows: [[null, '1']] }])).toBe(0.5)
    expect(tableScore([], [])).toBe(1)
  })
})

/** Documents that Debian packages ship: their text is known from their own sources, by some sentences that are certain. */
const shipped = [
  {
    path: '/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf',
    pages: 17,
    sentences: [
      'This specification uses the XDG Base Directory Specification[BaseDir] to define the prefixes below which the database is stored.',
      '2.1. Directory layout',
    ],
  },
  {
    path: '/usr/share/doc/libtasn1-doc/libtasn1.pdf',
    pages: 36,
    sentences: ['This manual is for GNU Libtasn1', 'Abstract Syntax Notation One (ASN.1) library for the GNU system'],
  },
]
describe('documents of Debian packages', () => {
  test.each(shipped)('$path', async ({ path, pages, sentences }) => {
    if (!existsSync(path)) return console.info(`${path} is not on this machine: skipped`)
    const read = await readFacts(readFileSync(path))
    expect(read.page_count).toBe(pages)
    const text = read.page_text.join(' ').replace(/\s+/g, ' ')
    for (const sentence of sentences) expect(text).toContain(sentence)
  })
})
