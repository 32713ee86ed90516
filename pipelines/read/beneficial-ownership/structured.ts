// Schedules 13D and 13G as XML (`edgarSubmission`, schemas X0101 and X0202, mandatory since 18 December 2024): one filing and the
// reporting persons on its cover pages. Both schedules have the same content under different names; both names are looked up.
import { isCusip } from '#schemas/cusip.ts'
import { Unreadable } from '#schemas/errors.ts'
import { countWords } from '#warehouse/documents/prose/prose.ts'
import { accessionIn, cikOf } from '../filings/address.ts'
import type { Fact, Refused } from '../parsed.ts'
import { type Element, parseXml } from '../xml/xml.ts'
import { amountOf, cusipsIn, issuerKey } from './codes.ts'
import { dayOf } from './dates.ts'
import { recoverXml } from './recover.ts'
import { isScheduleForm, type Schedule, type ScheduleContext } from './schedule.ts'

/** Output in addition to the values: irregularities, and cells that could not be read. */
type Reading = { readonly context: ScheduleContext; readonly flags: string[]; readonly refused: Refused[] }

/** Element names differ in their capitals between the schedules (`issuerCIK`, `issuerCik`). */
function children(element: Element | undefined, ...names: readonly string[]): Element[] {
  return element?.children.filter(each => names.includes(each.name.toLowerCase())) ?? []
}
const child = (element: Element | undefined, ...names: readonly string[]): Element | undefined => children(element, ...names)[0]

/** Text of a field on one line; null if it is empty or missing. */
function lineOf(element: Element | undefined): string | null {
  const text = element?.text.replace(/\s+/g, ' ').trim()
  return text === undefined || text === '' ? null : text
}
const fieldOf = (element: Element | undefined, ...names: readonly string[]): string | null => lineOf(child(element, ...names))

/** Text with its paragraphs: blanks within a line made one, empty lines dropped. */
function proseOf(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
}

const truth = (text: string | null): boolean | null =>
  text === null ? null : /^(?:y|yes|true|1)$/i.test(text) ? true : /^(?:n|no|false|0)$/i.test(text) ? false : null

function note(reading: Reading, flag: string): void {
  if (!reading.flags.includes(flag)) reading.flags.push(flag)
}

function refuse(reading: Reading, dataset: Refused['dataset'], line: number, field: string, printed: string, expected: string): void {
  const { filing_id } = reading.context
  const where = line === 0 ? '' : `person ${line} has `
  reading.refused.push({
    dataset,
    reason: 'unreadable_cell',
    detail: `schedule13 ${filing_id}: ${where}${field} ${JSON.stringify(printed.slice(0, 200))}, expected ${expected}; kept as null`,
    subject: filing_id,
    record: { line, field, text: printed.slice(0, 200) },
  })
}

/** The document's tree: well-formed, or recovered and flagged. Throws `Unreadable` if it is not a Schedule. */
function treeOf(subject: string, text: string): { root: Element; recovered: boolean } {
  try {
    return { root: parseXml(subject, text), recovered: false }
  } catch (error) {
    if (!(error instanceof Unreadable) || error.reason !== 'malformed_xml') throw error
    return { root: recoverXml(subject, text), recovered: true }
  }
}

/**
 * Reads one structured Schedule. Throws `Unreadable` if it is not an `edgarSubmission` of these forms. Irregularities inside are kept and
 * flagged; a cell that is not a number or day becomes null and is listed as refused.
 */
