// A registration statement as of its last amendment: terms, use of proceeds, financials, and its history.
import { NotFound } from '#schemas/errors.ts'
import type { Offering, OfferingFinancial } from '#schemas/offerings.ts'
import { type Built, digits, originsOf, type ReleaseContext } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { type Corrections, findCorrections } from '../datasets/corrections/corrections.ts'
import { findFinancials, findOfferings, findProposers } from '../datasets/offerings/offerings.ts'
import { changeOf, type Registration, registrationsOf } from '../datasets/offerings/registrations.ts'
import { coverageDatasets, type FoundCoverage, findCoverage } from './coverage/coverage.ts'
import { filingSources } from './filings.ts'
import { s1Page } from './paged/offerings.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['offerings', 'offering_financials', 'symbols', 'issuer_tickers', 'insider_filings'] as const
const ruleset = 's1@1'
const noUnderwriters = 'no_underwriters_'
const registrationForms = [
  'S-1',
  'F-1',
  'S-11',
  'F-10',
  'SB-2',
  'S-3',
  'F-3',
  'S-4',
  'F-4',
  '1-A',
  ...Array.from({ length: 8 }, (_, at) => `424B${at + 1}`),
  ...Array.from({ length: 4 }, (_, at) => `253G${at + 1}`),
]

type Issuer = { readonly cik: string | null; readonly by: 'listing' | 'cik' | 'proposed_symbol' | null }

/** By listing; by CIK; else by the symbol that a prospectus proposes, because an issuer has no other before its first trade. */
async function issuerOf(context: ReleaseContext, ticker: string, asOf: string | null): Promise<Issuer> {
  if (/^\d{3,10}$/.test(ticker)) return { cik: ticker.padStart(10, '0'), by: 'cik' }
  let unknown: NotFound | null = null
  let listed: string | null = null
  try {
    listed = issuerCik(context, ticker)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    unknown = error
  }
  // A new issuer may propose a symbol in use: the listed issuer takes precedence, if it registered anything.
  if (listed !== null && (await findOfferings(context.lake, listed, asOf)).length > 0) return { cik: listed, by: 'listing' }
  const [proposer] = await findProposers(context.lake, ticker.replace(/\.(?!TO$|V$)/g, '-'), asOf)
  if (proposer !== undefined && listed === null) return { cik: proposer, by: 'proposed_symbol' }
  if (unknown !== null) throw unknown
  return { cik: listed, by: listed === null ? null : 'listing' }
}

const urlOf = (row: { readonly cik: string; readonly accession: string }): string =>
  `https://www.sec.gov/Archives/edgar/data/${Number(row.cik)}/${row.accession.replaceAll('-', '')}/${row.accession}.txt`
type Pair = 'gross' | 'private_placement' | 'total' | 'underwriting' | 'offering_expenses' | 'trust' | 'net' | 'net_approx'
const amounts = (row: Offering, name: Pair) => ({ amount: digits(row[name]), with_option: digits(row[`${name}_with_option`]) })

function terms(row: Offering): object {
  return {
    initial: row.initial,
    security: row.security,
    security_title: row.security_title,
    securities: row.securities.map(each => ({
      security: each.security,
      title: each.title,
      count: digits(each.count),
      start: each.start,
      end: each.end,
    })),
    shares: digits(row.shares),
    primary_shares: digits(row.primary_shares),
    secondary_shares: digits(row.secondary_shares),
    overallotment_shares: digits(row.overallotment_shares),
    overallotment_days: row.overallotment_days,
    currency: row.currency,
    price: digits(row.price),
    price_low: digits(row.price_low),
    price_high: digits(row.price_high),
    price_pct: digits(row.price_pct),
    price_basis: row.price_basis,
    gross: amounts(row, 'gross'),
    private_placement: amounts(row, 'private_placement'),
    total: amounts(row, 'total'),
    underwriting: amounts(row, 'underwriting'),
    offering_expenses: amounts(row, 'offering_expenses'),
    trust: amounts(row, 'trust'),
    net_before_expenses: digits(row.net_before_expenses),
    selling_holder_proceeds: digits(row.selling_holder_proceeds),
    selling_holders_only: row.selling_holders_only,
    underwriters: row.underwriters.map(each => ({ name: each.name, role: each.role, lead: each.lead, shares: digits(each.shares) })),
    underwriters_reason: row.flags.find(flag => flag.startsWith(noUnderwriters))?.slice(noUnderwriters.length) ?? null,
    lock_up_days: row.lock_up_days,
    issuer_lock_up_days: row.issuer_lock_up_days,
    proposed_symbol: row.proposed_symbol,
    exchange: row.exchange,
    listing: row.listing,
    evidence: row.evidence.map(({ field, text, start, end }) => ({ field, text, start, end })),
    flags: row.flags,
  }
}

