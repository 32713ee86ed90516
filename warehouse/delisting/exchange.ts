// Which exchange and tier a request means.
import { BadRequest } from '#schemas/errors.ts'
import type { DelistingRules, Exchange } from '../rulesets/delisting/rules.ts'
import type { Evidence } from './types.ts'

/** By any usual name; an empty one is the directory's. Throws `BadRequest` (422) that lists the names. */
export function exchangeOf(asked: string, { listing }: Evidence, { exchanges }: DelistingRules): Exchange {
  const key = asked.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const found =
    key === '' && asked.trim() === ''
      ? exchanges.find(({ mics }) => listing?.mic && mics.includes(listing.mic))
      : exchanges.find(({ aliases }) => aliases.includes(key))
  if (found) return found
  const names = exchanges.map(({ aliases }) => aliases[0]).join(', ')
  throw new BadRequest(
    asked.trim() === ''
      ? 'exchange is empty, and no directory that is held lists the ticker'
      : `exchange ${JSON.stringify(asked.slice(0, 40))} is not known`,
    {
      status: 422,
      code: 'validation_error',
      hint: `exchange is one of ${names}`,
      items: [{ loc: ['body', 'exchange'], msg: `expected one of ${names}`, type: 'custom' }],
    },
  )
}

/** Whether a directory lists the ticker on another exchange than the one that judges it; null where it does not, or says nothing. */
export function otherExchange(exchange: Exchange, { listing, symbol }: Evidence, { exchanges }: DelistingRules): string | null {
  if (!listing?.mic || exchange.mics.includes(listing.mic)) return null
  const listed = exchanges.find(({ mics }) => mics.includes(listing.mic as string))
  return `the directory lists ${symbol} on ${listed ? `${listed.name} (${listing.mic})` : listing.mic}; it was judged by the rules of ${exchange.name}, as asked`
}
