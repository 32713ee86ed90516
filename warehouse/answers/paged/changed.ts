// Which requests a batch of rows changes, and whether a stored answer is still about the subject of its request.
import type { DatasetName } from '#schemas/index.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import { issuerCik, issuerTickers } from '../../context/issuer.ts'
import type { ChangedRows, PageQuestion } from './stored-page.ts'

/** Distinct values of a column over the changed rows of some datasets, in order. */
export function changedValues(rows: ChangedRows, names: readonly DatasetName[], column: string): string[] {
  return distinct(names.flatMap(name => (rows.get(name) ?? []).map(row => String(row[column]))))
}
export const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

/** The tickers of issuers with changed rows. */
export const changedTickers = (rows: ChangedRows, names: readonly DatasetName[], column: string, context: ReleaseContext): string[] =>
  distinct(changedValues(rows, names, column).flatMap(cik => issuerTickers(context, cik)))

/** True if a request has exactly these members, in alphabetical order. */
export const hasOnly = (question: PageQuestion, ...names: readonly string[]): boolean => Object.keys(question).sort().join() === names.join()

/** True if the ticker is one of the issuer's page tickers: those that listings or the SEC's map give it. */
export function isIssuerTicker(ticker: string, context: ReleaseContext): boolean {
  const cik = issuerCik(context, ticker)
  return cik !== null && issuerTickers(context, cik).includes(ticker)
}

/** The issuers that requests name by ticker or symbol. */
export const issuersOf = (questions: readonly PageQuestion[], name: 'symbol' | 'ticker', context: ReleaseContext): string[] =>
  distinct(questions.map(question => issuerCik(context, String(question[name]))).filter(cik => cik !== null))

/** True if an answer that begins with the ticker or symbol and its CIK is about the issuer that they mean now. */
export function isOfIssuer(payload: Buffer, question: PageQuestion, name: 'symbol' | 'ticker', context: ReleaseContext): boolean {
  const subject = String(question[name])
  const start = `{"${name}":${JSON.stringify(subject)},"cik":${JSON.stringify(issuerCik(context, subject))},`
  return payload.toString('utf8', 0, start.length) === start
}

/** The release that a stored answer names for its rows. */
export function releaseOf(payload: Buffer): number {
  const at = payload.lastIndexOf('"release":')
  return at < 0 ? 0 : Number.parseInt(payload.toString('latin1', at + 10, at + 26), 10)
}