function useOfProceeds(row: Offering): object {
  const exact = row.net !== null
  return {
    heading: row.use_of_proceeds_heading,
    net_proceeds_estimate: {
      amount: digits(row.net ?? row.net_approx),
      overallotment_amount: digits(exact ? row.net_with_option : row.net_approx_with_option),
      approximate: !exact && row.net_approx !== null,
      placeholder: row.placeholder,
      currency: row.currency,
      basis: row.price_basis,
    },
    net: amounts(row, 'net'),
    items: row.uses.map(item => ({
      purpose: item.purpose,
      category: item.category,
      amount: digits(item.amount),
      amount_high: digits(item.amount_high),
      approximate: item.approximate,
      placeholder: item.placeholder,
      pct: digits(item.pct),
      text: item.text,
      start: item.start,
      end: item.end,
    })),
    sensitivity: row.sensitivity.map(each => ({
      driver: each.driver,
      change: digits(each.change),
      effect: digits(each.effect),
      approximate: each.approximate,
      placeholder: each.placeholder,
      text: each.text,
      start: each.start,
      end: each.end,
    })),
    broad_discretion: row.broad_discretion,
    selling_holders_only: row.selling_holders_only,
    summary_text: row.use_of_proceeds_summary,
    untrusted_text: row.use_of_proceeds_text,
    words: row.use_of_proceeds_words,
    start: row.use_of_proceeds_start,
    end: row.use_of_proceeds_end,
    sha256: row.use_of_proceeds_sha256,
  }
}

/** XBRL if the filing carries it; a table's line is ignored if a fact states the same item for the same period. */
function financials(rows: readonly OfferingFinancial[], corrections: Corrections): object {
  const key = (row: OfferingFinancial): string => [row.line_item, row.period_end, row.period_months, row.unit].join(' ')
  const stated = new Set(rows.filter(row => row.taken_from === 'xbrl').map(key))
  const kept = rows.filter(row => row.taken_from === 'xbrl' || row.basis !== 'actual' || row.line_item === null || !stated.has(key(row)))
  const sources = [...new Set(kept.map(row => row.taken_from))].sort().reverse()
  return {
    taken_from: sources.length === 0 ? null : sources.join('+'),
    rows: kept.map(row => ({
      line: row.line,
      taken_from: row.taken_from,
      table_number: row.table_number,
      label: row.label,
      line_item: row.line_item,
      non_gaap: row.non_gaap,
      basis: row.basis,
      period_start: row.period_start,
      period_end: row.period_end,
      period_months: row.period_months,
      column_heading: row.column_heading,
      value: digits(row.value),
      unit: row.unit,
      scale: row.scale,
      currency: row.currency,
      audited: row.audited,
      difference: digits(row.difference),
      flags: row.flags,
      start: row.start,
      end: row.end,
      ...corrections.of(row.accession, ['offering_financials', row.line]),
    })),
    differences: kept.filter(row => row.difference !== null).length,
  }
}

const finalTerms = (row: Offering, corrections: Corrections): object => ({
  accession: row.accession,
  form: row.form,
  filed_date: row.filed_date,
  shares: digits(row.shares),
  price: digits(row.price),
  overallotment_shares: digits(row.overallotment_shares),
  gross: amounts(row, 'gross'),
  underwriting: amounts(row, 'underwriting'),
  net: amounts(row, 'net'),
  net_approx: amounts(row, 'net_approx'),
  url: urlOf(row),
  known_from: row.known_from,
  known_basis: row.known_basis,
  ...corrections.of(row.accession, ['offerings', row.cik]),
})

const historyOf = (registration: Registration, corrections: Corrections): object[] =>
  registration.filings.map((row, index) => ({
    accession: row.accession,
    form: row.form,
    filed_date: row.filed_date,
    terms: row.terms,
    shares: digits(row.shares),
    price: digits(row.price),
    price_low: digits(row.price_low),
    price_high: digits(row.price_high),
    price_basis: row.price_basis,
    net: digits(row.net ?? row.net_approx),
    change: changeOf(row, registration.filings[index + 1]),
    url: urlOf(row),
    known_from: row.known_from,
    known_basis: row.known_basis,
    ...corrections.of(row.accession, ['offerings', row.cik]),
  }))

