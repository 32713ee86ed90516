// data.sec.gov/api/xbrl/companyfacts: every value that a company's filings tag in XBRL, by taxonomy, concept and unit. The nightly
// archive companyfacts.zip holds one such file per company.
import { Unreadable } from '#schemas/errors.ts'
import { AccessionNumber, IsoDate } from '#schemas/values.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { cikOf, fileName } from '../filings/address.ts'
import { knownFrom } from '../filings/facts.ts'
import type { Fact, Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { decimalOfJson } from './decimal.ts'

type CompanyFact = Fact<'company_facts'>
export type CompanyFactsFile = {
  readonly cik: string
  readonly company: string | null
  /** In the order of the document. */
  readonly facts: readonly CompanyFact[]
  readonly concepts: readonly Fact<'company_concepts'>[]
  readonly refused: readonly Refused[]
}

/** JSON.parse gets a value's digits as text, so a filer's 1.10 or seventeen digits stay unchanged. A key inside a string has its quotes escaped. */
const value = /"val"(\s*:\s*)(-?[0-9][0-9.eE+-]*)/g

/**
 * Reads one company's file. Null for `{}`, which the SEC returns for a company without facts. Throws `Unreadable`: `not_json`,
 * `not_company_facts`. An invalid value (no day, no accession number, no number) is refused separately.
 */
export function parseCompanyFacts(bytes: Uint8Array, subject = 'company facts'): CompanyFactsFile | null {
  const text = decodeText(bytes)
  let json: unknown
  try {
    json = JSON.parse(text.replace(value, '"val"$1"$2"'))
  } catch (cause) {
    throw new Unreadable('not_json', `${subject}: expected JSON, got ${JSON.stringify(text.slice(0, 60))}`, { cause })
  }
  const file = recordOf(json)
  if (file === null) throw new Unreadable('not_company_facts', `${subject}: expected an object, got ${JSON.stringify(text.slice(0, 60))}`)
  if (Object.keys(file).length === 0) return null
  const cik = cikOf(String(file['cik'] ?? ''))
  const taxonomies = recordOf(file['facts'])
  if (cik === null || taxonomies === null) {
    throw new Unreadable('not_company_facts', `${subject}: ${cik === null ? '"cik" is no CIK' : '"facts" is no object'}`)
  }
  const company = textOf(file['entityName'])
  const reading: Reading = { cik, company, subject, facts: [], concepts: [], refused: [], known: new Map(), days: new Map() }
  for (const [taxonomy, concepts] of Object.entries(taxonomies)) {
    for (const [concept, conceptJson] of Object.entries(recordOf(concepts) ?? {})) readConcept(reading, taxonomy, concept, recordOf(conceptJson))
  }
  return { cik, company, facts: reading.facts, concepts: reading.concepts, refused: reading.refused }
}

type Reading = {
  readonly cik: string
  readonly company: string | null
  readonly subject: string
  readonly facts: CompanyFact[]
  readonly concepts: Fact<'company_concepts'>[]
  readonly refused: Refused[]
  /** Days repeat thousands of times in a file: each is checked, and turned into an instant, once. */
  readonly known: Map<string, ReturnType<typeof knownFrom>>
  readonly days: Map<string, boolean>
}
type Json = Readonly<Record<string, unknown>>

const recordOf = (json: unknown): Json | null => (typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Json) : null)
const textOf = (json: unknown): string | null => (typeof json === 'string' && json.trim() !== '' ? json.trim() : null)

function readConcept(reading: Reading, taxonomy: string, concept: string, conceptJson: Json | null): void {
  const before = reading.facts.length
  for (const [unit, values] of Object.entries(recordOf(conceptJson?.['units']) ?? {})) {
    if (!Array.isArray(values)) {
      refuse(reading, 'no_values', `${taxonomy}:${concept} ${unit}`, 'its unit holds no list of values', null)
      continue
    }
    const places = new Map<string, number>()
    for (const each of values) readValue(reading, { taxonomy, concept, unit }, recordOf(each) ?? {}, places)
  }
  // Known since the first filing that used it.
  let first: CompanyFact | undefined
  for (let at = before; at < reading.facts.length; at += 1) {
    const fact = reading.facts[at] as CompanyFact
    if (first === undefined || fact.filed_date < first.filed_date) first = fact
  }
  reading.concepts.push({
    cik: reading.cik,
    taxonomy,
    concept,
    company: reading.company,
    label: textOf(conceptJson?.['label']),
    ...(first?.known_from === undefined ? {} : { known_from: first.known_from, known_basis: 'filed' as const }),
  })
}

