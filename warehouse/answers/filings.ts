// Filings: search, and one with all of its entities.
import type { Source } from '#schemas/answer.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { NotFound } from '#schemas/errors.ts'
import type { Filing } from '#schemas/filings.ts'
import { formTitle } from '#schemas/form-titles.ts'
import { type Built, originsOf, type ReleaseContext, sourceTitle } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { placeOf, readFilingQuestion } from '../datasets/filings/filing-question.ts'
import { findFilingEntities, findFilingVersions, searchFilings } from '../datasets/filings/filings.ts'
import type { Answers, AnyQuestion, QuestionOf } from './types.ts'

const datasets = ['filings', 'issuer_tickers', 'insider_filings'] as const
const searched = [...datasets, 'report_items', 'risk_factors'] as const

const folderOf = (filing: Filing): string => `https://www.sec.gov/Archives/edgar/data/${Number(filing.cik)}/${filing.accession.replaceAll('-', '')}`

/** URLs of the filing: its page with all documents, and the primary document if the index names one. `url` is the full text. */
const linksOf = (filing: Filing) => ({
  index_url: `${folderOf(filing)}/${filing.accession}-index.htm`,
  document_url: filing.primary_document === null ? null : `${folderOf(filing)}/${filing.primary_document}`,
})

type Cited = { readonly accession: string | null; readonly source: string; readonly known_from: string; readonly raw_sha256: string }
/** One source per filing, bounded by the page. `urlOf`: its address, if the row does not hold it as `url`. */
export function filingSources<Row extends Cited>(rows: readonly (Row & { readonly url: string | null })[]): Source[]
export function filingSources<Row extends Cited>(rows: readonly Row[], urlOf: (row: Row) => string | null): Source[]
export function filingSources<Row extends Cited>(
  rows: readonly Row[],
  urlOf: (row: Row) => string | null = row => (row as Row & { readonly url: string | null }).url,
): Source[] {
  const distinct = new Map(rows.map(row => [row.accession ?? row.raw_sha256, row]))
  return [...distinct.values()].map(row => ({
    name: sourceTitle(row.source),
    accession: row.accession,
    url: urlOf(row),
    retrieved_at: null,
    sha256: row.raw_sha256,
  }))
}

async function buildFilingSearch(context: ReleaseContext, question: QuestionOf<'search_filings'>): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const after = cursor === undefined ? null : decodeCursor(cursor, 'search_filings', filters).after
  const byTicker = question.ticker === undefined ? null : issuerCik(context, question.ticker)
  const named = [byTicker, question.cik ?? null].filter(each => each !== null)
  const filtered = readFilingQuestion(question)
  const noIssuer = (question.ticker !== undefined && byTicker === null) || new Set(named).size > 1
  const rows = noIssuer
    ? []
    : await searchFilings(
        context.lake,
        {
          ...filtered,
          ciks: named.length === 0 ? null : [...new Set(named)],
          as_of: as_of ?? null,
          after: after === null ? null : placeOf(after),
          limit: limit + 1,
        },
        context.filingIndex ?? null,
      )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    body: {
      count: page.length,
      filings: page.map(filing => ({
        accession: filing.accession,
        cik: filing.cik,
        role: filing.role,
        company: filing.company,
        form: filing.form,
        form_title: formTitle(filing.form),
        filed_date: filing.filed_date,
        accepted_at: filing.accepted_at,
        period_of_report: filing.period_of_report,
        items: filing.items,
        file_number: filing.file_number,
        primary_document: filing.primary_document,
        primary_description: filing.primary_description,
        size_bytes: filing.size_bytes,
        xbrl: filing.xbrl,
        url: filing.url,
        symbol: context.issuers.mappedSymbolOf(filing.cik),
        ...linksOf(filing),
        known_from: filing.known_from,
        known_basis: filing.known_basis,
      })),
      next_cursor:
        rows.length > limit && last
          ? encodeCursor('search_filings', filters, context.lake.versionOf(searched).release, [last.filed_date, last.accession, last.cik])
          : null,
    },
    sources: filingSources(page),
    origins: async () => originsOf(await findFilingVersions(context.lake, rows, as_of ?? null)),
    datasets: searched,
  }
}

/** One filing; null if the accession is not known. */
async function buildFiling(context: ReleaseContext, question: QuestionOf<'get_filing'>): Promise<Built | null> {
  const entities = await findFilingEntities(context.lake, question.accession, question.as_of ?? null)
  const [first] = entities
  if (!first) return null
  return {
    body: {
      accession: first.accession,
      form: first.form,
      form_title: formTitle(first.form),
      filed_date: first.filed_date,
      accepted_at: first.accepted_at,
      period_of_report: first.period_of_report,
      items: first.items,
      act: first.act,
      primary_document: first.primary_document,
      primary_description: first.primary_description,
      size_bytes: first.size_bytes,
      xbrl: first.xbrl,
      url: first.url,
      ...linksOf(first),
      entities: entities.map(each => ({
        cik: each.cik,
        role: each.role,
        company: each.company,
        file_number: each.file_number,
        film_number: each.film_number,
        symbol: context.issuers.mappedSymbolOf(each.cik),
      })),
      known_from: first.known_from,
      known_basis: first.known_basis,
    },
    sources: filingSources([first]),
    origins: async () => originsOf(await findFilingVersions(context.lake, entities, question.as_of ?? null)),
    datasets,
  }
}

/** The error for an accession that no index and no submission has. */
export const unknownFiling = ({ accession }: AnyQuestion): NotFound =>
  new NotFound(`no filing ${String(accession)} is known`, { hint: 'GET /api/v1/data/filings/search?ticker= lists the filings of an issuer' })

export const filingAnswers = {
  search_filings: { build: buildFilingSearch },
  get_filing: { build: buildFiling, missing: unknownFiling },
} satisfies Answers