/** No result: an index lists filings that were not read, there is nothing, or the issuer does not file with the SEC. */
const uncovered = async (context: ReleaseContext, issuer: Issuer, subject: string, asOf: string | null): Promise<FoundCoverage> =>
  await findCoverage(context.lake, {
    cik: issuer.cik,
    subject,
    what: 'registration statements and prospectuses',
    forms: registrationForms,
    content: { dataset: 'offerings' },
    // EDGAR filing was phased in until May 1996; filings since then are text or HTML, which is read.
    readFrom: '1996-05-06',
    before: 'they were filed on paper',
    as_of: asOf,
  })

function readSentence(registration: Registration | undefined, requested: boolean): string {
  const filings = registration?.filings.length ?? 0
  const read = filings === 1 ? 'the only filing of this registration that was read' : `of ${filings} filings of this registration that were read`
  if (requested) return filings === 1 ? read : `the one that was asked for ${read}`
  if (registration?.latest == null) return 'only prospectuses of this registration were read; the registration statement itself was not'
  return filings === 1 ? read : `the latest registration statement ${read}`
}

/** Of an issuer; null if the requested filing is not from the issuer. */
async function buildS1(context: ReleaseContext, question: QuestionOf<'get_s1'>): Promise<Built | null> {
  const asOf = question.as_of ?? null
  const issuer = await issuerOf(context, question.ticker, asOf)
  const offerings = issuer.cik === null ? [] : await findOfferings(context.lake, issuer.cik, asOf)
  const registrations = registrationsOf(offerings)
  const requested = question.accession
  const registration =
    requested === undefined ? registrations[0] : registrations.find(each => each.filings.some(filing => filing.accession === requested))
  if (requested !== undefined && registration === undefined)
    throw new NotFound(`filing ${requested} is no offering of ${question.ticker} that we read`, {
      hint: 'leave accession out for the latest; history lists the others',
    })
  const filing =
    requested === undefined ? (registration?.latest ?? registration?.filings[0]) : registration?.filings.find(each => each.accession === requested)
  const rows = filing === undefined ? [] : await findFinancials(context.lake, filing.cik, filing.accession, asOf)
  const uncoveredBy = filing === undefined ? await uncovered(context, issuer, question.ticker, asOf) : null
  const corrections = await findCorrections(
    context.lake,
    offerings.map(row => row.accession),
    asOf,
  )
  const shown = [filing, registration?.priced ?? undefined].filter(row => row !== undefined)
  return {
    body: {
      ticker: question.ticker,
      symbol: issuer.cik === null ? null : context.issuers.mappedSymbolOf(issuer.cik),
      cik: issuer.cik,
      company: filing?.company ?? null,
      ruleset,
      matched_by: issuer.by,
      coverage: uncoveredBy?.coverage ?? { status: 'read', sentence: readSentence(registration, requested !== undefined), from: null },
      registration: registration === undefined ? null : { file_number: registration.file_number, filings: registration.filings.length },
      filing:
        filing === undefined
          ? null
          : {
              accession: filing.accession,
              form: filing.form,
              filed_date: filing.filed_date,
              document: filing.document,
              document_kind: filing.document_kind,
              terms: filing.terms,
              url: urlOf(filing),
              known_from: filing.known_from,
              known_basis: filing.known_basis,
            },
      offering: filing === undefined ? null : { ...terms(filing), ...corrections.of(filing.accession, ['offerings', filing.cik]) },
      use_of_proceeds: filing === undefined || filing.use_of_proceeds_heading === null ? null : useOfProceeds(filing),
      pre_ipo_financials: rows.length === 0 ? null : financials(rows, corrections),
      final_terms: registration?.priced == null ? null : finalTerms(registration.priced, corrections),
      history: registration === undefined ? [] : historyOf(registration, corrections),
      other_registrations: registrations
        .filter(each => each !== registration)
        .map(each => ({
          file_number: each.file_number,
          form: each.filings[0]?.form,
          filed_date: each.filings[0]?.filed_date,
          accession: each.filings[0]?.accession,
        })),
    },
    sources: filingSources(shown, urlOf),
    origins: uncoveredBy === null ? originsOf([...offerings, ...rows]) : uncoveredBy.origins,
    datasets: uncoveredBy === null ? datasets : [...datasets, ...coverageDatasets],
  }
}

export const offeringAnswers = {
  get_s1: { build: buildS1, page: s1Page },
} satisfies Answers
