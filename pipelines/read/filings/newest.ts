// EDGAR's list of the newest filings (Atom): one entry for each party of a filing, newest first, a page of 100 at a time. It names
// filings within seconds of their acceptance, hours before the index of their day.
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { z } from 'zod'
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { newestFilingsUrl, newestPerPage } from '../../fetch/sources/edgar/index.ts'
import type { Parsed, RawDocument, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { archiveUrl, fileName } from './address.ts'
import { blankFiling, type FilingFact, knownFrom, parsedFilings } from './facts.ts'

const Entry = z.object({
  title: z.string(),
  summary: z.union([z.string(), z.object({ '#text': z.string() }).transform(summary => summary['#text'])]),
  updated: z.iso.datetime({ offset: true }),
  category: z.object({ '@_term': z.string().min(1) }),
  id: z.string(),
})
const Feed = z.object({
  feed: z.object({ updated: z.iso.datetime({ offset: true }), entry: z.array(z.unknown()).default([]) }),
})

type NewestEntry = {
  readonly accession: string
  readonly cik: string
  readonly company: string
  readonly role: FilingFact['role']
  readonly form: string
  readonly filed_date: string
  readonly accepted_at: string
  readonly items: readonly string[]
}
export type NewestPage = {
  /** Entries in the document, read or not. */
  readonly count: number
  readonly entries: readonly NewestEntry[]
  readonly unread: readonly { readonly number: number; readonly entry: unknown }[]
}

const roles: Readonly<Record<string, FilingFact['role']>> = {
  Filer: 'filer',
  Reporting: 'reporting_owner',
  Issuer: 'issuer',
  Subject: 'subject_company',
  'Filed by': 'filed_by',
}

// Names carry numeric references (`&#39;`), which the parser takes for HTML's.
const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true,
  isArray: (name: string) => name === 'entry',
})

/** Throws `Unreadable`: `not_xml`, `not_a_feed`. A feed without entries is an answer; an entry that cannot be read is listed. */
export function parseNewest(subject: string, text: string): NewestPage {
  const fault = XMLValidator.validate(text)
  if (fault !== true) throw new Unreadable('not_xml', `${subject}: line ${fault.err.line}: ${fault.err.msg}`)
  const feed = Feed.safeParse(parser.parse(text))
  if (!feed.success) {
    const [issue] = feed.error.issues
    throw new Unreadable('not_a_feed', `${subject}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'other shape'}, expected an Atom feed`)
  }
  const all = feed.data.feed.entry
  const entries: NewestEntry[] = []
  const unread: { number: number; entry: unknown }[] = []
  all.forEach((entry, at) => {
    const read = readEntry(entry)
    if (read === null) unread.push({ number: at + 1, entry })
    else entries.push(read)
  })
  return { count: all.length, entries, unread }
}

/** `4 - PROGRESSIVE CORP/OH/ (0000080661) (Issuer)`, with form, day and number of the filing. */
function readEntry(value: unknown): NewestEntry | null {
  const entry = Entry.safeParse(value)
  if (!entry.success) return null
  const { title, summary, updated, category, id } = entry.data
  const form = category['@_term'].trim()
  const accession = /accession-number=(\d{10}-\d{2}-\d{6})$/.exec(id)?.[1]
  const party = title.startsWith(`${form} - `) ? /^(.+) \((\d{10})\) \(([^()]+)\)$/.exec(title.slice(form.length + 3)) : null
  const filed = z.iso.date().safeParse(/<b>Filed:<\/b>\s*(\d{4}-\d\d-\d\d)\b/.exec(summary)?.[1])
  if (accession === undefined || party === null || !filed.success) return null
  const [, company = '', cik = '', role = ''] = party
  return {
    accession,
    cik,
    company,
    role: roles[role] ?? null,
    form,
    filed_date: filed.data,
    accepted_at: `${new Date(updated).toISOString().slice(0, 19)}Z`,
    items: [...summary.matchAll(/<br>\s*Item ([\dA-Za-z.]{1,10}):/g)].map(match => match[1] as string),
  }
}

const factOf = (entry: NewestEntry): FilingFact => ({
  ...blankFiling,
  ...entry,
  items: [...entry.items],
  url: archiveUrl(entry.cik, entry.accession),
  ...knownFrom(entry.form, entry.accepted_at, entry.filed_date),
})

/** The filings of a page, each once, under the party whose name comes first: EDGAR's index by form lists it there too. */
export function filingsByName(page: Pick<Parsed, 'facts'>): FilingFact[] {
  const upper = (filing: FilingFact): string => (filing.company ?? '').toUpperCase()
  const first = new Map<string, FilingFact>()
  for (const filing of page.facts.filings ?? []) {
    const known = first.get(filing.accession)
    if (known === undefined || upper(filing) < upper(known)) first.set(filing.accession, filing)
  }
  return [...first.values()]
}

const addressPattern = /^https:\/\/www\.sec\.gov\/cgi-bin\/browse-edgar\?action=getcurrent&.*\bstart=(\d{1,5})&.*\boutput=atom$/

/** The first entry that a page of the list requests, counted from 0; null for other addresses. */
export function startOfPage(url: string): number | null {
  const start = addressPattern.exec(url)?.[1]
  return start === undefined ? null : Number(start)
}

const unreadEntry = (document: Pick<RawDocument, 'url'>, { number, entry }: NewestPage['unread'][number]): Refused => ({
  dataset: 'filings',
  reason: 'feed_entry_unreadable',
  detail: `newest filings ${document.url}: entry ${number} has no form, party with CIK, day, number and time: ${JSON.stringify(entry).slice(0, 300)}`,
  subject: `entry ${number}`,
  record: { number, entry: JSON.stringify(entry).slice(0, 2000) },
})

export const newestReader = reader('edgar.newest', 'filings', {
  reads: url => addressPattern.test(url),
  matches: (head, path) => /\.(?:atom|xml)$/i.test(fileName(path)) && /<feed\b/.test(head) && /<title>Latest Filings\b/.test(head),
  parse: document => {
    const page = parseNewest(`newest filings ${document.url}`, decodeText(document.body))
    const start = startOfPage(document.url)
    // A page that is not full is the last one.
    const next = start !== null && page.count === newestPerPage ? [newestFilingsUrl(start + newestPerPage)] : []
    return parsedFilings(
      page.entries.map(factOf),
      page.unread.map(entry => unreadEntry(document, entry)),
      next,
    )
  },
})
