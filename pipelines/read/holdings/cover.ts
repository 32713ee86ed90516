// The cover and summary page of a 13F (`edgarSubmission`, primary_doc.xml): the filer, the period, other managers, and the totals.
import { calendarDay } from '#schemas/days.ts'
import { Unreadable } from '#schemas/errors.ts'
import { decimalText } from '#schemas/values.ts'
import { cikOf } from '../filings/address.ts'
import type { Fact } from '../parsed.ts'
import { child, type Element, parseXml, textOf } from '../xml/xml.ts'

type ReportFact = Fact<'holdings_reports'>
export type Manager = ReportFact['cover_managers'][number]
/** The values of the cover: the members of a report that neither the header nor the table gives. */
export type Cover = Pick<
  ReportFact,
  | 'manager_name'
  | 'schema_version'
  | 'period_of_report'
  | 'report_type'
  | 'is_amendment'
  | 'amendment_number'
  | 'amendment_type_filed'
  | 'confidential_denied_or_expired'
  | 'date_denied_or_expired'
  | 'date_reported'
  | 'reason_for_disclosure'
  | 'confidential_omitted'
  | 'file_number'
  | 'crd_number'
  | 'sec_file_number'
  | 'street1'
  | 'street2'
  | 'city'
  | 'state'
  | 'zip'
  | 'additional_information'
  | 'signature_name'
  | 'signature_title'
  | 'signature_date'
  | 'cover_managers'
  | 'included_managers'
  | 'included_managers_count'
  | 'entry_total'
  | 'value_total'
> & {
  readonly form: string | null
  readonly manager_cik: string | null
  readonly flags: readonly string[]
}

export const blankCover: Cover = {
  form: null,
  manager_cik: null,
  manager_name: null,
  schema_version: null,
  period_of_report: null,
  report_type: null,
  is_amendment: null,
  amendment_number: null,
  amendment_type_filed: null,
  confidential_denied_or_expired: null,
  date_denied_or_expired: null,
  date_reported: null,
  reason_for_disclosure: null,
  confidential_omitted: null,
  file_number: null,
  crd_number: null,
  sec_file_number: null,
  street1: null,
  street2: null,
  city: null,
  state: null,
  zip: null,
  additional_information: null,
  signature_name: null,
  signature_title: null,
  signature_date: null,
  cover_managers: [],
  included_managers: [],
  included_managers_count: null,
  entry_total: null,
  value_total: null,
  flags: [],
}

/** `12-31-2024` or `2024-12-31` (a following zone or time is dropped) as a calendar day; undefined for other text. */
export function formDay(text: string): string | undefined {
  const parts = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/.exec(text) ?? undefined
  const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T+Z-].{0,20})?$/.exec(text) ?? undefined
  const [year, month, day] = parts ? [parts[3], parts[1], parts[2]] : iso ? [iso[1], iso[2], iso[3]] : []
  if (year === undefined || month === undefined || day === undefined) return undefined
  return calendarDay(year, month, day) ?? undefined
}

/**
 * Reads a cover. Throws `Unreadable` if it is not well-formed XML or not the `edgarSubmission` of a 13F; unreadable cells become null and
 * are flagged.
 */
export function parseCover(subject: string, text: string): Cover {
  const root = parseXml(subject, text)
  const form = textOf(child(child(root, 'headerData'), 'submissionType'))
  if (root.name !== 'edgarSubmission' || (form !== null && !/^13F/.test(form)))
    throw new Unreadable('not_13f', `${subject}: <${root.name}> of form ${form ?? 'unknown'}, expected <edgarSubmission> of a 13F`)
  const flags: string[] = []
  const data = child(root, 'formData')
  const page = child(data, 'coverPage')
  const summary = child(data, 'summaryPage')
  const amendment = child(page, 'amendmentInfo')
  const manager = child(page, 'filingManager')
  const address = child(manager, 'address')
  const signature = child(data, 'signatureBlock')
  const filer = child(child(root, 'headerData'), 'filerInfo')
  const day = (element: Element | undefined, field: string): string | null => {
    const printed = textOf(element)
    if (printed === null) return null
    const read = formDay(printed)
    if (read === undefined) flags.push(`${field}_unreadable`)
    return read ?? null
  }
  const number = (element: Element | undefined, field: string): string | null => {
    const printed = textOf(element)
    if (printed === null) return null
    const read = printed.length > 40 ? null : decimalText(printed)
    if (read === null) flags.push(`${field}_unreadable`)
    return read
  }
  const cik = textOf(child(child(child(filer, 'filer'), 'credentials'), 'cik'))
  return {
    form,
    manager_cik: cik === null ? null : cikOf(cik),
    manager_name: textOf(child(manager, 'name')),
    schema_version: textOf(child(root, 'schemaVersion')),
    period_of_report: day(child(page, 'reportCalendarOrQuarter'), 'period') ?? day(child(filer, 'periodOfReport'), 'period'),
    report_type: textOf(child(page, 'reportType')),
    is_amendment: textOf(child(page, 'isAmendment')),
    amendment_number: textOf(child(page, 'amendmentNo')),
    amendment_type_filed: textOf(child(amendment, 'amendmentType')) ?? textOf(child(page, 'amendmentType')),
    confidential_denied_or_expired: textOf(child(amendment, 'confDeniedExpired')),
    date_denied_or_expired: day(child(amendment, 'dateDeniedExpired'), 'date_denied_or_expired'),
    date_reported: day(child(amendment, 'dateReported'), 'date_reported'),
    reason_for_disclosure: textOf(child(amendment, 'reasonForNonConfidentiality')),
    confidential_omitted: textOf(child(summary, 'isConfidentialOmitted')),
    file_number: textOf(child(page, 'form13FFileNumber')),
    crd_number: textOf(child(page, 'crdNumber')),
    sec_file_number: textOf(child(page, 'secFileNumber')),
    street1: textOf(child(address, 'street1')),
    street2: textOf(child(address, 'street2')),
    city: textOf(child(address, 'city')),
    state: textOf(child(address, 'stateOrCountry')),
    zip: textOf(child(address, 'zipCode')),
    additional_information: textOf(child(page, 'additionalInformation')),
    signature_name: textOf(child(signature, 'name')),
    signature_title: textOf(child(signature, 'title')),
    signature_date: day(child(signature, 'signatureDate'), 'signature_date'),
    cover_managers: named(child(page, 'otherManagersInfo'), 'otherManager').map(element => managerOf(element, null)),
    // The numbered list is on the summary page; the cover's list names managers that report instead of this one.
    included_managers: named(child(summary, 'otherManagers2Info'), 'otherManager2').map(element =>
      managerOf(child(element, 'otherManager') ?? element, textOf(child(element, 'sequenceNumber'))),
    ),
    included_managers_count: number(child(summary, 'otherIncludedManagersCount'), 'included_managers_count'),
    entry_total: number(child(summary, 'tableEntryTotal'), 'entry_total'),
    value_total: number(child(summary, 'tableValueTotal'), 'value_total'),
    flags: [...new Set(flags)],
  }
}

const named = (list: Element | undefined, name: string): Element[] => (list?.children ?? []).filter(element => element.name === name)

function managerOf(element: Element, number: string | null): Manager {
  const cik = textOf(child(element, 'cik'))
  return {
    number,
    cik: cik === null ? null : cikOf(cik),
    file_number: textOf(child(element, 'form13FFileNumber')),
    crd_number: textOf(child(element, 'crdNumber')),
    sec_file_number: textOf(child(element, 'secFileNumber')),
    name: textOf(child(element, 'name')),
  }
}
