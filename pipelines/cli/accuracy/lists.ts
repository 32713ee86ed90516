// FACTS.md, tables of inputs other than forms: submissions files, full-text search, headers, ticker lists and indexes.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { parseFormIndex } from '../../read/filings/form-index.ts'
import { parseFullTextSearch } from '../../read/filings/full-text.ts'
import { parseSubmission } from '../../read/filings/sgml.ts'
import { parseSubmissions } from '../../read/filings/submissions.ts'
import { parseTickers } from '../../read/filings/tickers.ts'
import { compare, type Evaluator } from './compare.ts'

export const submissions: Evaluator = ({ document }, entry, fields) => {
  const file = parseSubmissions(`submissions ${document.url}`, document.body)
  const { form, accessionNumber, filingDate } = file.arrays
  const wanted = typeof entry['forms'] === 'object' && entry['forms'] !== null ? Object.keys(entry['forms']) : []
  const read = {
    recent: accessionNumber.length,
    older: file.olderPages.length,
    forms: Object.fromEntries(wanted.map(name => [name, form.filter(one => one === name).length])),
    newest: accessionNumber.length === 0 ? null : [accessionNumber[0], filingDate[0]],
  }
  return compare(read, entry, fields)
}

export const efts: Evaluator = ({ document }, entry, fields) => {
  const search = parseFullTextSearch('full-text search', document.body)
  return compare({ total: search.total.value, relation: search.total.relation, page: search.hits.length }, entry, fields)
}

/** The items that the SGML header announces; null if the document has no header or the header no item. */
export const sgml: Evaluator = ({ document }, entry, fields) => {
  let items: readonly string[] | null = null
  try {
    items = parseSubmission(document.body).header.items
  } catch (error) {
    // A document without a submission header announces nothing. Any other fault is a difference.
    if (!(error instanceof Unreadable && error.reason === 'not_a_submission')) throw error
  }
  return compare({ items }, entry, fields)
}

export const tickers: Evaluator = ({ document }, entry, fields) => compare({ rows: parseTickers('tickers', document.body).length }, entry, fields)

export const index: Evaluator = ({ document }, entry, fields) =>
  compare({ rows: parseFormIndex(decodeText(document.body)).lines.length }, entry, fields)
