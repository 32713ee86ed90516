// Earnings evidence in Forms 8-K and 6-K: that results are out (item 2.02, or a 6-K whose exhibit presents them), and the day
// of the next ones, if the issuer states it.

import { decodeText } from '#warehouse/documents/prose/decode.ts'
import type { Prose } from '#warehouse/documents/prose/prose.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import { easternWall } from '../filings/eastern.ts'
import type { Submission, SubmissionDocument } from '../filings/sgml.ts'
import type { Fact } from '../parsed.ts'
import { type Announcement, announcementIn } from './announcements.ts'
import { isPreliminary, periodEndIn, resultsSentence } from './released.ts'
import { runningText, type Sentence, sentencesOf } from './sentences.ts'

type Evidence = Fact<'earnings_evidence'>

/** Item 2.02 since 2004-08-23, item 12 in the year before (SEC Releases 33-8400 and 33-8176). */
export const isResultsItem = (item: string): boolean => item === '2.02' || item === '12'
const isForm = (form: string): boolean => /^(?:8-K|6-K)(?:\/A)?$/.test(form)
/** The report itself and its exhibits 99: press releases, presentations, interim statements. */
const isText = ({ type, wrapper, bytes }: SubmissionDocument): boolean =>
  (isForm(type) || /^EX-99/.test(type)) && wrapper !== 'PDF' && bytes.byteLength > 0 && !/^\s*begin \d{3} /.test(decodeText(bytes.subarray(0, 80)))

/** A document that presents results does so at its beginning. */
const beginningCharacters = 6_000
const quoteCharacters = 600
const mostAnnouncements = 5

type Page = { readonly part: SubmissionDocument; readonly prose: Prose; readonly text: string; readonly beginning: readonly Sentence[] }

function readEvidence({ header, documents }: Submission, context: FilingContext): ContentRead {
  const cik = context.subject_cik ?? context.filer_cik
  if (cik === null) return { facts: {}, refused: [], skipped: { no_filer: 1 } }
  const from = context.accepted_at === null ? context.filed_date : easternWall(context.accepted_at).slice(0, 10)
  const items = [...(header.items ?? [])]
  const common = { accession: context.accession, cik, form: context.form, filed_date: context.filed_date, items }
  const pages: Page[] = []
  const announced = new Map<string, { announcement: Announcement; page: Page }>()
  for (const part of documents.filter(isText)) {
    const prose = readProse(decodeText(part.bytes))
    const text = runningText(prose)
    const beginning: Sentence[] = []
    const page = { part, prose, text, beginning }
    for (const sentence of sentencesOf(text)) {
      if (sentence.start < beginningCharacters) beginning.push(sentence)
      const announcement = announcementIn(sentence, from)
      if (announcement === null) continue
      const held = announced.get(announcement.date)?.announcement
      if (held === undefined ? announced.size < mostAnnouncements : isBetter(announcement, held))
        announced.set(announcement.date, { announcement, page })
    }
    pages.push(page)
  }
  const rows = [...releasedRows(pages, from, items, context.form), ...announcedRows([...announced.values()])]
  return { facts: { earnings_evidence: rows.map((row, at) => ({ ...common, line: at + 1, ...row })) }, refused: [], skipped: {} }
}

type Row = Omit<Evidence, 'accession' | 'cik' | 'form' | 'filed_date' | 'items' | 'line'>

/** A headline without a year gives way to the sentence that has it; one without a time to the one that states it. */
const isBetter = (one: Announcement, other: Announcement): boolean =>
  one.flags.length < other.flags.length || (one.flags.length === other.flags.length && one.time !== null && other.time === null)

function releasedRows(pages: readonly Page[], from: string, items: readonly string[], form: string): Row[] {
  // Exhibits first: the report itself only points to them.
  const inOrder = [...pages].sort((a, b) => Number(isForm(a.part.type)) - Number(isForm(b.part.type)))
  const resultsPage = inOrder.map(page => ({ page, sentence: resultsSentence(page.beginning) })).find(each => each.sentence !== null) ?? null
  const byItem = items.some(isResultsItem)
  if (!byItem && !(form.startsWith('6-K') && resultsPage !== null)) return []
  const page = resultsPage?.page ?? inOrder[0]
  const ends = [...(page ? [page] : []), ...inOrder].map(each => periodEndIn(each.text, from))
  const start = page?.text.slice(0, beginningCharacters) ?? ''
  return [
    {
      kind: 'results_released',
      period_end: ends.find(end => end !== null) ?? null,
      announced_date: null,
      announced_time: null,
      ...(page
        ? placeOf(page, resultsPage?.sentence ?? null)
        : { document: null, document_type: form, quote: null, source_start: null, source_end: null }),
      flags: isPreliminary(start) ? ['preliminary'] : [],
    },
  ]
}

const announcedRows = (found: readonly { announcement: Announcement; page: Page }[]): Row[] =>
  found.map(({ announcement, page }) => ({
    kind: 'report_announced',
    period_end: null,
    announced_date: announcement.date,
    announced_time: announcement.time,
    ...placeOf(page, announcement.sentence),
    flags: [...announcement.flags],
  }))

function placeOf(
  { part, prose }: Page,
  sentence: Sentence | null,
): Pick<Row, 'document' | 'document_type' | 'quote' | 'source_start' | 'source_end'> {
  const end = sentence === null ? 0 : Math.min(sentence.end, sentence.start + quoteCharacters)
  return {
    document: part.filename,
    document_type: part.type,
    quote: sentence === null ? null : sentence.text.slice(0, quoteCharacters),
    source_start: sentence === null ? null : prose.sourceOffset(sentence.start),
    source_end: sentence === null ? null : prose.sourceOffset(Math.max(sentence.start, end - 1)) + 1,
  }
}

export const earningsContent: ContentReader = { name: 'fundamentals', takes: isForm, dataset: 'earnings_evidence', read: readEvidence }
