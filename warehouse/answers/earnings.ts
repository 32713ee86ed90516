// Earnings of a symbol: when results were published, the first reported figures, and the issuer's stated day of the next results.

import type { EarningsEvidence } from '#schemas/fundamentals.ts'
import type { ExchangeCode } from '#schemas/spelling.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { type Built, digits, effectiveInstant, originsOf, type ReleaseContext } from '../context/answer.ts'
import { type Issuer, issuerOf } from '../context/cross-listing.ts'
import { findFilingVersions } from '../datasets/filings/filings.ts'
import { findAnnouncements, findReleases, nextReport, type Release } from '../datasets/fundamentals/earnings.ts'
import type { Value } from '../datasets/fundamentals/evaluate.ts'
import { type FirstReported, firstReportedOf, periodOfRelease } from '../datasets/fundamentals/first-reported.ts'
import { findFacts, findNewestFiling } from '../datasets/fundamentals/fundamentals.ts'
import { dayAt, sessionAt } from '../datasets/fundamentals/session.ts'
import { conceptsOf, type LineItemRules, lineItems } from '../rulesets/line-items/rules.ts'
import { filingSources } from './filings.ts'
import { type Covered, filingUrl, notAnSecFiler } from './fundamentals.ts'
import { earningsPage } from './paged/fundamentals.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['filings', 'earnings_evidence', 'company_facts', 'symbols', 'issuer_tickers'] as const
const shown = new Set(['revenue', 'eps_basic', 'eps_diluted'])
const rules: LineItemRules = { ...lineItems, items: lineItems.items.filter(({ item }) => shown.has(item)) }
const concepts = conceptsOf(rules)

const figure = (value: Value | null | undefined): object | null =>
  value
    ? {
        value: digits(value.value),
        unit: value.unit,
        concept: value.concept,
        basis: value.basis,
        accession: value.accession,
        filed_date: value.filed_date,
      }
    : null
const evidence = (row: Pick<EarningsEvidence, 'document' | 'quote' | 'source_start' | 'source_end'>): object | null =>
  row.quote === null ? null : { document: row.document, quote: row.quote, source_start: row.source_start, source_end: row.source_end }

function printedRelease(release: Release, cik: string, exchange: ExchangeCode, reported: FirstReported): object {
  const accepted = release.known_basis === 'accepted' ? release.known_from : null
  const { period, basis } = periodOfRelease(reported.periods, release)
  const values = period === null ? null : reported.valuesOf(period)
  return {
    accession: release.accession,
    form: release.form,
    items: release.items,
    report_date: accepted === null ? release.filed_date : dayAt(exchange, accepted),
    reported_at: accepted,
    report_session: accepted === null ? null : sessionAt(exchange, accepted),
    fiscal_year: period?.fiscal_year ?? null,
    fiscal_period: period?.fiscal_period ?? null,
    period_end: period?.end ?? release.period_end,
    period_basis: basis,
    eps_diluted: figure(values?.get('eps_diluted')),
    eps_basic: figure(values?.get('eps_basic')),
    revenue: figure(values?.get('revenue')),
    flags: release.flags,
    evidence: evidence(release),
    url: filingUrl(cik, release.accession),
    known_from: release.known_from,
    known_basis: release.known_basis,
  }
}

const printedNext = (next: EarningsEvidence | null, cik: string): object | null =>
  next && {
    date: next.announced_date,
    time: next.announced_time,
    accession: next.accession,
    form: next.form,
    url: filingUrl(cik, next.accession),
    evidence: evidence(next),
    flags: next.flags,
    known_from: next.known_from,
    known_basis: next.known_basis,
  }

export async function buildEarnings(context: ReleaseContext, question: QuestionOf<'get_earnings'>): Promise<Built> {
  const { lake } = context
  const asOf = question.as_of ?? null
  const issuer = await issuerOf(context, question.symbol)
  if (issuer === null) return empty(question.symbol, null, notAnSecFiler(question.symbol))
  const { cik } = issuer
  const exchange = exchangeOf(question.symbol)
  const releases = await findReleases(lake, cik, question.limit, asOf)
  const announcements = await findAnnouncements(lake, cik, asOf)
  if (releases.length === 0 && announcements.length === 0) return await noneFound(context, question.symbol, issuer, asOf)
  const facts = await findFacts(lake, cik, concepts, asOf)
  // The answer's day, not the clock's, so that the same request to the same release has one answer.
  const today = dayAt(exchange, effectiveInstant(asOf, lake.versionOf(datasets)))
  const next = nextReport(announcements, releases, today, instant => dayAt(exchange, instant))
  const reported = firstReportedOf(facts, rules)
  const cited = [...releases, ...(next ? [next] : [])]
  return {
    body: {
      symbol: question.symbol,
      cik,
      cik_basis: issuer.basis,
      next_report_date: next?.announced_date ?? null,
      coverage: {
        status: 'read',
        sentence:
          'releases of Form 8-K item 2.02, and of Form 6-K where its documents were read; a release on the wire may be some minutes older than its acceptance',
      },
      next_report: printedNext(next, cik),
      count: releases.length,
      history: releases.map(release => printedRelease(release, cik, exchange, reported)),
    },
    sources: filingSources(cited.map(row => ({ ...row, url: filingUrl(cik, row.accession) }))),
    origins: async () => {
      // Acceptance times determine which filings were public when: those of the releases and, with as_of, of every report.
      const dated = [...releases, ...(asOf === null ? [] : facts)].map(({ accession }) => ({ accession, cik }))
      return originsOf([
        ...releases,
        ...announcements,
        ...facts.map(fact => ({ ...fact, accession: null })),
        ...(await findFilingVersions(lake, dated, null)),
      ])
    },
    datasets,
  }
}

function empty(symbol: string, issuer: Issuer | null, coverage: Covered): Built {
  return {
    body: {
      symbol,
      cik: issuer?.cik ?? null,
      cik_basis: issuer?.basis ?? null,
      next_report_date: null,
      coverage,
      next_report: null,
      count: 0,
      history: [],
    },
    sources: [],
    origins: [],
    datasets,
  }
}

/** No results: either no filing of the issuer was loaded, or none of them releases results. */
async function noneFound(context: ReleaseContext, symbol: string, issuer: Issuer, asOf: string | null): Promise<Built> {
  const newest = await findNewestFiling(context.lake, issuer.cik, false, asOf)
  if (newest === null) return empty(symbol, issuer, { status: 'not_loaded', sentence: 'no filing of the issuer is loaded up to as_of' })
  const sentence = `no filing of the issuer up to its ${newest.form} of ${newest.filed_date} is known to release results or to name a day for them; Form 6-K counts only where its documents were read`
  return {
    ...empty(symbol, issuer, { status: 'none', sentence }),
    origins: async () => originsOf(await findFilingVersions(context.lake, [newest], asOf)),
  }
}

export const earningsAnswers = {
  get_earnings: { build: buildEarnings, page: earningsPage },
} satisfies Answers
