// EDGAR full-text search (efts.sec.gov): each hit is a document; its filing and entities are taken.
import { z } from 'zod'
import { Unreadable } from '#schemas/errors.ts'
import type { RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { archiveUrl, cikOf, fileName } from './address.ts'
import { blankFiling, type FilingFact, knownFrom, parsedFilings } from './facts.ts'
import { jsonOf } from './text.ts'

const Hit = z.object({
  _id: z.string(),
  _source: z.object({
    adsh: z.string().regex(/^\d{10}-\d{2}-\d{6}$/),
    ciks: z.array(z.string()),
    display_names: z.array(z.string().nullable()),
    form: z.string().nullish(),
    root_forms: z.array(z.string()).nullish(),
    file_date: z.iso.date(),
    period_ending: z.string().nullish(),
    file_num: z.array(z.string().nullable()).nullish(),
    film_num: z.array(z.string().nullable()).nullish(),
    items: z.array(z.string()).nullish(),
  }),
})
const Search = z.object({ hits: z.object({ total: z.object({ value: z.int(), relation: z.string() }), hits: z.array(Hit) }) })
export type FullTextSearch = z.infer<typeof Search>['hits']

/** `relation` is `eq`, or `gte` if there are more than the counted hits. Throws `Unreadable` (`not_json`, `not_a_search`). */
export function parseFullTextSearch(subject: string, bytes: Uint8Array): FullTextSearch {
  const search = Search.safeParse(jsonOf(subject, bytes))
  if (search.success) return search.data.hits
  const [issue] = search.error.issues
  throw new Unreadable('not_a_search', `${subject}: ${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'other shape'}`)
}

function factsOf(hit: z.infer<typeof Hit>): FilingFact[] {
  const found = hit._source
  const form = found.form ?? found.root_forms?.[0] ?? ''
  return found.ciks.flatMap((text, index) => {
    const cik = cikOf(text)
    if (cik === null) return []
    return {
      ...blankFiling,
      accession: found.adsh,
      cik,
      // "BofA Finance LLC  (CIK 0001682472)", with tickers in between if there are any.
      company: (found.display_names[index] ?? '').replace(/\s+\((?:CIK|[A-Z0-9.,\s-]{1,80}\)\s+\(CIK)\s.*$/, '').trim() || null,
      form,
      filed_date: found.file_date,
      period_of_report: z.iso.date().safeParse(found.period_ending ?? '').data ?? null,
      items: found.items ?? [],
      file_number: found.file_num?.[index] || null,
      film_number: found.film_num?.[index] || null,
      url: archiveUrl(cik, found.adsh),
      ...knownFrom(form, null, found.file_date),
    }
  })
}

const read = (document: RawDocument): FullTextSearch => parseFullTextSearch(`full-text search ${document.url}`, document.body)

export const fullTextReader = reader('edgar.full_text', 'filings', {
  reads: url => url.startsWith('https://efts.sec.gov/LATEST/search-index?'),
  matches: (head, path) => /\.json$/i.test(fileName(path)) && /"_index"\s*:\s*"edgar_file"/.test(head),
  parse: document => parsedFilings(read(document).hits.flatMap(factsOf), [], []),
})