export function parseStructured(text: string, context: ScheduleContext): Schedule {
  const subject = `schedule13 ${context.filing_id}`
  const { root, recovered } = treeOf(subject, text)
  const header = child(root, 'headerdata')
  const form = fieldOf(header, 'submissiontype') ?? context.form
  if (root.name.toLowerCase() !== 'edgarsubmission' || form === null || !isScheduleForm(form)) {
    throw new Unreadable('not_a_schedule', `${subject}: <${root.name}> of ${form ?? 'no form'}, expected <edgarSubmission> of a Schedule 13D or 13G`)
  }
  const reading: Reading = { context, flags: [], refused: [] }
  if (recovered) note(reading, 'malformed_xml')
  if (recovered && !/<\/(?:[\w.-]{1,40}:)?edgarSubmission\s*>\s*$/i.test(text.slice(-200))) note(reading, 'truncated')
  if (context.form !== null && context.form !== form) note(reading, 'form_differs_from_header')
  const data = child(root, 'formdata')
  const cover = child(data, 'coverpageheader')
  const schedule = /13D/i.test(form) ? '13D' : '13G'
  const about = issuerOf(reading, cover)
  const filerCik = cikOf(fieldOf(child(child(child(header, 'filerinfo'), 'filer'), 'filercredentials'), 'cik') ?? '') ?? context.filer_cik
  const persons = personElements(data).map((element, at) => ({
    ...personOf(reading, element, at + 1, about.issuer_cik, about.issuer_key),
    confidence: recovered ? 0.9 : 1,
  }))
  if (persons.length === 0) note(reading, 'no_reporting_person')
  const eventPrinted = fieldOf(cover, 'dateofevent', 'eventdaterequiresfilingthisstatement')
  const eventDate = dayOf(eventPrinted)
  if (eventPrinted !== null && eventDate === null) refuse(reading, 'ownership_schedules', 0, 'event_date', eventPrinted, 'a calendar day')
  const previous = fieldOf(header, 'previousaccessionnumber')
  const items = itemsOf(data)
  const purpose = schedule === '13D' ? leafOf(data, '4', 'transactionpurpose') : null
  const filing: Fact<'ownership_schedules'> = {
    filing_id: context.filing_id,
    accession: context.accession,
    ...about,
    form,
    schedule,
    amendment: /\/A$/i.test(form),
    amendment_number: fieldOf(cover, 'amendmentno'),
    layout: 'xml',
    schema_version: fieldOf(root, 'schemaversion') ?? fieldOf(header, 'schemaversion'),
    recovered,
    filed_date: context.filed_date,
    filer_cik: filerCik,
    previous_accession: previous === null ? null : accessionIn(previous),
    class_title: fieldOf(cover, 'securitiesclasstitle'),
    event_date: eventDate,
    event_date_printed: eventPrinted,
    rules: children(child(cover, 'designaterulespursuantthisschedulefiled'), 'designaterulepursuantthisschedulefiled').flatMap(
      rule => lineOf(rule) ?? [],
    ),
    previously_filed_13g: truth(fieldOf(cover, 'previouslyfiledflag')),
    persons: persons.length,
    items,
    purpose,
    purpose_words: purpose === null ? null : countWords(purpose),
    funds_source: schedule === '13D' ? leafOf(data, '3', 'fundssource') : null,
    signatures: signaturesOf(data),
    evidence: [],
    flags: reading.flags,
  }
  return { filing, persons, refused: reading.refused }
}

function issuerOf(reading: Reading, cover: Element | undefined) {
  const { context } = reading
  const info = child(cover, 'issuerinfo')
  const printed = fieldOf(info, 'issuercik')
  const own = printed === null ? null : cikOf(printed)
  if (own === null && context.issuer_cik !== null) note(reading, 'issuer_cik_from_header')
  if (own !== null && context.issuer_cik !== null && own !== context.issuer_cik) note(reading, 'issuer_differs_from_header')
  const cik = own ?? context.issuer_cik
  // X0101: one element, with all numbers in it if there are several. X0202: a list.
  const numbers = [
    ...children(info, 'issuercusip', 'issuercusipnumber'),
    ...children(child(info, 'issuercusips'), 'issuercusipnumber', 'issuercusip'),
  ]
  const cusips = [...new Set(numbers.flatMap(number => cusipsIn(lineOf(number))))]
  if (cusips.length === 0) note(reading, 'no_cusip')
  if (cusips.some(cusip => !isCusip(cusip))) note(reading, 'cusip_check_digit')
  return { issuer_key: issuerKey(cik, cusips, context.filing_id), issuer_cik: cik, issuer_name: fieldOf(info, 'issuername'), cusips }
}

const personElements = (data: Element | undefined): Element[] => [
  ...children(data, 'reportingpersons').flatMap(list => children(list, 'reportingpersoninfo')),
  ...children(data, 'coverpageheaderreportingpersondetails', 'reportingpersoninfo'),
]

