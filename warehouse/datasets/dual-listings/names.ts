// Whether two directories name one issuer. Symbols are never compared: T is TELUS in Toronto and AT&T in New York.
import { issuerKey } from '#schemas/issuer-name.ts'

/** What US directories append to an issuer's name: its country, and words of the security that `issuerKey` keeps. */
const tails = new Set('CANADA CANADIAN DE DEL NO PAR VALUE UNIT UNITS PARTNERSHIP PFD PREFERRED SUB VOT A B 3'.split(' '))

/** `same`: one name, apart from legal form and the words of the security; `similar`: one name begins with the other. */
export type Likeness = 'same' | 'similar' | 'different'

/** Compares two issuers' names as directories print them; an empty name is like no other. */
export function likenessOf(one: string, other: string): Likeness {
  const [a, b] = [issuerKey(one), issuerKey(other)]
  if (a === '' || b === '') return 'different'
  if (a === b) return 'same'
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (!long.startsWith(`${short} `)) return 'different'
  const rest = long.slice(short.length + 1).split(' ')
  return rest.every(word => tails.has(word)) ? 'same' : 'similar'
}
