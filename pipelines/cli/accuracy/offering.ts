// FACTS.md, `offering/`: terms, amounts in whole dollars and the section Use of Proceeds of a prospectus; its sellers, symbol and price.
import { sumOf } from '#schemas/decimals.ts'
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { parseSubmission, type Submission } from '../../read/filings/sgml.ts'
import { offeringContent } from '../../read/offerings/content.ts'
import { parseProspectus } from '../../read/offerings/parse.ts'
import type { Fact, RawDocument } from '../../read/parsed.ts'
import { isEqual } from '../accuracy-equality.ts'
import { type Comparisons, compare, type Entry, type Evaluator, type Outcome, within } from './compare.ts'

type Offering = Fact<'offerings'>
const amounts = ['gross', 'private_placement', 'total', 'underwriting', 'offering_expenses', 'trust', 'net', 'net_approx'] as const

/** A whole submission, or a prospectus alone, whose own text states the rule it was filed under. */
function offeringIn(document: RawDocument): Offering {
  let submission: Submission
  try {
    submission = parseSubmission(document.body)
  } catch (error) {
    if (!(error instanceof Unreadable && error.reason === 'not_a_submission')) throw error
    const text = decodeText(document.body)
    const rule = /\bRule\s+424\s?\(b\)\s?\((\d)\)/i.exec(text.slice(0, 200_000))?.[1]
    return parseProspectus(text, {
      accession: '0000000000-00-000000',
      cik: '0000000000',
      company: null,
      form: rule === undefined ? 'S-1' : `424B${rule}`,
      filed_date: '1970-01-01',
      file_number: null,
      document: null,
    }).offering
  }
  const { header } = submission
  const read = offeringContent.read(submission, {
    accession: header.accession ?? '0000000000-00-000000',
    form: header.form ?? '',
    filed_date: header.filed_date ?? '1970-01-01',
    accepted_at: header.accepted_at,
    period_of_report: header.period,
    subject_cik: header.entities.find(entity => entity.cik !== null)?.cik ?? '0000000000',
    filer_cik: null,
    url: document.url,
  })
  const [offering] = read.facts.offerings ?? []
  if (offering === undefined) throw new Unreadable('no_prospectus', 'no document of the submission is a prospectus')
  return offering
}

/** FACTS.md gives whole dollars: printed cents are rounded, half a dollar up. */
function equalDollars(expected: unknown, got: unknown): boolean {
  if (isEqual(expected, got)) return true
  if (typeof expected !== 'number' || !Number.isInteger(expected) || typeof got !== 'string' || !/^\d+\.\d+$/.test(got)) return false
  return isEqual(expected, sumOf([got, '0.5']).split('.')[0])
}
const words = (text: string): string => text.replace(/\s+/g, ' ').trim()
const begins = (expected: unknown, got: unknown): boolean =>
  typeof expected === 'string' && typeof got === 'string' && words(got).startsWith(words(expected))
const comparisons: Comparisons = {
  ...Object.fromEntries(amounts.flatMap(name => [name, `${name}_with_option`]).map(name => [name, equalDollars])),
  use_of_proceeds_words: within(0.03, 0),
  first_words: begins,
}

/** Keys that describe how other keys are compared, or that are not compared. */
const rules = new Set(['kind', 'aliases', 'underwriters_also', 'no_offering'])

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
/** A sales agent has the role `agent` in our data. */
const roleIn = (role: unknown): unknown => (typeof role === 'string' && /^(?:sales|selling)_agent$/.test(role) ? 'agent' : role)

/**
 * Every firm once, by its full name or one of its aliases, with its role (null: not compared), and no other name except the permitted
 * ones. Ignores case, punctuation and order.
 */
