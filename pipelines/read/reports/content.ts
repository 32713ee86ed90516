// Periodic and current reports inside a submission: the items of the report, the risk factors of a 40-F's annual information form, and the
// exhibits.
import { createHash } from 'node:crypto'
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { countWords, type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission, SubmissionDocument } from '../filings/sgml.ts'
import type { Fact, Refused } from '../parsed.ts'
import { riskFactorRows } from '../risk-factors/rows.ts'
import { locateCurrentItems } from './current-items.ts'
import { locateItems } from './locate.ts'
import { type LocatedItem, riskItemOf } from './located.ts'

/** 10-K (10-K405, 10-KT, 10-KSB), 10-Q, 20-F and 40-F with their amendments. */
const isPeriodicForm = (form: string): boolean => /^(?:10-?K(?:405|T|SB|SB40|T405)?|10-?KTSB|10-?QT?|10-?QSB|20-?F|40-?F)(?:\/A)?$/i.test(form.trim())
/** 8-K and its variants, 6-K. */
export const isCurrentForm = (form: string): boolean => /^(?:8-K(?:12B|12G3|15D5)?|6-K)(?:\/A)?$/i.test(form.trim())

export const isReportForm = (form: string): boolean => isPeriodicForm(form) || isCurrentForm(form)

const isText = (part: SubmissionDocument): boolean =>
  part.bytes.byteLength > 0 &&
  // A page with inline XBRL is inside `<XBRL>`.
  part.wrapper !== 'PDF' &&
  part.wrapper !== 'XML' &&
  !/^(?:GRAPHIC|ZIP|EXCEL|JSON|XML)$/i.test(part.type) &&
  !/\.(?:xml|xsd|jpe?g|gif|png|pdf|json|xlsx?|zip|css|js)$/i.test(part.filename ?? '') &&
  !/^begin \d{3} /.test(decodeText(part.bytes.subarray(0, 40)).trimStart())
const isExhibit = (part: SubmissionDocument): boolean => /^EX-(?!101|100|104|FILING)/i.test(part.type)

/** The report: the document of the form's type, else the first that is not an exhibit. */
export function reportIn({ documents }: Submission, form: string): SubmissionDocument | null {
  const texts = documents.filter(isText)
  return texts.find(part => part.type === form) ?? texts.find(part => !isExhibit(part)) ?? null
}

type Place = { readonly part: SubmissionDocument; readonly prose: Prose; readonly item: LocatedItem }

function readReport(submission: Submission, context: FilingContext): ContentRead {
  const cik = context.subject_cik ?? context.filer_cik
  if (cik === null) throw new Unreadable('filer_missing', `report ${context.accession}: the header names no filer`)
  const exhibits = submission.documents.filter(isExhibit)
  const main = reportIn(submission, context.form)
  if (main === null && exhibits.length === 0) {
    // A header without documents (daily index pages) has nothing to read; documents without text are a fault.
    if (submission.documents.length === 0) return { facts: {}, refused: [], skipped: {} }
    throw new Unreadable('no_text', `report ${context.accession}: none of its ${submission.documents.length} documents is text`)
  }
  const places = main === null ? [] : placesOf(submission, context, main)
  const about = { accession: context.accession, cik, form: context.form, filed_date: context.filed_date, period_of_report: context.period_of_report }
  const items = places.map((place, at) => itemRow(place, at + 1, about, submission.header.items))
  const refused: Refused[] = []
  if (
    main !== null &&
    isPeriodicForm(context.form) &&
    !context.form.endsWith('/A') &&
    items.every(({ status }) => status === 'not_present' || status === 'omitted')
  ) {
    const detail = `report ${context.accession}: no item of form ${context.form} was found in ${main.filename ?? 'its document'}`
    refused.push({
      dataset: 'report_items',
      reason: 'no_items',
      detail,
      subject: context.accession,
      record: { filename: main.filename, sequence: main.sequence },
    })
  }
  const released =
    places.some(({ item }) => item.end > item.start && (item.item === '2.02' || item.item === '12')) ||
    (submission.header.items ?? []).some(item => item === '2.02' || item === '12')
  const { accession, form, filed_date } = about
  return {
    facts: {
      report_items: items,
      report_exhibits: exhibits.map((part, at) => exhibitRow(part, at + 1, { accession, cik, form, filed_date }, released)),
      // If a filing prints the item twice, it has one list of factors.
      risk_factors: places
        .flatMap(({ part, prose, item }) => {
          const holdsFactors = item.item === riskItemOf(form) && (item.status === 'full' || item.status === 'update')
          return holdsFactors ? riskFactorRows(prose, { start: item.headingEnd, end: item.end }, { ...about, document: part.filename }) : []
        })
        .map((row, at) => ({ ...row, rank: at + 1 })),
    },
    refused,
    skipped: {},
  }
}

