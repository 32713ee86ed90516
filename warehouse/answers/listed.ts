// Symbols of which something is held: those of directories, and those that only have bars. Both answer everywhere.
import { resolveListing } from '../symbols/symbol-index.ts'
import type { Ground } from './answer.ts'

/** The canonical symbol of any spelling. Throws `NotFound` with the nearest ones if neither a directory nor a bar names it. */
export async function resolveHeld(ground: Ground, asked: string): Promise<string> {
  if (ground.symbols.find(asked) === null && (await ground.lake.holds('bars', [asked]))) return asked
  return ground.symbols.find(asked) === null ? resolveListing(ground.symbols, asked).symbol : asked
}

/** What stands behind a list of a symbol's bars or of what follows from them; `found`: how many bars the answer stands on. */
export function symbolCoverage(ground: Ground, symbol: string, found: number): { readonly status: string; readonly sentence: string } {
  const isListed = ground.symbols.find(symbol) !== null
  if (found > 0)
    return isListed
      ? { status: 'read', sentence: `Bars of ${symbol} are held.` }
      : { status: 'not_listed', sentence: `Bars of ${symbol} are held; no directory that was read lists it.` }
  return isListed
    ? { status: 'none', sentence: `No bar of ${symbol} is held of these days.` }
    : { status: 'not_loaded', sentence: `No bar of ${symbol} is held of these days, and no directory that was read lists it.` }
}
