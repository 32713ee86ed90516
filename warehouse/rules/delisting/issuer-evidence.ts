import { addDays, daysBetween, midnight } from '#schemas/days.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import type { Filing } from '#schemas/filings.ts'
import { findChains } from '../../datasets/beneficial-ownership/beneficial-ownership.ts'
import { leadOf, stakeOf } from '../../datasets/beneficial-ownership/chain.ts'
import { findCorrections } from '../../datasets/corrections/corrections.ts'
import { type Value, type Values, valuesOf } from '../../datasets/fundamentals/evaluate.ts'
import { type FoundFact, findFacts, findNewestFiling } from '../../datasets/fundamentals/fundamentals.ts'
import { fiscalYearsOf } from '../../datasets/fundamentals/periods.ts'
import { statementsOf } from '../../datasets/fundamentals/statements.ts'
import type { DelistingRules } from '../../rulesets/delisting/rules.ts'
import { conceptsOf, lineItems } from '../../rulesets/line-items/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { findIndustry } from '../sharia/sharia.ts'
import type { Evidence, Figure, FiscalYear, LargeHolder } from './types.ts'

const sqlFiles = sqlIn(import.meta.dirname, ['find-filings'])
const concepts = conceptsOf(lineItems)

/** The source of a value: a filing by its accession number, or an upstream's document. */
export type Read = {
  readonly source: string
  readonly known_from: string
  readonly raw_sha256: string
  readonly accession: string | null
  readonly url: string | null
}
export type IssuerEvidence = {
  readonly balance: Balance | null
  readonly years: readonly FiscalYear[]
  readonly holders: readonly LargeHolder[]
  readonly filings: Evidence['filings']
  /** The operator's corrections of the schedules from which holders are read; empty without one. */
  readonly corrected: { readonly corrected?: readonly object[] }
  readonly sic: string | null
  readonly read: readonly Read[]
}

/** Reads an issuer's filings as of a day. Cost: six queries of one issuer. */
export async function findIssuerEvidence(lake: Lake, cik: string, day: string, rules: DelistingRules): Promise<IssuerEvidence> {
  const [facts, chains, newestFiling, industry] = await Promise.all([
    findFacts(lake, cik, concepts, null),
    findChains(lake, [cik], null),
    findNewestFiling(lake, cik, false, null),
    findIndustry(lake, cik),
  ])
  const { balance, years } = figuresOf(facts, day, rules)
  const filings = newestFiling === null ? null : await findForms(lake, cik, addDays(day, -rules.evidence.history_days), rules)
  const holders = largeHolders(chains, rules)
  const corrections = await findCorrections(
    lake,
    chains.schedules.map(({ filing_id }) => filing_id),
    null,
  )
  return {
    balance,
    years,
    holders,
    filings,
    corrected: corrections.ofLines(
      chains.schedules.flatMap(({ filing_id }) => [
        { dataset: 'ownership_schedules', filing: filing_id, line: '' },
        ...(chains.persons.get(filing_id) ?? []).map(({ line }) => ({ dataset: 'ownership_persons' as const, filing: filing_id, line })),
      ]),
    ),
    sic: industry?.sic ?? null,
    read: [...factsRead(facts, cik), ...(filings ?? []), ...chains.schedules.map(row => ({ ...row, url: null }))],
  }
}

type Balance = { readonly end: string; readonly values: Values }
const balanceConcepts = new Set(
  lineItems.items.filter(({ item }) => item === 'assets').flatMap(({ rules }) => rules.flatMap(rule => ('first' in rule ? rule.first.flat() : []))),
)

/** The newest balance sheet and the last fiscal years that filings state; none is older than the ruleset allows. */
function figuresOf(
  facts: readonly FoundFact[],
  day: string,
  { evidence, rules }: DelistingRules,
): { readonly balance: Balance | null; readonly years: FiscalYear[] } {
  const statements = statementsOf(facts, lineItems)
  const isRecent = (end: string): boolean => daysBetween(end, day) <= evidence.max_figures_age_days
  const valuesAt = (start: string, end: string): Values =>
    valuesOf(statements, lineItems, { start, end, year_start: null, currency: statements.currencyAt(end) })
  const newest = statements.all
    .filter(({ name, period_start, period_end, filed_date }) => period_start === null && balanceConcepts.has(name) && period_end <= filed_date)
    .reduce((latest, { period_end }) => (period_end > latest ? period_end : latest), '')
  const lookedAt = Math.max(...rules.map(({ test }) => (test.kind === 'annual' || test.kind === 'losses' ? test.last : 1)))
  const years = fiscalYearsOf(statements, lineItems).slice(-lookedAt).reverse()
  return {
    balance: newest !== '' && isRecent(newest) ? { end: newest, values: valuesAt(newest, newest) } : null,
    years: (years[0] && isRecent(years[0].end) ? years : []).map(({ start, end }) => {
      const values = valuesAt(start, end)
      const of = (item: string): Figure | null => figureOf(values.get(item), end)
      return { end, net_income: of('net_income'), assets: of('assets'), revenue: of('revenue') }
    }),
  }
}

type FormRow = Pick<Filing, 'accession' | 'form' | 'items' | 'filed_date' | 'period_of_report' | 'url' | 'source' | 'raw_sha256' | 'known_from'>
async function findForms(lake: Lake, cik: string, since: string, { rules }: DelistingRules): Promise<FormRow[]> {
  const forms = rules.flatMap(({ test }) =>
    test.kind === 'filings'
      ? test.forms
      : test.kind === 'late_report'
        ? test.notices.flatMap(({ forms: notices, reports }) => [...notices, ...reports])
        : [],
  )
  return await lake.query<FormRow>(sqlFiles['find-filings'], { forms: [...new Set(forms)], since }, { filings: [cik] })
}

/** By the newest schedule whose lead filer each holder is: an amendment replaces the amended schedule. */
function largeHolders({ schedules, persons }: Awaited<ReturnType<typeof findChains>>, rules: DelistingRules): LargeHolder[] {
  const newest = new Map<string, LargeHolder | null>()
  for (const filing of schedules) {
    const own = persons.get(filing.filing_id) ?? []
    const lead = leadOf(filing, own)
    const stake = stakeOf(own)
    if (lead === null || stake === null) continue
    const large = stake.percent !== null && compareDecimals(stake.percent, rules.evidence.holder_pct) > 0
    newest.set(
      lead,
      large
        ? { name: stake.name, shares: stake.aggregate, percent: stake.percent as string, filed_date: filing.filed_date, accession: filing.accession }
        : null,
    )
  }
  return [...newest.values()].filter(holder => holder !== null)
}

export function figureOf(value: Value | null | undefined, end: string | undefined): Figure | null {
  if (!value || end === undefined) return null
  return { value: value.value, unit: value.unit, at: value.at ?? end, documents: [...new Set(value.parts.map(part => part.accession))] }
}

const factsRead = (facts: readonly FoundFact[], cik: string): Read[] =>
  facts.map(({ source, raw_sha256, accession, filed_date }) => ({
    source,
    raw_sha256,
    accession,
    known_from: midnight(filed_date),
    url: `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession}.txt`,
  }))