function personOf(reading: Reading, element: Element, line: number, issuerCik: string | null, key: string): Fact<'ownership_persons'> {
  const flags: string[] = []
  const powers = child(element, 'reportingpersonbeneficiallyownednumberofshares') ?? element
  const amount = (field: string, printed: string | null): string | null => {
    const read = amountOf(printed)
    if (read !== undefined) return read
    refuse(reading, 'ownership_persons', line, field, printed ?? '', 'a decimal number')
    flags.push(`${field}_unreadable`)
    return null
  }
  const printedCik = fieldOf(element, 'reportingpersoncik', 'reportingcik')
  const group = fieldOf(element, 'memberofgroup', 'membergroup')?.toLowerCase()
  const percentPrinted = fieldOf(element, 'percentofclass', 'classpercent')
  const percent = amount('percent', percentPrinted)
  if (percent !== null && Number(percent) > 100) flags.push('percent_over_100')
  const listed = (name: string): string[] => children(element, name).flatMap(each => lineOf(each) ?? [])
  return {
    filing_id: reading.context.filing_id,
    accession: reading.context.accession,
    line,
    issuer_key: key,
    issuer_cik: issuerCik,
    name: fieldOf(element, 'reportingpersonname'),
    cik: printedCik === null ? null : cikOf(printedCik),
    no_cik: truth(fieldOf(element, 'reportingpersonnocik', 'reportingciknotpresentinedgarflag')),
    sole_voting: amount('sole_voting', fieldOf(powers, 'solevotingpower')),
    shared_voting: amount('shared_voting', fieldOf(powers, 'sharedvotingpower')),
    sole_dispositive: amount('sole_dispositive', fieldOf(powers, 'soledispositivepower')),
    shared_dispositive: amount('shared_dispositive', fieldOf(powers, 'shareddispositivepower')),
    aggregate: amount('aggregate', fieldOf(element, 'aggregateamountowned', 'reportingpersonbeneficiallyownedaggregatenumberofshares')),
    excludes_shares: truth(fieldOf(element, 'isaggregateexcludeshares', 'aggregateamountexcludescertainsharesflag')),
    percent,
    percent_printed: percentPrinted,
    types: listed('typeofreportingperson'),
    citizenship: fieldOf(element, 'citizenshipororganization'),
    group_box: group === 'a' || group === 'b' ? group : null,
    fund_sources: listed('fundtype'),
    legal_proceedings: truth(fieldOf(element, 'legalproceedings')),
    comment: proseOf(child(element, 'commentcontent', 'comments')?.text ?? '') || null,
    confidence: 1,
    evidence: [],
    flags,
  }
}

const titles: Readonly<Record<'items1to7' | 'items', readonly string[]>> = {
  items1to7: [
    'Security and Issuer',
    'Identity and Background',
    'Source and Amount of Funds or Other Consideration',
    'Purpose of Transaction',
    'Interest in Securities of the Issuer',
    'Contracts, Arrangements, Understandings or Relationships With Respect to Securities of the Issuer',
    'Material to be Filed as Exhibits',
  ],
  items: [
    'Issuer',
    'Person Filing',
    'Type of Person Filing',
    'Ownership',
    'Ownership of 5 Percent or Less of a Class',
    'Ownership of more than 5 Percent on Behalf of Another Person',
    'Identification and Classification of the Subsidiary Which Acquired the Security',
    'Identification and Classification of Members of the Group',
    'Notice of Dissolution of Group',
    'Certifications',
  ],
}
const itemLists = (data: Element | undefined): Element[] => children(data, 'items1to7', 'items')
const itemElement = (data: Element | undefined, item: string): Element | undefined =>
  itemLists(data).flatMap(list => children(list, `item${item}`))[0]

const leafOf = (data: Element | undefined, item: string, name: string): string | null =>
  proseOf(child(itemElement(data, item), name)?.text ?? '') || null

function itemsOf(data: Element | undefined): Fact<'ownership_schedules'>['items'] {
  return itemLists(data).flatMap(list =>
    list.children.flatMap(element => {
      const item = /^item(\d{1,2})$/i.exec(element.name)?.[1]
      if (item === undefined) return []
      const parts: string[] = []
      collect(element, parts)
      const text = parts.join('\n')
      const title = titles[list.name.toLowerCase() === 'items' ? 'items' : 'items1to7'][Number(item) - 1] ?? null
      const notApplicable = truth(fieldOf(element, 'notapplicableflag'))
      return { item, title, text: text === '' ? null : text, words: text === '' ? null : countWords(text), not_applicable: notApplicable }
    }),
  )
}

/** The texts of an item's fields in the document's order; boxes are no text. */
function collect(element: Element, parts: string[]): void {
  const text = proseOf(element.text)
  if (text !== '' && !/flag$/i.test(element.name)) parts.push(text)
  for (const each of element.children) collect(each, parts)
}

function signaturesOf(data: Element | undefined): Fact<'ownership_schedules'>['signatures'] {
  const blocks = [...children(data, 'signatureinfo').flatMap(list => children(list, 'signatureperson')), ...children(data, 'signatureinformation')]
  return blocks.flatMap((block, at) => {
    const person = fieldOf(block, 'signaturereportingperson', 'reportingpersonname')
    const signed = children(block, 'signaturedetails')
    return (signed.length > 0 ? signed : [block]).map(details => ({
      block: at + 1,
      person,
      signature: fieldOf(details, 'signature'),
      title: fieldOf(details, 'title'),
      date: dayOf(fieldOf(details, 'date')),
    }))
  })
}