function placesOf(submission: Submission, { form }: FilingContext, main: SubmissionDocument): Place[] {
  if (/^40-?F/i.test(form)) return informationForm(submission, main)
  const prose = readProse(decodeText(main.bytes))
  if (/^6-K/i.test(form)) return []
  const items = isCurrentForm(form) ? locateCurrentItems(prose, submission.header.items) : locateItems(prose, form)
  return items.map(item => ({ part: main, prose, item }))
}

/** For a 40-F, the annual information form is read: an exhibit, or part of the form. The one with the longest section is used. */
export function informationForm(submission: Submission, main: SubmissionDocument): Place[] {
  const candidates = submission.documents.filter(part => (isExhibit(part) || part === main) && isText(part))
  let best: Place | null = null
  for (const part of candidates) {
    const head = decodeText(part.bytes.subarray(0, 30_000))
    if (part !== main && !/annual\s+information\s+form/i.test(`${part.description ?? ''} ${head.replace(/<[^>]{0,2000}>|&nbsp;|&#160;/g, ' ')}`))
      continue
    const prose = readProse(decodeText(part.bytes))
    for (const item of locateItems(prose, '40-F')) if (best === null || item.words > best.item.words) best = { part, prose, item }
  }
  return best === null ? [] : [best]
}

type About = Pick<Fact<'report_items'>, 'accession' | 'cik' | 'form' | 'filed_date' | 'period_of_report'>

function itemRow({ part, prose, item }: Place, line: number, about: About, announced: readonly string[] | null): Fact<'report_items'> {
  const present = item.end > item.start
  const text = present ? prose.text.slice(item.start, item.end) : null
  const unannounced = present && announced !== null && isCurrentForm(about.form) && !announced.includes(item.item)
  return {
    ...about,
    line,
    part: item.part,
    item: item.item,
    title: item.title,
    status: item.status,
    reason: item.reason,
    words: item.words,
    text,
    text_sha256: text === null ? null : sha256(text),
    document: part.filename,
    document_type: part.type,
    source_start: present ? prose.sourceOffset(item.start) : null,
    source_end: present ? prose.sourceOffset(item.end - 1) + 1 : null,
    located: item.located,
    anchor: item.anchor,
    flags: [...item.flags, ...(unannounced ? ['not_announced_in_header'] : []), ...pointsTo(prose, item)],
  }
}
/** `points_to:START-END`: the position in the document as filed that a cross reference points to. */
const pointsTo = (prose: Prose, { target }: LocatedItem): string[] =>
  target === undefined ? [] : [`points_to:${prose.sourceOffset(target.start)}-${prose.sourceOffset(target.end - 1) + 1}`]

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** How a 6-K, which has no item numbers, states that it releases results. */
const resultsTitle =
  /\b(?:(?:first|second|third|fourth|q[1-4]|annual|year[\s-]end|full[\s-]year|quarterly|half[\s-]year)[^\n]{0,60}\b(?:results|earnings)|(?:financial|operating)\sresults|reports?\s[^\n]{0,40}\b(?:results|earnings))\b/i

function exhibitRow(part: SubmissionDocument, line: number, about: Omit<About, 'period_of_report'>, released: boolean): Fact<'report_exhibits'> {
  const prose = isText(part) ? readProse(decodeText(part.bytes)) : null
  const head = prose === null ? '' : prose.text.slice(0, 1200)
  const isRelease = /^EX-99/i.test(part.type) && prose !== null
  return {
    ...about,
    line,
    type: part.type,
    document: part.filename,
    description: part.description,
    title: titleOf(prose, part.type),
    words: prose === null ? null : countWords(prose.text),
    is_earnings_release: isRelease && (/^6-K/i.test(about.form) ? resultsTitle.test(head) : released && /^8-K/i.test(about.form)),
  }
}

/** The first line with more than the number of the exhibit. */
function titleOf(prose: Prose | null, type: string): string | null {
  if (prose === null) return null
  const number = type
    .toLowerCase()
    .replace(/[^a-z0-9.]/g, '')
    .replace('ex', '')
  for (const block of prose.blocks.slice(0, 12)) {
    const line = prose.text
      .slice(block.start, Math.min(block.end, block.start + 200))
      .replace(/\s+/g, ' ')
      .trim()
    const bare = line.toLowerCase().replace(/[^a-z0-9.]/g, '')
    if (bare.length > 3 && !/^ex(?:hibit)?/.test(bare) && bare !== number) return line
  }
  return null
}

export const reportContent: ContentReader = { name: 'reports', takes: isReportForm, dataset: 'report_items', read: readReport }
