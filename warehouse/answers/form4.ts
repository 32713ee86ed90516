// Insider transactions: every line as filed, amendments linked, nothing deleted.
import type { Coverage } from '#schemas/coverage.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type Built, digits, originsOf, type ReleaseContext, type RowOrigin } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { type Corrections, findCorrections } from '../datasets/corrections/corrections.ts'
import { type FoundTransaction, findInsiderSpan, findInsiderTransactions, findIssuerFilings } from '../datasets/insider/insider.ts'
import { insiderRules } from '../rulesets/insider-reporting/rules.ts'
import { coverageDatasets, findInsiderCoverage } from './coverage/coverage.ts'
import { filingSources } from './filings.ts'
import { form4Page } from './paged/insider.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['insider_transactions', 'insider_filings', 'symbols', 'issuer_tickers'] as const

const accessionUrl = (row: FoundTransaction): string | null =>
  row.accession === null
    ? null
    : `https://www.sec.gov/Archives/edgar/data/${Number(row.issuer_cik)}/${row.accession.replaceAll('-', '')}/${row.accession}.txt`

function printed(row: FoundTransaction, corrections: Corrections): object {
  return {
    filing_id: row.filing_id,
    accession: row.accession,
    line: row.line,
    form: row.form,
    derivative: row.derivative,
    issuer_cik: row.issuer_cik,
    issuer_name: row.issuer_name,
    issuer_symbol: row.issuer_symbol,
    owner_ciks: row.owner_ciks,
    owner_names: row.owner_names,
    owners: (row.owners ?? []).map(owner => ({
      cik: owner.cik,
      name: owner.name,
      director: owner.director,
      officer: owner.officer,
      ten_percent_owner: owner.ten_percent_owner,
      other: owner.other,
      officer_title: owner.officer_title,
    })),
    security_title: row.security_title,
    transaction_date: row.transaction_date,
    deemed_execution_date: row.deemed_execution_date,
    transaction_form_type: row.transaction_form_type,
    code: row.code,
    code_class: row.code_class,
    acquired_disposed: row.acquired_disposed,
    shares: digits(row.shares),
    price: digits(row.price),
    price_low: digits(row.price_low),
    price_high: digits(row.price_high),
    total_value: digits(row.total_value),
    shares_after: digits(row.shares_after),
    value_after: digits(row.value_after),
    direct_or_indirect: row.direct_or_indirect,
    nature_of_ownership: row.nature_of_ownership,
    conversion_or_exercise_price: digits(row.conversion_or_exercise_price),
    exercise_date: row.exercise_date,
    expiration_date: row.expiration_date,
    underlying_title: row.underlying_title,
    underlying_shares: digits(row.underlying_shares),
    underlying_value: digits(row.underlying_value),
    equity_swap: row.equity_swap,
    timeliness: row.timeliness,
    footnotes: row.footnotes,
    flags: row.flags,
    period_of_report: row.period_of_report,
    filed_date: row.filed_date,
    plan_10b5_1: row.plan_10b5_1 ?? 'unknown',
    plan_adopted_date: row.plan_adopted_date,
    amends: row.amends,
    amended_by: row.amended_by,
    url: accessionUrl(row),
    known_from: row.known_from,
    known_basis: row.known_basis,
    ...corrections.of(row.filing_id, ['insider_transactions', row.line], ['insider_filings']),
  }
}