export function sameSellers(entry: Entry, expected: unknown, got: unknown): boolean {
  if (!Array.isArray(expected) || !Array.isArray(got)) return false
  const aliases = (entry['aliases'] ?? {}) as Readonly<Record<string, readonly string[]>>
  const namesOf = (name: string): Set<string> => new Set([name, ...(aliases[name] ?? [])].map(letters))
  const also = new Set(((entry['underwriters_also'] ?? []) as readonly string[]).flatMap(name => [...namesOf(name)]))
  const wanted = (expected as readonly (readonly [string, string | null])[]).map(([name, role]) => ({ names: namesOf(name), role, seen: 0 }))
  for (const [name, role] of got as readonly (readonly [string, string])[]) {
    const firm = wanted.find(each => each.names.has(letters(name)))
    if (firm !== undefined) {
      firm.seen += 1
      if (firm.role !== null && roleIn(firm.role) !== role) return false
    } else if (!also.has(letters(name))) return false
  }
  return wanted.every(firm => firm.seen === 1)
}

/** Exactly these firms. */
function onlySellers(entry: Entry, expected: unknown, got: unknown): boolean {
  if (!Array.isArray(expected) || !Array.isArray(got)) return false
  const aliases = (entry['aliases'] ?? {}) as Readonly<Record<string, readonly string[]>>
  const allowed = new Set((expected as readonly string[]).flatMap(name => [name, ...(aliases[name] ?? [])]).map(letters))
  return (got as readonly (readonly [string, string])[]).every(([name]) => allowed.has(letters(name)))
}

/** A list of sellers without roles, for a reading that has none. */
export const namesOnly = (expected: unknown): unknown =>
  Array.isArray(expected) && expected.every(Array.isArray) ? expected.map(([name]) => [name, null]) : expected

/** Compares one reading with one fact of an entry, by the rules of this folder. */
export const sameReading = (entry: Entry, field: string, expected: unknown, got: unknown): boolean =>
  comparedWith({ [field.replace(/_(?:any|subset_of)$/, '')]: got }, { ...entry, [field]: expected }, [field]).every(({ equal }) => equal)

/** Compares what was read; `KEY_any` accepts any of its readings. */
function comparedWith(read: Readonly<Record<string, unknown>>, entry: Entry, fields: readonly string[]): Outcome[] {
  const own: Comparisons = {
    ...comparisons,
    underwriters: (expected, got) => sameSellers(entry, expected, got),
    underwriters_subset_of: (expected, got) => onlySellers(entry, expected, got),
  }
  const readings: Record<string, unknown> = { ...read, underwriters_subset_of: read['underwriters'] }
  const all: Record<string, (expected: unknown, got: unknown) => boolean> = { ...own }
  for (const field of fields) {
    if (!field.endsWith('_any')) continue
    const key = field.slice(0, -'_any'.length)
    readings[field] = readings[key]
    all[field] = (expected, got) => Array.isArray(expected) && expected.some(each => (own[key] ?? isEqual)(each, got))
  }
  return compare(readings, entry, fields, all)
}

export const offering: Evaluator = ({ document }, entry, given) => {
  const fields = given.filter(field => !rules.has(field))
  let read: Offering
  try {
    read = offeringIn(document)
  } catch (error) {
    // The document offers nothing, so no row is correct for every key.
    if (entry['no_offering'] === true && error instanceof Unreadable && error.reason === 'no_prospectus')
      return fields.map(field => ({ field, equal: true, expected: entry[field], got: entry[field] }))
    throw error
  }
  const text = read.use_of_proceeds_text
  const heading = read.use_of_proceeds_heading ?? ''
  return comparedWith(
    {
      ...read,
      underwriters: read.underwriters.map(({ name, role }) => [name, role]),
      first_words:
        text === null
          ? null
          : text
              .slice(text.startsWith(heading) ? heading.length : 0)
              .trim()
              .slice(0, 400),
    },
    entry,
    fields,
  ).map(outcome => {
    const cited = read.evidence.filter(each => (evidenceOf[outcome.field.replace(/_any$/, '')] ?? []).includes(each.field))
    return cited.length === 0 || outcome.got === null ? outcome : { ...outcome, quotes: cited.map(({ text }) => text) }
  })
}

/** The evidence of a fact whose value alone the document prints elsewhere too. */
const evidenceOf: Readonly<Record<string, readonly string[]>> = {
  price: ['price', 'price_low'],
  price_low: ['price_low'],
  price_high: ['price_low'],
  price_basis: ['price', 'price_low'],
  proposed_symbol: ['proposed_symbol'],
  shares: ['security'],
}
