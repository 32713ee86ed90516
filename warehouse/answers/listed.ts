// Symbols with stored data: those of directories, and those that only have bars. Both are accepted everywhere.
import { parseSymbol } from '#schemas/spelling.ts'
import type { ReleaseContext, RowOrigin } from '../context/answer.ts'
import { resolveListing } from '../datasets/symbols/symbol-index.ts'

/** The canonical symbol if bars of it are stored and no directory lists it; else null. Costs a look-up only for symbols without a listing. */
export async function findUnlisted({ symbols, lake }: Pick<ReleaseContext, 'symbols' | 'lake'>, requested: string): Promise<string | null> {
  const symbol = parseSymbol(requested)?.symbol ?? requested
  if (symbols.find(requested) !== null || symbols.find(symbol) !== null) return null
  return (await lake.holds('bars', [symbol])) ? symbol : null
}

/** The canonical symbol of any spelling. Throws `NotFound` with the nearest ones if neither a directory nor a bar names it. */
export async function resolveHeld(context: Pick<ReleaseContext, 'symbols' | 'lake'>, requested: string): Promise<string> {
  const unlisted = await findUnlisted(context, requested)
  if (unlisted !== null) return unlisted
  return context.symbols.find(requested) === null ? resolveListing(context.symbols, requested).symbol : requested
}

/** The context for a question about `subject` (its symbol or ticker, undefined for none): a symbol that only has bars counts as known. */
export async function withUnlisted(context: ReleaseContext, subject: unknown): Promise<ReleaseContext> {
  if (typeof subject !== 'string' || subject === '') return context
  const unlisted = await findUnlisted(context, subject)
  return unlisted === null ? context : { ...context, unlisted: new Set([unlisted, subject]) }
}

/** The document of the first stored bar of the symbols, which shows that they are known. */
export async function findBarOrigin(lake: ReleaseContext['lake'], symbols: readonly string[], asOf: string | null): Promise<RowOrigin[]> {
  return await lake.query<RowOrigin>(
    'select source, raw_sha256 from bars where list_contains($symbols, symbol) order by date, raw_sha256 limit 1',
    { symbols, as_of: asOf },
    { bars: symbols },
  )
}

type SymbolCoverage = { readonly status: string; readonly sentence: string; readonly nearest?: readonly string[] }

/** The rows behind a list of a symbol's bars or of values derived from them; `found`: how many bars the answer depends on. */
export function symbolCoverage(context: ReleaseContext, symbol: string, found: number): SymbolCoverage {
  const isListed = context.symbols.find(symbol) !== null
  if (found > 0)
    return isListed
      ? { status: 'read', sentence: `Bars of ${symbol} are held.` }
      : { status: 'not_listed', sentence: `Bars of ${symbol} are held; no directory that was read lists it.` }
  return isListed
    ? { status: 'none', sentence: `No bar of ${symbol} is held of these days.` }
    : {
        status: 'not_loaded',
        sentence: `No bar of ${symbol} is held of these days, and no directory that was read lists it.`,
        nearest: context.symbols.nearest(symbol),
      }
}
