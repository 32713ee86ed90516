// Filings: search, and one with all of its entities.
import type { Source } from '#schemas/answer.ts'
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import type { Filing } from '#schemas/filings.ts'
import { findFilingEntities, findFilingVersions, searchFilings } from '../filings/filings.ts'
import { type Built, type Ground, originsOf, sourceTitle } from './answer.ts'
import { issuerCik } from './issuer.ts'
import type { QuestionOf } from './types.ts'

const datasets = ['filings', 'issuer_tickers', 'insider_filings'] as const

/** The primary document's address, where the index names one. */
function documentUrl(filing: Filing): string | null {
  if (filing.primary_document === null) return null
  return `https://www.sec.gov/Archives/edgar/data/${Number(filing.cik)}/${filing.accession.replaceAll('-', '')}/${filing.primary_document}`
}

/** One source per filing, bounded by the page. */
export function filingSources(
  rows: readonly {
    readonly accession: string | null
    readonly source: string
    readonly known_from: string
    readonly raw_sha256: string
    readonly url: string | null
  }[],
): Source[] {
  const distinct = new Map(rows.map(row => [row.accession ?? row.raw_sha256, row]))
  return [...distinct.values()].map(row => ({
    name: sourceTitle(row.source),
    accession: row.accession,
    url: row.url,
    retrieved_at: null,
    sha256: row.raw_sha256,
  }))
}

export async function buildFilingSearch(ground: Ground, question: QuestionOf<'search_filings'>): Promise<Built> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const after = cursor === undefined ? null : decodeCursor(cursor, 'search_filings', filters).after
  const byTicker = question.ticker === undefined ? null : issuerCik(ground, question.ticker)
  const ciks =
    byTicker !== null && question.cik !== undefined && byTicker !== question.cik
      ? []
      : byTicker !== null
        ? [byTicker]
        : question.cik !== undefined
          ? [question.cik]
          : null
  const none = question.ticker !== undefined && byTicker === null
  const rows = none
    ? []
    : await searchFilings(ground.lake, {
        ciks,
        form: question.form ?? null,
        from: question.from ?? null,
        to: question.to ?? null,
        words: question.q ?? null,
        as_of: as_of ?? null,
        after: after === null ? null : { filed_date: String(after[0]), accession: String(after[1]), cik: String(after[2]) },
        limit: limit + 1,
      })
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
        symbol: ground.issuers.mappedSymbolOf(filing.cik),
        document_url: documentUrl(filing),
        known_from: filing.known_from,
        known_basis: filing.known_basis,
      })),
      next_cursor:
        rows.length > limit && last
          ? encodeCursor('search_filings', filters, ground.lake.versionOf(datasets).release, [last.filed_date, last.accession, last.cik])
          : null,
    },
    sources: filingSources(page),
    origins: async () => originsOf(await findFilingVersions(ground.lake, rows, as_of ?? null)),
    datasets,
  }
}

/** One filing; null where the accession is not known. */
export async function buildFiling(ground: Ground, question: QuestionOf<'get_filing'>): Promise<Built | null> {
  const entities = await findFilingEntities(ground.lake, question.accession, question.as_of ?? null)
  const [first] = entities
  if (!first) return null
  return {
    body: {
      accession: first.accession,
      form: first.form,
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
      document_url: documentUrl(first),
      entities: entities.map(each => ({
        cik: each.cik,
        role: each.role,
        company: each.company,
        file_number: each.file_number,
        film_number: each.film_number,
        symbol: ground.issuers.mappedSymbolOf(each.cik),
      })),
      known_from: first.known_from,
      known_basis: first.known_basis,
    },
    sources: filingSources([first]),
    origins: async () => originsOf(await findFilingVersions(ground.lake, entities, question.as_of ?? null)),
    datasets,
  }
}
