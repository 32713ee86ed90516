// Yahoo's symbols: marks after a dash, the market after a point. `OCDO.L` is London, not a class L.
import type { ParsedSymbol } from '#schemas/spelling.ts'
import { yahoo } from '#schemas/vendor-spelling.ts'

/** The canonical symbol of a listing in the United States, Toronto or Venture; null for other markets, currencies and indices. */
export function yahooSymbol(text: string): ParsedSymbol | null {
  if (!/^[A-Z0-9][A-Z0-9-]{0,14}(?:\.(?:TO|V))?$/.test(text)) return null
  return yahoo.read(text)
}

/** Days between a document's last bar and its retrieval within which no split can be missing: the weekend and holidays between sessions. */
export const reachDays = 7

/**
 * Yahoo divides prices, and dividends, by every split up to the download. If a document does not show all of those
 * splits, its rows are kept as printed with the basis split_adjusted_unknown, and this reports it; declared amounts do not apply to them.
 */
export const splitBasis = (rows: number): { reason: string; detail: string } => ({
  reason: 'split_basis_unverified',
  detail: `${rows} rows are divided by every split between their day and the download, and the document does not show all of these; bars before such a split are not as traded`,
})
