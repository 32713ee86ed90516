// What was read from one filing, value by value, with corrections and the chain of amendments.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { datasetOf } from '#schemas/index.ts'
import { type Built, originsOf, type ReleaseContext } from '../context/answer.ts'
import { findCorrections } from '../datasets/corrections/corrections.ts'
import { findFilingChain, findFilingEntities, findFilingVersions } from '../datasets/filings/filings.ts'
import { findFilingValues, valueDatasets } from '../datasets/filings/values.ts'
import { headOf } from './filing-sections.ts'
import { filingSources, unknownFiling } from './filings.ts'
import type { Answers, QuestionOf } from './types.ts'

const datasets = ['filings', ...valueDatasets] as const

/** Null if the accession is not known. */
async function buildFilingValues(context: ReleaseContext, question: QuestionOf<'get_filing_values'>): Promise<Built | null> {
  const { cursor, limit, as_of, release: _release, receipt: _receipt, ...filters } = question
  const asOf = as_of ?? null
  const { accession } = question
  const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, 'get_filing_values', filters).after[0])
  const entities = await findFilingEntities(context.lake, accession, asOf)
  const [first] = entities
  if (!first) return null
  const ciks = [...new Set(entities.map(each => each.cik))].sort()
  const records = await findFilingValues(context.lake, { accession, form: first.form, ciks }, asOf)
  const [chain, corrections] = await Promise.all([
    findFilingChain(context.lake, ciks, accession, asOf),
    findCorrections(context.lake, [accession], asOf),
  ])
  const chosen = question.dataset === undefined ? records : records.filter(each => each.dataset === question.dataset)
  const page = chosen.slice(from, from + limit)
  return {
    body: {
      accession,
      ...headOf(first),
      total: chosen.length,
      datasets: [...Map.groupBy(records, each => each.dataset)].map(([name, rows]) => ({
        dataset: name,
        title: datasetOf(name).title,
        records: rows.length,
      })),
      count: page.length,
      records: page.map(({ dataset, line, document, values }) => ({
        dataset,
        line,
        document,
        values,
        ...corrections.of(accession, line === null ? [dataset] : [dataset, line]),
      })),
      chain: chain.map(({ form, filed_date, accepted_at, ...each }) => ({ accession: each.accession, form, filed_date, accepted_at })),
      next_cursor:
        from + limit < chosen.length ? encodeCursor('get_filing_values', filters, context.lake.versionOf(datasets).release, [from + limit]) : null,
    },
    sources: filingSources([first]),
    origins: async () =>
      originsOf([
        ...records.map(({ source, raw_sha256 }) => ({ source, raw_sha256, accession })),
        ...(await findFilingVersions(
          context.lake,
          [...entities, ...chain.flatMap(each => ciks.map(cik => ({ cik, accession: each.accession })))],
          asOf,
        )),
      ]),
    datasets,
  }
}

export const filingValueAnswers = {
  get_filing_values: { build: buildFilingValues, missing: unknownFiling },
} satisfies Answers
