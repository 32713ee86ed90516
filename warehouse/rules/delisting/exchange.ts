// Resolves the exchange and tier of a request.
import type { DelistingRules, Exchange } from '../../rulesets/delisting/rules.ts'
import { didYouMean, keyOf, nearestRows, quoted, refused } from '../../rulesets/named.ts'
import type { Evidence } from './types.ts'

/** By any usual name; if empty, the directory's exchange. Throws `BadRequest` (422) that proposes the nearest and lists the names. */
export function exchangeOf(requested: string, { listing }: Evidence, { exchanges }: DelistingRules): Exchange {
  const empty = requested.trim() === ''
  const key = keyOf(requested)
  const found = empty
    ? exchanges.find(({ mics }) => listing?.mic && mics.includes(listing.mic))
    : exchanges.find(({ aliases, name }) => [name, ...aliases].some(each => keyOf(each) === key))
  if (found) return found
  const rows = exchanges.map(({ aliases, name }) => ({ name: aliases[0] ?? name, spellings: [name, ...aliases] }))
  const near = empty ? [] : nearestRows(requested, rows, 2)
  throw refused(
    'exchange',
    empty ? 'it is empty, and no directory that is held lists the ticker' : `${quoted(requested)} is not known`,
    `${didYouMean(near)}one of ${rows.map(each => each.name).join(', ')}`,
  )
}

/** A warning if a directory lists the ticker on another exchange than the evaluated one; null if not or unknown. */
export function otherExchange(exchange: Exchange, { listing, symbol }: Evidence, { exchanges }: DelistingRules): string | null {
  if (!listing?.mic || exchange.mics.includes(listing.mic)) return null
  const listed = exchanges.find(({ mics }) => mics.includes(listing.mic as string))
  const evaluated =
    exchange.coverage === 'covered' ? `the rules of ${exchange.name} were applied, as requested` : `the request names ${exchange.name}`
  return `the directory lists ${symbol} on ${listed ? `${listed.name} (${listing.mic})` : listing.mic}; ${evaluated}`
}
