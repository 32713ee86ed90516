import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { recordedExchanges } from '#fixtures/replay/exchanges.ts'
import { newestFilingsUrl } from '../../fetch/sources/edgar/index.ts'
import { plans } from '../../jobs/plans/plans.ts'
import type { RawDocument } from '../parsed.ts'
import { filingsByName, newestReader, parseNewest } from './newest.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'filings')
const page = (body: Buffer, start = 0): RawDocument => ({
  sha256: '0'.repeat(64),
  source: 'edgar',
  url: newestFilingsUrl(start),
  retrieved_at: '2026-01-12T16:28:51Z',
  status: 200,
  headers: {},
  body,
})
const entry = (title: string, more = ''): string =>
  `<entry><title>${title}</title><link rel="alternate" type="text/html" href="https://www.sec.gov/x-index.htm"/>
<summary type="html"> &lt;b&gt;Filed:&lt;/b&gt; 2026-01-12 &lt;b&gt;AccNo:&lt;/b&gt; 0009990001-26-000001 &lt;b&gt;Size:&lt;/b&gt; 14 KB${more}
</summary><updated>2026-01-12T11:27:39-05:00</updated><category scheme="https://www.sec.gov/" label="form type" term="${title.split(' - ')[0]}"/>
<id>urn:tag:sec.gov,2008:accession-number=0009990001-26-000001</id></entry>`
const feed = (...entries: string[]): string =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><updated>2026-01-12T11:28:50-05:00</updated>${entries.join('')}</feed>`

describe('the list of newest filings', () => {
  test('names every party of a filing, with its form, its items and the second of its acceptance', () => {
    const document = page(readFileSync(join(folder, 'newest.atom')))
    const parsed = newestReader.parse(document)
    expect(parsed.facts.filings).toEqual(JSON.parse(readFileSync(join(folder, 'newest.atom.json'), 'utf8')))
    expect(parsed.refused).toEqual([])
    expect(parsed.follow).toEqual([])
    // The index by form has the owner's line after the issuer's, whose name comes first.
    expect(filingsByName(parsed).map(filing => [filing.form, filing.company])).toEqual([
      ['4', 'Brine & Larder Inc.'],
      ['8-K', "Advisors' Tidewrack (Holdings) Corp"],
    ])
  })

  test('an empty list is an answer; an entry that says too little is listed as unread', () => {
    expect(parseNewest('x', feed())).toEqual({ count: 0, entries: [], unread: [] })
    const { entries, unread } = parseNewest('x', feed(entry('4 - A Co (0009990001) (Issuer)'), entry('4 - A Co without a number')))
    expect(entries.map(each => each.company)).toEqual(['A Co'])
    expect(unread.map(each => each.number)).toEqual([2])
  })

  test('a cut document and a page of another kind are refused', () => {
    expect(() => parseNewest('x', feed(entry('4 - A Co (0009990001) (Issuer)')).slice(0, -20))).toThrow(/x: line \d+/)
    expect(() => parseNewest('x', '<rss><channel/></rss>')).toThrow('expected an Atom feed')
  })

  test('its job reads on while pages are full and newer than its last good run', () => {
    const plan = plans.get('edgar-newest-filings')
    const full = feed(
      ...Array.from({ length: 100 }, (_, at) =>
        entry('8-K - A Co (0009990001) (Filer)').replaceAll('26-000001', `26-${String(at).padStart(6, '0')}`),
      ),
    )
    const window = { partition: '2026-01-12', from: '2026-01-12', to: '2026-01-12', symbols: null, today: '2026-01-12' }
    const next = (text: string, start: number, since: string | null) =>
      plan?.next?.(newestFilingsUrl(start), newestReader.parse(page(Buffer.from(text), start)), { ...window, since }) ?? []
    const listed = next(full, 0, null)
    expect(listed[0]).toMatchObject({ url: newestFilingsUrl(100), final: false, mayBeBeyond: true })
    expect(listed).toHaveLength(101)
    expect(listed[1]).toMatchObject({ final: true, mayBeMissing: true })
    // Accepted at 16:27:39 UTC; a run that began less than half an hour later may have missed it.
    expect(next(full, 0, '2026-01-12T16:50:00Z')).toHaveLength(101)
    expect(next(full, 0, '2026-01-12T17:10:00Z')).toHaveLength(100)
    expect(next(full, 4900, null)).toHaveLength(100)
    expect(next(feed(entry('D - A Co (0009990001) (Filer)')), 0, null)).toEqual([])
  })
})

describeReal('recorded lists of newest filings', () => {
  const pages = recordedExchanges().filter(exchange => exchange.url.includes('browse-edgar') && exchange.status === 200)
  test('every entry of 600 is read', () => {
    expect(pages).toHaveLength(6)
    for (const { url, body } of pages) {
      const parsed = newestReader.parse({ ...page(body), url })
      expect(parsed.refused.filter(refused => refused.reason === 'feed_entry_unreadable')).toEqual([])
      expect(parsed.follow).toHaveLength(1)
      const filings = parsed.facts.filings ?? []
      expect(filings.length + (parsed.skipped['filing_repeated'] ?? 0) + parsed.refused.length).toBe(100)
      for (const filing of filings) {
        expect(filing.accepted_at).toMatch(/^2026-01-12T1[3-6]:/)
        if (filing.form === '8-K') expect(filing.items.length).toBeGreaterThan(0)
      }
    }
  })

  test('the party that comes first by name is the one under which the index of a day lists a filing first', () => {
    const lines = realBytes('edgar/index/form.20200318.idx').toString('latin1').split('\n').slice(11)
    const parties = new Map<string, string[]>()
    for (const line of lines.filter(each => /^(?:3|4|5|SC 13[DG]) /.test(each))) {
      const file = line.trim().split(/\s+/).at(-1) as string
      const key = `${line.slice(0, 12).trim()} ${file.slice(file.lastIndexOf('/') + 1)}`
      parties.set(key, [...(parties.get(key) ?? []), line.slice(12, 74).trim().toUpperCase()])
    }
    const several = [...parties.values()].filter(names => names.length > 1)
    expect(several.length).toBeGreaterThan(200)
    const first = several.filter(names => names[0] === [...names].sort()[0])
    expect(first.length / several.length).toBeGreaterThan(0.95)
  })
})
