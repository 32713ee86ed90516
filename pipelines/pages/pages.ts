// Which questions are answered ahead, and from which datasets their answers follow: after a commit the pages of everything
// that it touched are built again and signed, in the same transaction.

import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { dataOperations } from '#schemas/operations/data.ts'
import { marketOperations } from '#schemas/operations/market.ts'
import type { Ground } from '#warehouse/answers/answer.ts'
import { buildPayload, type LakeOperation } from '#warehouse/answers/index.ts'
import { issuerCik, issuerTickers } from '#warehouse/answers/issuer.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import { spansOf } from '#warehouse/bars/bars.ts'
import type { Lake } from '#warehouse/lake/lake.ts'
import type { Page } from '#warehouse/pages.ts'
import type { Signer } from '#warehouse/receipts/signer.ts'
import type { RowsByDataset } from '../ingest/types.ts'

/** Above it the pages of one operation are only marked as changed, and each is made when it is first asked. */
const builtAtOnce = 1000
/** As many as there are connections: DuckDB works on several small questions at a time. */
const builtTogether = 4

type Asked = { readonly operation: PagedOperation; readonly question: Readonly<Record<string, unknown>> }
export type PagedOperation = 'get_symbol' | 'list_corporate_actions' | 'get_form4'

const operations = new Map([...marketOperations, ...dataOperations].map(operation => [operation.id as string, operation]))
const values = (rows: RowsByDataset, names: readonly (keyof typeof columnOf)[]): string[] =>
  [...new Set(names.flatMap(name => (rows.get(name) ?? []).map(row => String(row[columnOf[name]]))))].sort()
const columnOf = {
  symbols: 'symbol',
  corporate_actions: 'symbol',
  insider_filings: 'issuer_cik',
  insider_transactions: 'issuer_cik',
} as const

/** The questions whose pages a batch changes; `isPage` of the API's lake handlers knows the same ones. */
export function changedQuestions(rows: RowsByDataset, ground: Ground): Asked[] {
  const instruments = new Set((rows.get('symbols') ?? []).map(row => String(row['instrument_id'])))
  const listed = [...instruments].flatMap(id => ground.symbols.history(id).map(each => each.symbol))
  // An instrument's actions are asked for under every symbol that it wore.
  const acting = values(rows, ['corporate_actions']).flatMap(symbol => [
    symbol,
    ...ground.symbols.spans(ground.symbols.find(symbol)?.instrument_id ?? '').map(span => span.symbol),
  ])
  const tickers = values(rows, ['insider_filings', 'insider_transactions']).flatMap(cik => issuerTickers(ground, cik))
  return [
    ...distinct(listed).map(symbol => ({ operation: 'get_symbol' as const, question: { symbol } })),
    ...distinct(acting).map(symbol => ({ operation: 'list_corporate_actions' as const, question: { symbol } })),
    ...distinct(tickers).map(ticker => ({ operation: 'get_form4' as const, question: { ticker, limit: 100 } })),
  ]
}
const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

/** Builds and signs the pages of a release; `ground` stands on that release. */
export async function buildPages(asked: readonly Asked[], whole: Ground, release: number, committedAt: string, signer: Signer): Promise<Page[]> {
  if (asked.length === 0) return []
  return await whole.lake.holding(partsOf(asked, whole), async lake => await buildAll(asked, { ...whole, lake }, release, committedAt, signer))
}

/** The rows that the pages of a batch are made of: read once for all of them. */
function partsOf(asked: readonly Asked[], ground: Ground): Parameters<Lake['holding']>[0] {
  const symbols = asked
    .filter(each => each.operation === 'list_corporate_actions')
    .flatMap(each => spansOf(ground.symbols, String(each.question['symbol'])).map(span => span.symbol))
  const ciks = asked
    .filter(each => each.operation === 'get_form4')
    .map(each => issuerCik(ground, String(each.question['ticker'])))
    .filter(cik => cik !== null)
  return {
    ...(symbols.length > 0 ? { corporate_actions: distinct(symbols) } : {}),
    ...(ciks.length > 0 ? { insider_transactions: distinct(ciks), insider_filings: distinct(ciks) } : {}),
  }
}

async function buildAll(asked: readonly Asked[], ground: Ground, release: number, committedAt: string, signer: Signer): Promise<Page[]> {
  const counts = new Map<string, number>()
  for (const { operation } of asked) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  const pages: Page[] = []
  for (let from = 0; from < asked.length; from += builtTogether) {
    const built = await Promise.all(
      asked.slice(from, from + builtTogether).map(async ({ operation, question }): Promise<Page | null> => {
        const common = { operation, question: canonicalQuery(question), release_from: release, as_of: committedAt }
        if ((counts.get(operation) ?? 0) > builtAtOnce) return { ...common, payload: null, receipt: null }
        const answer = await answered(operation, question, ground, committedAt)
        return answer && { ...common, payload: answer.payload, receipt: await signPayload(definitionOf(operation), question, answer, signer) }
      }),
    )
    pages.push(...built.filter(page => page !== null))
  }
  return pages
}

const definitionOf = (id: string): { readonly id: string; readonly path: string } => {
  const found = operations.get(id)
  if (!found) throw new TypeError(`no operation ${id}`)
  return found
}
const answered = async (operation: LakeOperation, question: Readonly<Record<string, unknown>>, ground: Ground, now: string) =>
  await buildPayload(operation, ground, question as never, now)
