// Reads Schedules 13D and 13G as HTML or plain text, as all were filed before 18 December 2024: the same records as from structured ones,
// with a confidence and the source position for every field, because a rule identifies each value, not the filer.
import { isCusip } from '#schemas/cusip.ts'
import { Unreadable } from '#schemas/errors.ts'
import { countWords, readProse } from '#warehouse/documents/prose/prose.ts'
import { itemsIn, signaturesIn } from './body.ts'
import { issuerKey } from './codes.ts'
import { type CoverPage, coverPageIn } from './cover-page.ts'
import { type CoverText, evidenceOf, mostPages, pagesIn, personsOn } from './cover-persons.ts'
import { personInItems } from './item-person.ts'
import { labelsIn, squeeze } from './labels.ts'
import { personsInNumberedRows } from './numbered-rows.ts'
import { isScheduleForm, type Schedule, type ScheduleContext } from './schedule.ts'

/** A Schedule is at most some hundred pages; anything after that is exhibits. */
const longest = 8 * 1024 * 1024

/**
 * Reads one unstructured Schedule. Throws `Unreadable` if neither its header nor its first page identifies it as one. A document
 * without a readable cover page has no persons and is flagged; none is made up.
 */
export function parseUnstructured(source: string, context: ScheduleContext): Schedule {
  const subject = `schedule13 ${context.filing_id}`
  if (source.length > longest) throw new Unreadable('too_large', `${subject}: ${source.length} characters, limit ${longest}`)
  const prose = readProse(source)
  const cover: CoverText = { text: prose.text, squeezed: squeeze(prose.text), html: prose.html, sourceOffset: at => prose.sourceOffset(at) }
  const pages = pagesIn(labelsIn(cover.text, cover.squeezed), cover.text.length)
  const first = coverPageIn(cover, pages[0]?.start ?? cover.text.length)
  const form = context.form ?? formOf(first)
  if (form === null || !isScheduleForm(form)) {
    throw new Unreadable('not_a_schedule', `${subject}: its first page does not identify it as a Schedule 13D or 13G`)
  }
  const schedule = /13D/i.test(form) ? '13D' : '13G'
  const flags: string[] = []
  if (pages.length === mostPages) flags.push('too_many_cover_pages')
  if (first.cusips.length === 0) flags.push('no_cusip')
  if (first.cusips.some(cusip => !isCusip(cusip))) flags.push('cusip_check_digit')
  if (first.schedule !== null && first.schedule !== schedule) flags.push('schedule_differs_from_header')
  if (context.form === null) flags.push('form_from_text')
  const key = issuerKey(context.issuer_cik, first.cusips, context.filing_id)
  const about = { filing_id: context.filing_id, accession: context.accession, issuer_key: key, issuer_cik: context.issuer_cik }
  const covered = pages.flatMap(page => personsOn(page, cover))
  const numbered = covered.length > 0 || schedule === '13D' ? { persons: covered, end: 0 } : personsInNumberedRows(cover)
  const read = numbered.persons.length > 0 || schedule === '13D' ? numbered.persons : personInItems(cover)
  if (pages.length === 0 && numbered.persons.length === 0) flags.push('no_cover_page')
  const persons = read.map((person, at) => ({ ...about, line: at + 1, ...person }))
  const { items, starts, end } = itemsIn(cover.text, pages.at(-1)?.labels.at(-1)?.end ?? numbered.end)
  const textOf = (item: string): string | null => (schedule === '13D' ? (items.find(each => each.item === item)?.text ?? null) : null)
  const purpose = textOf('4')
  const at4 = starts.get('4')
  const evidence = [...first.evidence, ...(purpose !== null && at4 ? [evidenceOf('purpose', cover, at4[0], at4[1], 0.9)] : [])]
  const filing: Schedule['filing'] = {
    ...about,
    issuer_name: first.issuer_name,
    form,
    schedule,
    amendment: /\/A$/i.test(form),
    // An original's "Amendment No." is empty; digits after it belong to something else.
    amendment_number: /\/A$/i.test(form) ? first.amendment_number : null,
    layout: prose.html ? 'html' : 'text',
    schema_version: null,
    recovered: false,
    filed_date: context.filed_date,
    filer_cik: context.filer_cik,
    previous_accession: null,
    cusips: [...first.cusips],
    class_title: first.class_title,
    event_date: first.event_date,
    event_date_printed: first.event_date_printed,
    rules: [...first.rules],
    previously_filed_13g: first.previously_filed_13g,
    persons: persons.length,
    items,
    purpose,
    purpose_words: purpose === null ? null : countWords(purpose),
    funds_source: textOf('3'),
    signatures: signaturesIn(cover.text, end),
    evidence,
    flags,
  }
  return { filing, persons, refused: [] }
}

/** The form's name if only the page states it: EDGAR writes SCHEDULE for SC since 18 December 2024. */
function formOf(first: CoverPage): string | null {
  if (first.schedule === null) return null
  const isNew = first.event_date !== null && first.event_date >= '2024-12-18'
  return `${isNew ? 'SCHEDULE' : 'SC'} ${first.schedule}${first.names_amendment || first.amendment_number !== null ? '/A' : ''}`
}
