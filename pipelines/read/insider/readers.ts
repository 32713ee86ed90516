// Forms 3, 4 and 5 as bare ownership XML, or as the page that EDGAR renders of it, without the submission around it. The submission's own reader is in ../filings/.

import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { accessionIn, fileName } from '../filings/address.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { isOwnershipPage, ownershipTree } from './page.ts'
import { parseOwnership, readOwnershipTree } from './parse.ts'

/**
 * Parses a bare document. Its accession is that of its address if it has one, else its hash replaces it. It does not state
 * its acceptance: the rows are known from the retrieval, until the submission or an index gives more.
 */
export function parseBareOwnership(document: RawDocument): Parsed {
  const accession = accessionIn(document.url)
  const read = parseOwnership(decodeText(document.body), {
    filing_id: accession ?? `sha256:${document.sha256}`,
    accession,
    filed_date: null,
    issuer_cik: null,
    form: null,
  })
  return {
    facts: { insider_filings: [read.filing], insider_transactions: read.transactions, insider_holdings: read.holdings },
    refused: read.refused,
    skipped: {},
    follow: [],
  }
}

const ownershipReader = reader('edgar.ownership', 'filings', {
  // Names of primary documents are chosen by the filer, so that other forms' XML may share the shape; the parser distinguishes them.
  reads: url => /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/\d{1,10}\/\d{18}\/(?!xsl)[^/?#]+\.xml$/.test(url),
  matches: (head, path) => {
    // Inside a submission the document has a header around it, and that header's own reader.
    const isBare = /\.(xml|txt)$/i.test(fileName(path)) && !/ACCESSION[ -]NUMBER[>:]/.test(head)
    return isBare && /<(?:[\w.-]{1,40}:)?ownershipDocument[\s>]/.test(head)
  },
  parse: parseBareOwnership,
})

/** Parses EDGAR's rendered page of the form. Its rows fill only gaps of the XML's rows, because the page shows less. */
export function parseOwnershipPage(document: RawDocument): Parsed {
  const accession = accessionIn(document.url)
  const filingId = accession ?? `sha256:${document.sha256}`
  const tree = ownershipTree(`ownership page ${filingId}`, decodeText(document.body))
  const read = readOwnershipTree(tree, { filing_id: filingId, accession, filed_date: null, issuer_cik: null, form: null })
  return {
    facts: { insider_filings: [read.filing], insider_transactions: read.transactions, insider_holdings: read.holdings },
    fills: true,
    refused: read.refused,
    skipped: {},
    follow: [],
  }
}

export const ownershipPageReader = reader('edgar.ownership_page', 'filings', {
  reads: url => /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/\d{1,10}\/\d{18}\/xslF345[^/?#]{0,12}\/[^/?#]+\.(?:xml|html?)$/.test(url),
  matches: head => isOwnershipPage(head),
  parse: parseOwnershipPage,
})

export const insiderReaders: readonly Reader[] = [ownershipReader, ownershipPageReader]
