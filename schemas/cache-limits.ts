// The most that a process keeps in memory to save work, in one place. A cache at its limit forgets all of it, or what it used least lately;
// no answer depends on what is kept. Numbers are entries, and those of names with `Bytes` are bytes. What is loaded of a release (its listings,
// issuers and the index of its prices) has the size of the market and no number. DuckDB's memory is in machine.ts.

const mebibyte = 1024 * 1024

export const cacheLimits = {
  /** API: finished answers. */
  answerBytes: 64 * mebibyte,
  /** API: keys of large answers that were not stored. At most twice as many are kept. */
  refusedAnswers: 1_000,
  /** API: the coding that a header Accept-Encoding chooses. */
  codings: 256,
  /** API: addresses whose question is known without reading them again. */
  questions: 20_000,
  /** API: answers of tools for agents, each of at most 64 KiB. */
  toolResults: 100,
  /** API: messages of agents with their results, each of at most 64 KiB as UTF-8, so less than 32 MB as texts. */
  toolMessages: 256,
  /** API: issuers whose filings were requested and did not come in time. */
  slowIssuers: 10_000,
  /** API: addresses of clients without a key. */
  anonymousClients: 50_000,
  /** API: keys that were looked up in the last four seconds. */
  apiKeys: 10_000,
  /** API: buffers of printed answers that are used again. */
  freeBufferBytes: 16 * mebibyte,
  /** API: releases and instants whose listings, issuers and pairs are loaded. */
  apiReleases: 6,
  /** Worker: the same. */
  workerReleases: 3,
  /** Reports of managers by quarter, 8 MB each: managers file for one at a time, and clients compare it with the one before. */
  reportQuarters: 2,
  /** Builds of models that were looked up. */
  modelBuilds: 1_000,
  /** Sorted copies of files that were looked up. */
  sortedCopies: 10_000,
  /** Files of the lake whose keys are known. */
  fileKeys: 1_000,
  /** Prepared statements of each connection to DuckDB. */
  preparedStatements: 16,
  /** Tiles of a receipt log in a bucket: one of hashes has 8 KiB, a bundle of entries some hundred. */
  receiptTileBytes: 32 * mebibyte,
  /** Documents that were read for a receipt and may be needed for the next one. */
  reproducedDocumentBytes: 64 * mebibyte,
  /** Names of issuers with their common key: a quarter's 13F filings repeat some tens of thousands. */
  issuerNames: 50_000,
  /** Names and titles of 13F lines with the listing that they match. */
  holdingNames: 100_000,
  /** Hours of a venue on a day. */
  venueDays: 5_000,
  /** Local times of instants in all time zones: a month of minute bars has 10,000. */
  localTimes: 30_000,
  /** Times of EDGAR with their instants. */
  easternTimes: 4_096,
  /** Words of calls with their stem, of each language. */
  stems: 50_000,
  /** Words of questions with the word that is meant. */
  misspellings: 5_000,
  /** Styles of HTML, which are the filer's text. */
  styles: 20_000,
  /** The buffer that XML documents are copied into; a larger one is not kept. */
  xmlBufferBytes: mebibyte,
} as const