type Place = { readonly taxonomy: string; readonly concept: string; readonly unit: string }

function readValue(reading: Reading, { taxonomy, concept, unit }: Place, each: Json, places: Map<string, number>): void {
  const { start = null, end, accn, filed, form } = each
  const value = decimalOfJson(each['val'])
  const bad = faultOf(reading, each, value)
  if (bad !== null || value === null) {
    const [reason, member] = bad ?? (['no_number', 'val'] as const)
    const shown = JSON.stringify(each[member] ?? null).slice(0, 60)
    refuse(reading, reason, `${taxonomy}:${concept} ${unit} ${String(end ?? '')}`, `${member} is ${shown}`, each)
    return
  }
  const key = `${String(start)} ${String(end)} ${String(accn)}`
  const place = (places.get(key) ?? 0) + 1
  places.set(key, place)
  reading.facts.push({
    cik: reading.cik,
    taxonomy,
    concept,
    unit,
    period_start: start as string | null,
    period_end: end as string,
    value,
    fy: typeof each['fy'] === 'number' && Number.isSafeInteger(each['fy']) ? each['fy'] : null,
    fp: textOf(each['fp']),
    form: form as string,
    filed_date: filed as string,
    frame: textOf(each['frame']),
    accession: accn as string,
    place,
    ...knownOf(reading, filed as string),
  })
}

/** Why a value is invalid: the reason, and the member that shows it. */
function faultOf(reading: Reading, { start = null, end, accn, filed, form }: Json, value: string | null): readonly [string, string] | null {
  if (value === null) return ['no_number', 'val']
  if (!isDay(reading, end)) return ['no_period', 'end']
  if (start !== null && !isDay(reading, start)) return ['no_period', 'start']
  if (!isDay(reading, filed)) return ['no_filed_day', 'filed']
  if (typeof accn !== 'string' || !AccessionNumber.safeParse(accn).success) return ['no_accession', 'accn']
  return typeof form === 'string' && form !== '' ? null : ['no_form', 'form']
}

function isDay(reading: Reading, day: unknown): boolean {
  if (typeof day !== 'string') return false
  let known = reading.days.get(day)
  if (known === undefined) {
    known = IsoDate.safeParse(day).success
    reading.days.set(day, known)
  }
  return known
}
function knownOf(reading: Reading, filed: string): ReturnType<typeof knownFrom> {
  let known = reading.known.get(filed)
  if (known === undefined) {
    // The file does not state the acceptance; it lists filings that were public on that day.
    known = knownFrom('', null, filed)
    reading.known.set(filed, known)
  }
  return known
}

function refuse(reading: Reading, reason: string, what: string, fault: string, record: Json | null): void {
  const subject = `${reading.cik} ${what}`.slice(0, 200)
  reading.refused.push({ dataset: 'company_facts', reason, subject, detail: `${reading.subject}: ${what}: ${fault}`.slice(0, 400), record })
}

function parse(document: RawDocument): Parsed {
  const file = parseCompanyFacts(document.body, `company facts ${document.url}`)
  if (file === null) return { facts: {}, refused: [], skipped: { company_without_facts: 1 }, follow: [] }
  return { facts: { company_facts: file.facts, company_concepts: file.concepts }, refused: file.refused, skipped: {}, follow: [] }
}

export const companyFactsReader = reader('edgar.company-facts', 'company_facts', {
  // As one document, or as a member of the nightly archive.
  reads: url => /^https:\/\/(?:data\.sec\.gov\/api\/xbrl\/companyfacts\/|www\.sec\.gov\/[\w/-]+\/companyfacts\.zip#)CIK\d{10}\.json$/.test(url),
  recognise: (path, head) => {
    if (!/\.json$/i.test(fileName(path)) || !/"facts"\s*:\s*\{/.test(head) || !/"entityName"\s*:/.test(head)) return null
    const cik = /"cik"\s*:\s*"?(\d{1,10})\b/.exec(head)?.[1]
    return cik === undefined ? `recorded:${path}` : `https://data.sec.gov/api/xbrl/companyfacts/CIK${cik.padStart(10, '0')}.json`
  },
  parse,
})

export const fundamentalsReaders: readonly Reader[] = [companyFactsReader]
