// FACTS.md, table `schedule13/`: Schedules 13D and 13G, structured and not.
import { Unreadable } from '#schemas/errors.ts'
import type { Fact } from '../../read/parsed.ts'
import { isEqual } from '../accuracy-equality.ts'
import { compare, type Entry, type Evaluator, type Outcome } from './compare.ts'

type Filing = Fact<'ownership_schedules'>
type Person = Fact<'ownership_persons'>

const filingFacts = (filing: Filing, persons: readonly Person[], readByHand: boolean): Record<string, unknown> => ({
  type: filing.form,
  schema: filing.schema_version,
  amend: filing.amendment_number,
  issuer: filing.issuer_name,
  issuerCik: filing.issuer_cik,
  cusip: filing.cusips,
  title: filing.class_title,
  event: readByHand ? filing.event_date : filing.event_date_printed,
  prev: filing.previous_accession,
  n: persons.length,
  item4words: filing.purpose_words,
  rules: filing.rules,
  sigs: new Set(filing.signatures.map(signature => signature.block)).size,
})

const personFacts = (person: Person): Record<string, unknown> => ({
  name: person.name,
  cik: person.cik,
  sv: person.sole_voting,
  shv: person.shared_voting,
  sd: person.sole_dispositive,
  shd: person.shared_dispositive,
  agg: person.aggregate,
  pct: person.percent ?? (/\d/.test(person.percent_printed ?? '') ? person.percent_printed : null),
  typ: person.types.length === 0 ? null : person.types.join(', '),
  cit: person.citizenship,
  grp: person.group_box,
  fund: person.fund_sources.length === 0 ? null : person.fund_sources.join(', '),
})

const codes = (value: unknown): string[] => (typeof value === 'string' ? value.split(/[\s,;/]+/).filter(code => code !== '') : [])

/** Facts from XML give the first of several codes; a person who read the page gives all of them. */
const equalCodes =
  (readByHand: boolean) =>
  (expected: unknown, got: unknown): boolean => {
    if (typeof expected !== 'string' || typeof got !== 'string') return isEqual(expected, got)
    const [wanted, read] = [codes(expected), codes(got)]
    return isEqual(wanted, read) || (!readByHand && wanted.length > 0 && isEqual(wanted, read.slice(0, wanted.length)))
  }

/** CUSIPs are printed with blanks or dashes between their parts, or without. */
function equalNumbers(expected: unknown, got: unknown): boolean {
  const plain = (value: unknown): unknown => (Array.isArray(value) ? value.map(each => String(each).replace(/[\s-]/g, '')) : value)
  return isEqual(plain(expected), plain(got))
}

function evaluatePersons(expected: unknown, persons: readonly Person[], readByHand: boolean): Outcome[] {
  if (!Array.isArray(expected)) return [{ field: 'persons', equal: false, expected, got: persons.length }]
  const comparisons = { typ: equalCodes(readByHand), fund: equalCodes(readByHand) }
  return (expected as readonly Entry[]).flatMap((wanted, at) => {
    const person = persons[at]
    const read = person === undefined ? {} : personFacts(person)
    return compare(read, wanted, Object.keys(wanted), comparisons).map(outcome => ({ ...outcome, field: `persons[${at}].${outcome.field}` }))
  })
}

export const schedule13: Evaluator = (found, entry, fields) => {
  const parsed = found.reader?.parse(found.document)
  const filing = parsed?.facts.ownership_schedules?.[0]
  if (filing === undefined) {
    throw new Unreadable('no_schedule', parsed?.refused[0]?.detail ?? 'no reader recognises it as a Schedule 13D or 13G')
  }
  const persons = parsed?.facts.ownership_persons ?? []
  const readByHand = entry['read'] === 'by eye'
  const own = fields.filter(field => field !== 'persons')
  return [
    ...compare(filingFacts(filing, persons, readByHand), entry, own, { cusip: equalNumbers }),
    ...(fields.includes('persons') ? evaluatePersons(entry['persons'], persons, readByHand) : []),
  ]
}
