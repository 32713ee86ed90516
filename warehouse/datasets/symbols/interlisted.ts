// Lines of one issuer on both sides of the border. Canadian directories have no CIK: a line there is matched with the SEC's filer by
// the issuer's name, in full, or by the same root symbol and the same name apart from its legal form. Two companies that merely
// sound alike (Quill Telecom in Toronto, Quartz Tractor in New York, both QT) are not linked.
import { issuerKey } from '#schemas/issuer-name.ts'
import type { Interval, SymbolIndex } from './symbol-index.ts'

type Names = ReadonlyMap<string, readonly string[]>
const held = new WeakMap<SymbolIndex, Names>()

const plain = (issuer: string): string =>
  issuer
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()

/** Symbols by the issuer's name in full; built on first use, about 50 ms for 51,000 listings. */
function namesOf(symbols: SymbolIndex): Names {
  const known = held.get(symbols)
  if (known) return known
  const names = new Map<string, string[]>()
  for (const symbol of symbols.all) {
    const issuer = symbols.find(symbol)?.issuer
    const name = issuer ? plain(issuer) : ''
    if (name === '') continue
    const list = names.get(name)
    if (list) list.push(symbol)
    else names.set(name, [symbol])
  }
  held.set(symbols, names)
  return names
}

const isAcross = (a: Interval, b: Interval): boolean => (a.exchange === 'US') !== (b.exchange === 'US')
const rootOf = (symbol: string): string => symbol.replace(/\.(TO|V)$/, '')

/** The lines of the same issuer on the other side of the border, sorted; empty if the issuer's name is unknown. */
export function interlisted(symbols: SymbolIndex, symbol: string): string[] {
  const own = symbols.find(symbol)
  if (!own?.issuer) return []
  const { issuer } = own
  const sameName = namesOf(symbols).get(plain(issuer)) ?? []
  const root = rootOf(symbol)
  const sameRoot = [root, `${root}.TO`, `${root}.V`].filter(each => issuerKey(symbols.find(each)?.issuer ?? '') === issuerKey(issuer))
  const found = [...new Set([...sameName, ...sameRoot])].sort()
  return found.filter(each => {
    const line = symbols.find(each)
    return line !== null && isAcross(own, line)
  })
}
