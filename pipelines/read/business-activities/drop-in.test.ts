import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { businessActivities } from '#schemas/business-activities.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { readerOf } from '../../ingest/reader-of.ts'
import type { RawDocument } from '../parsed.ts'
import { readers } from '../register.ts'
import { businessActivityReaders } from './drop-in.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'business-activities')
const text = readFileSync(join(folder, 'reviews.csv'), 'utf8')
const [reader] = businessActivityReaders
const document = (body: string, url = 'file:reviews.csv'): RawDocument => ({
  sha256: '0'.repeat(64),
  source: 'csv',
  url,
  retrieved_at: '2026-05-01T12:00:00Z',
  status: 200,
  headers: {},
  body: Buffer.from(body),
})
const parse = (body: string) => (reader ?? expect.fail()).parse(document(body))

describe('reviews of businesses', () => {
  test('are read as the table says, and what cannot be read is named', () => {
    const parsed = parse(text)
    expect(parsed).toEqual(JSON.parse(readFileSync(join(folder, 'reviews.csv.expected.json'), 'utf8')))
    for (const { known_from: _from, known_basis: _basis, ...fact } of parsed.facts.business_activities ?? [])
      expect(businessActivities.facts.safeParse(fact).error).toBeUndefined()
  })

  test('a row that is not clean needs category, quote and source; each fault has its reason', () => {
    const { facts, refused, skipped } = parse(text)
    expect((facts.business_activities ?? []).map(each => [each.symbol, each.reviewed_at, each.status, each.impermissible_revenue_pct])).toEqual([
      ['NFST', '2026-03-02', 'clean', '0'],
      ['MAPL.TO', '2026-03-02', 'questionable', '2.5'],
      ['NFST', '2025-01-15', 'clean', null],
      ['CASN', '2026-04-01', 'prohibited', '97.25'],
    ])
    expect(refused.map(each => each.reason)).toEqual([
      'two_reviews_of_a_day',
      'no_quoted_source',
      'no_quoted_source',
      'no_category',
      'unknown_category',
      'unknown_status',
      'clean_with_categories',
      'bad_number',
      'bad_number',
      'bad_date',
      'date_ahead',
      'no_reviewer',
      'bad_symbol',
      'bad_accession',
      'bad_source',
    ])
    expect(skipped).toEqual({ repeated_row: 1 })
    for (const { dataset, record } of refused) expect([dataset, record === null]).toEqual(['business_activities', false])
  })

  test('stand from the end of the day of the review, which the reviewer writes down; one of today from when it is read', () => {
    expect(parse(text).facts.business_activities?.[0]).toMatchObject({ known_from: '2026-03-02T23:59:59Z', known_basis: 'published' })
    const [today] = parse('symbol,status,reviewed_at,reviewer\nNFST,clean,2026-05-01,J. Okafor\n').facts.business_activities ?? []
    expect(today).not.toHaveProperty('known_from')
  })

  test('are known by their columns alone, in the drop-in folder and in a recorded one', () => {
    for (const url of ['file:sharia/reviews.csv', 'recorded:reviews.csv', 'file:2026.csv'])
      expect(readerOf(readers, document(text, url))?.name).toBe('csv.business-activities')
    expect(readerOf(readers, document('symbol,ex_date,kind\nNFST,2026-03-02,split\n'))?.name).toBe('csv.actions')
  })

  test.each([
    ['a web page', '<!DOCTYPE html><html><body>Access denied</body></html>'],
    ['another table', 'symbol,status\nNFST,clean\n'],
    ['a quote that does not end', 'symbol,status,reviewed_at,reviewer,quote\nNFST,clean,2026-03-02,J,"never\n'],
    ['a quota text', 'You have exceeded your daily limit of requests'],
  ])('%s is no list of reviews', (_what, body) => {
    expect(() => parse(body)).toThrow(CrossfileError)
  })
})