export async function buildForm4(context: ReleaseContext, question: QuestionOf<'get_form4'>): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  if (question.ticker === undefined && question.cik === undefined && question.owner === undefined && question.since === undefined) {
    throw new BadRequest('form4: no issuer, owner or day is given', { hint: 'give ticker, cik, owner or since, e.g. ?ticker=BRLX' })
  }
  const after = cursor === undefined ? null : decodeCursor(cursor, 'get_form4', filters).after
  const byTicker = question.ticker === undefined ? null : issuerCik(context, question.ticker)
  if (byTicker !== null && question.cik !== undefined && byTicker !== question.cik) {
    throw new BadRequest(`form4: ticker ${question.ticker} is CIK ${byTicker}, not ${question.cik}`, { hint: 'give one of ticker and cik' })
  }
  const cik = question.cik ?? byTicker
  const uncovered = question.ticker !== undefined && cik === null
  const rows = uncovered
    ? []
    : await findInsiderTransactions(context.lake, {
        issuer_cik: cik ?? null,
        owner_cik: question.owner ?? null,
        since: question.since ?? null,
        as_of: as_of ?? null,
        after: after === null ? null : { known_from: String(after[0]), filing_id: String(after[1]), line: Number(after[2]) },
        limit: limit + 1,
      })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const corrections = await findCorrections(
    context.lake,
    page.map(row => row.filing_id),
    as_of ?? null,
  )
  const { coverage, origins: evaluated, indexed } = await coverageOf(context, question, cik ?? null, page.length)
  return {
    body: {
      ticker: question.ticker ?? null,
      cik: cik ?? null,
      since: question.since ?? null,
      count: page.length,
      coverage,
      ...(coverage?.status === 'home_country' ? { coverage_note: insiderRules.coverage_note } : {}),
      transactions: page.map(row => printed(row, corrections)),
      next_cursor:
        rows.length > limit && last
          ? encodeCursor('get_form4', filters, context.lake.versionOf(datasets).release, [last.known_from, last.filing_id, last.line])
          : null,
    },
    sources: filingSources(page, accessionUrl),
    // The row after the page decides whether there is a next one; amendments are linked even if the page shows none of their lines.
    origins: async () => originsOf([...rows, ...evaluated, ...(cik ? await findIssuerFilings(context.lake, cik, as_of ?? null) : [])]),
    datasets: indexed ? [...datasets, ...coverageDatasets] : datasets,
  }
}

type Evaluated = { readonly coverage: Coverage | null; readonly origins: readonly RowOrigin[]; readonly indexed: boolean }

/**
 * The coverage of the answer. If filings of the issuer were read, it depends only on them: such an answer is a stored page, which changes
 * with them. Otherwise the index of filings and the law explain why there are none. Null for a request with a day only.
 */
async function coverageOf(context: ReleaseContext, question: QuestionOf<'get_form4'>, issuer: string | null, found: number): Promise<Evaluated> {
  const as_of = question.as_of ?? null
  const byOwner = question.ticker === undefined && issuer === null
  if (byOwner && question.owner === undefined) return { coverage: null, origins: [], indexed: false }
  const cik = byOwner ? (question.owner as string) : issuer
  const subject = question.ticker ?? `CIK ${cik}`
  if (cik !== null) {
    const read = await findInsiderSpan(context.lake, byOwner ? { owner_cik: cik } : { issuer_cik: cik }, as_of)
    if (read.filings > 0) {
      const sentence = `${read.filings} ${read.filings === 1 ? 'filing' : 'filings'} on Forms 3, 4 and 5 of ${subject}, filed from ${read.first_day} to ${read.last_day}, were read${found > 0 ? '' : '; none of them reports a transaction that was asked for'}`
      return { coverage: { status: found > 0 ? 'read' : 'none', sentence, from: read.first_day }, origins: [], indexed: false }
    }
  }
  const listings = cik === null ? [] : context.symbols.byCik(cik)
  const listedInCanada = /\.(TO|V)$/.test(question.ticker ?? '') || listings.some(each => each.exchange !== 'US')
  const evaluated = await findInsiderCoverage(context.lake, { cik, subject, listedInCanada, byOwner, as_of })
  return { coverage: evaluated.coverage, origins: evaluated.origins, indexed: true }
}

export const form4Answers = {
  get_form4: { build: buildForm4, page: form4Page, refreshes_issuer: true },
} satisfies Answers
