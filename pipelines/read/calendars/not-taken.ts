// Vendors' statements and ratios: recognised and counted, so that such files are explained, but not stored. A company's
// figures come from its own filings, and a vendor's restated figures would be a second version without a source to cite.

import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { isList, isObject, jsonOf } from '../csv/body.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'

type Kind = {
  readonly name: string
  readonly source: string
  readonly reads: RegExp
  readonly recognise: (head: string) => boolean
  /** The rows of the document, or undefined if it is another. */
  readonly rows: (value: TextJson) => readonly TextJson[] | undefined
  readonly reason: string
}

const listUnder = (value: TextJson | undefined, name: string): readonly TextJson[] | undefined => {
  const list = isObject(value) ? value[name] : undefined
  return isList(list) ? list : undefined
}

const kinds: readonly Kind[] = [
  {
    name: 'yahoo.fundamentals-timeseries',
    source: 'yahoo',
    reads: /^https:\/\/query[12]\.finance\.yahoo\.com\/ws\/fundamentals-timeseries\//,
    recognise: head => /^\s*\{\s*"timeseries"\s*:/.test(head),
    rows: value => listUnder(isObject(value) ? value['timeseries'] : undefined, 'result'),
    reason: 'statement_series_not_taken',
  },
  {
    name: 'polygon.financials',
    source: 'polygon',
    reads: /^https:\/\/api\.polygon\.io\/vX\/reference\/financials(?:\?|$)/,
    recognise: head => /^\s*\{/.test(head) && head.includes('"financials"') && head.includes('"balance_sheet"'),
    rows: value => listUnder(value, 'results'),
    reason: 'statement_not_taken',
  },
  {
    name: 'tiingo.fundamentals-daily',
    source: 'tiingo',
    reads: /^https:\/\/api\.tiingo\.com\/tiingo\/fundamentals\/[^/]+\/daily(?:\?|$)/,
    recognise: head => /^\s*\[\s*\{/.test(head) && head.includes('"enterpriseVal"') && head.includes('"marketCap"'),
    rows: value => (isList(value) ? value : undefined),
    reason: 'day_of_ratios_not_taken',
  },
  {
    name: 'tiingo.fundamentals-statements',
    source: 'tiingo',
    reads: /^https:\/\/api\.tiingo\.com\/tiingo\/fundamentals\/[^/]+\/statements(?:\?|$)/,
    recognise: head => /^\s*\[\s*\{/.test(head) && head.includes('"statementData"'),
    rows: value => (isList(value) ? value : undefined),
    reason: 'statement_not_taken',
  },
]

const readerOf = (kind: Kind): Reader => ({
  name: kind.name,
  source: kind.source,
  dataset: 'company_facts',
  reads: url => kind.reads.test(url),
  recognise: (path, head) => (kind.recognise(head) ? `recorded:${path}` : null),
  parse: (document: RawDocument): Parsed => {
    const rows = kind.rows(jsonOf(document))
    if (rows === undefined) throw new Unreadable('no_rows', `${kind.source} ${document.url.slice(0, 200)}: not a document of ${kind.name}`)
    return { facts: {}, refused: [], skipped: rows.length === 0 ? {} : { [kind.reason]: rows.length }, follow: [] }
  },
})

export const notTakenReaders: readonly Reader[] = kinds.map(readerOf)
