// FACTS.md, `companyfacts/`: concepts by taxonomy, values, and the newest annual values of four concepts.
import { dayMs } from '#schemas/days.ts'
import { Unreadable } from '#schemas/errors.ts'
import { type CompanyFactsFile, parseCompanyFacts } from '../../read/fundamentals/company-facts.ts'
import { compare, type Entry, type Evaluator } from './compare.ts'

/** The concepts that the facts cover. Any other concept that an entry names is compared too. */
const concepts = ['Revenues', 'RevenueFromContractWithCustomerExcludingAssessedTax', 'NetIncomeLoss', 'Assets']

function annual(file: CompanyFactsFile, concept: string): Readonly<Record<string, string>> | null {
  const ends = new Map<string, string>()
  for (const fact of file.facts) {
    if (fact.taxonomy !== 'us-gaap' || fact.concept !== concept || fact.unit !== 'USD' || fact.form !== '10-K' || fact.fp !== 'FY') continue
    const days = fact.period_start === null ? null : (Date.parse(fact.period_end) - Date.parse(fact.period_start)) / dayMs
    if (days === null || (days >= 350 && days <= 380)) ends.set(fact.period_end, fact.value)
  }
  const newest = [...ends.keys()].sort().slice(-2)
  return newest.length === 0 ? null : Object.fromEntries(newest.map(end => [end, ends.get(end) ?? '']))
}

function taxonomies(file: CompanyFactsFile): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { taxonomy } of file.concepts) counts[taxonomy] = (counts[taxonomy] ?? 0) + 1
  return counts
}

const wanted = (entry: Entry): string[] => {
  const named = entry['annual']
  return [...new Set([...concepts, ...(typeof named === 'object' && named !== null ? Object.keys(named) : [])])]
}

export const companyfacts: Evaluator = ({ document }, entry, fields) => {
  const file = parseCompanyFacts(document.body, document.url)
  if (file === null) throw new Unreadable('no_facts', 'the company has no facts')
  const read = {
    taxonomies: taxonomies(file),
    points: file.facts.length,
    annual: Object.fromEntries(wanted(entry).flatMap(concept => (annual(file, concept) === null ? [] : [[concept, annual(file, concept)]]))),
  }
  return compare(read, entry, fields)
}
