// Fundamentals of a symbol: its issuer's company facts as standard line items.
import type { Source } from '#schemas/answer.ts'
import type { Coverage } from '#schemas/coverage.ts'
import { type Built, digits, originsOf, type ReleaseContext, sourceTitle } from '../context/answer.ts'
import { type Issuer, isCanadian, issuerOf } from '../context/cross-listing.ts'
import { findFilingVersions } from '../datasets/filings/filings.ts'
import type { Value } from '../datasets/fundamentals/evaluate.ts'
import { type FoundFact, findCompany, findFacts, findNewestFiling, type KnownFiling } from '../datasets/fundamentals/fundamentals.ts'
import { type Restatement, type Side, type StandardPeriod, standardOf, type Trailing } from '../datasets/fundamentals/standard.ts'
import { conceptsOf, lineItems } from '../rulesets/line-items/rules.ts'
import { fundamentalsPage } from './paged/fundamentals.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['company_facts', 'company_concepts', 'symbols', 'issuer_tickers'] as const
const concepts = conceptsOf(lineItems)

export const filingUrl = (cik: string, accession: string): string => `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession}.txt`
export type Covered = Pick<Coverage, 'status' | 'sentence'>
/** The explanation for an issuer without a CIK, as opposed to one without loaded data. */
export const notAnSecFiler = (symbol: string): Covered =>
  isCanadian(symbol)
    ? {
        status: 'home_country',
        sentence: `the issuer of ${symbol} is not known to file with the SEC; issuers of Canadian exchanges file on SEDAR+, which this service does not read`,
      }
    : { status: 'unknown_filer', sentence: `no CIK is known for ${symbol}: its issuer is not known to file with the SEC` }

const record = <T>(values: ReadonlyMap<string, T>, print: (value: T) => object | null): object =>
  Object.fromEntries([...values].map(([item, value]) => [item, print(value)]))

function printedValue(value: Value | null): object | null {
  if (value === null) return null
  return {
    value: digits(value.value),
    unit: value.unit,
    basis: value.basis,
    concept: value.concept,
    accession: value.accession,
    form: value.form,
    filed_date: value.filed_date,
    at: value.at,
    formula: value.formula,
    parts: value.basis === 'reported' ? null : value.parts.map(part => ({ ...part, value: digits(part.value) })),
  }
}

const printedPeriod = ({ values, ...period }: StandardPeriod): object => ({ ...period, values: record(values, printedValue) })

function printedTrailing({ values, ...trailing }: Trailing): object {
  return {
    ...trailing,
    values: record(
      values,
      value =>
        value && {
          value: digits(value.value),
          unit: value.unit,
          quarters: value.quarters.map(quarter => ({ ...quarter, value: digits(quarter.value) })),
        },
    ),
  }
}
const printedSide = (side: Side): object => ({ ...side, value: digits(side.value) })
const printedRestatement = ({ before, after, ...what }: Restatement): object => ({ ...what, before: printedSide(before), after: printedSide(after) })

/** The filings of the figures shown, by accession, with the document that each was read from. */
function sourcesOf(cik: string, periods: readonly StandardPeriod[], restatements: readonly Restatement[], rows: readonly FoundFact[]): Source[] {
  const byAccession = new Map(rows.map(row => [row.accession, row]))
  const used = new Set<string>()
  for (const { values } of periods) for (const value of values.values()) for (const part of value?.parts ?? []) used.add(part.accession)
  for (const { before, after } of restatements) used.add(before.accession).add(after.accession)
  return [...used].sort().flatMap(accession => {
    const row = byAccession.get(accession)
    return row ? [{ name: sourceTitle(row.source), accession, url: filingUrl(cik, accession), retrieved_at: null, sha256: row.raw_sha256 }] : []
  })
}

export async function buildFundamentals(context: ReleaseContext, question: QuestionOf<'get_fundamentals'>): Promise<Built> {
  const asOf = question.as_of ?? null
  const issuer = await issuerOf(context, question.symbol)
  const rows = issuer === null ? [] : await findFacts(context.lake, issuer.cik, concepts, asOf)
  if (issuer === null || rows.length === 0) return await nothing(context, question, issuer)
  const { cik, basis } = issuer
  const company = await findCompany(context.lake, cik)
  const standard = standardOf(rows, lineItems, question.years)
  const any = standard.annual.length + standard.quarterly.length > 0
  return {
    body: {
      symbol: question.symbol,
      cik,
      cik_basis: basis,
      company: company?.company ?? null,
      ruleset: lineItems.ruleset,
      years: question.years,
      coverage: any
        ? { status: 'read', sentence: 'values of XBRL facts as filed; per-share figures are per share as the issuer reports them, not per ADS' }
        : { status: 'none', sentence: 'the company tags facts in XBRL, but no period of a statement that the line items know' },
      count: standard.annual.length,
      annual: standard.annual.map(printedPeriod),
      quarterly: standard.quarterly.map(printedPeriod),
      ttm: standard.ttm && printedTrailing(standard.ttm),
      restatements: standard.restatements.map(printedRestatement),
    },
    sources: sourcesOf(cik, [...standard.annual, ...standard.quarterly], standard.restatements, rows),
    origins: async () => [
      ...originsOf([...rows.map(row => ({ ...row, accession: null })), ...(company ? [company] : [])]),
      // Acceptance times determine which filings were public then.
      ...(asOf === null
        ? []
        : originsOf(
            await findFilingVersions(
              context.lake,
              rows.map(({ accession }) => ({ accession, cik })),
              null,
            ),
          )),
    ],
    datasets: asOf === null ? datasets : [...datasets, 'filings'],
  }
}

/** No figures: the issuer does not file, its facts were not loaded, or it tags none. */
async function nothing(context: ReleaseContext, question: QuestionOf<'get_fundamentals'>, issuer: Issuer | null): Promise<Built> {
  const cik = issuer?.cik ?? null
  const asOf = question.as_of ?? null
  const xbrl = cik === null ? null : await findNewestFiling(context.lake, cik, true, asOf)
  const newest = cik === null ? null : (xbrl ?? (await findNewestFiling(context.lake, cik, false, asOf)))
  return {
    body: {
      symbol: question.symbol,
      cik,
      cik_basis: issuer?.basis ?? null,
      company: newest?.company ?? null,
      ruleset: lineItems.ruleset,
      years: question.years,
      coverage: cik === null ? notAnSecFiler(question.symbol) : withoutFacts(xbrl, newest),
      count: 0,
      annual: [],
      quarterly: [],
      ttm: null,
      restatements: [],
    },
    sources: [],
    origins: async () => (newest ? originsOf(await findFilingVersions(context.lake, [newest], asOf)) : []),
    datasets: [...datasets, 'filings'],
  }
}

/** Why a filer has no figures: they were not loaded, it tags none, or nothing about it is loaded. */
export function withoutFacts(xbrl: KnownFiling | null, newest: KnownFiling | null): Covered {
  if (xbrl)
    return {
      status: 'not_read',
      sentence: `the issuer's ${xbrl.form} of ${xbrl.filed_date} carries XBRL; its company facts are not loaded up to as_of`,
    }
  if (newest)
    return {
      status: 'none',
      sentence: `none of the issuer's filings up to its ${newest.form} of ${newest.filed_date} is known to carry XBRL: there are no company facts`,
    }
  return { status: 'not_loaded', sentence: 'no filing of the issuer is loaded up to as_of' }
}

export const fundamentalsAnswers = {
  get_fundamentals: { build: buildFundamentals, page: fundamentalsPage },
} satisfies Answers
