// FACTS.md, tables of what is not a form: submissions files, full-text search, headers, ticker lists and indexes.
import { Unreadable } from '#schemas/errors.ts'
import { parseFormIndex } from '../../filings/form-index.ts'
import { parseFullTextSearch } from '../../filings/full-text.ts'
import { parseSubmission } from '../../filings/sgml.ts'
import { parseSubmissions } from '../../filings/submissions.ts'
import { decodeText } from '../../filings/text.ts'
import { parseTickers } from '../../filings/tickers.ts'
import { compare, type Judge } from './compare.ts'

export const submissions: Judge = ({ document }, entry, fields) => {
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

export const efts: Judge = ({ document }, entry, fields) => {
  const search = parseFullTextSearch('full-text search', document.body)
  return compare({ total: search.total.value, relation: search.total.relation, page: search.hits.length }, entry, fields)
}

/** The items that the SGML header announces; null where the document has no header or the header no item. */
export const sgml: Judge = ({ document }, entry, fields) => {
  let items: readonly string[] | null = null
  try {
    items = parseSubmission(document.body).header.items
  } catch (error) {
    // A document without a submission's header announces nothing; anything else that is wrong with it is a difference.
    if (!(error instanceof Unreadable && error.reason === 'not_a_submission')) throw error
  }
  return compare({ items }, entry, fields)
}

export const tickers: Judge = ({ document }, entry, fields) => compare({ rows: parseTickers('tickers', document.body).length }, entry, fields)

export const index: Judge = ({ document }, entry, fields) => compare({ rows: parseFormIndex(decodeText(document.body)).lines.length }, entry, fields)
