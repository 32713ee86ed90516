// The assumptions that a text states for its equivalents: prices, recoveries, or the factor of each metal.
import { type StatedFactor, statedFactors } from './factors.ts'
import { isMark, isWord, metalAt, skipOf } from './metals.ts'
import { type StatedRecovery, statedRecoveries } from './recoveries.ts'
import type { Token } from './tokens.ts'
import type { Span } from './types.ts'

type StatedPrice = { readonly metal: string; readonly value: string; readonly per: 'oz' | 'lb'; readonly span: Span }
export type StatedAssumptions = {
  readonly prices: readonly StatedPrice[]
  readonly recoveries: readonly StatedRecovery[]
  readonly factors: readonly StatedFactor[]
  /** Start of a price or a recovery: such a figure can look like a grade. */
  readonly places: ReadonlySet<number>
}

export function statedAssumptions(tokens: readonly Token[], french: boolean): StatedAssumptions {
  const prices = new Map<string, StatedPrice>()
  const { recoveries, places } = statedRecoveries(tokens, french)
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.kind !== 'number') continue
    const price = priceAt(tokens, at, french)
    if (!price) continue
    if (!prices.has(price.metal)) prices.set(price.metal, price)
    places.add((tokens[at] as Token).start)
  }
  return { prices: [...prices.values()], recoveries, factors: statedFactors(tokens, french), places }
}

/** `US$2,000/oz gold`, `gold price of $2,000 per ounce`, `$4.00/lb Cu`. */
function priceAt(tokens: readonly Token[], at: number, french: boolean): StatedPrice | null {
  let next = at + 1
  const before = isMark(tokens[at - 1], '$')
  if (isMark(tokens[next], '$') || isWord(tokens[next], 'us', 'usd', 'dollars')) {
    next += isMark(tokens[next], '$') || !isMark(tokens[next + 1], '$') ? 1 : 2
  } else if (!before && !isWord(tokens[at - 1], 'usd', 'us', 'cad')) return null
  if (!isMark(tokens[next], '/') && !isWord(tokens[next], 'per', 'l', 'par', 'an', 'a', 'la')) return null
  next += 1
  if (isWord(tokens[next], 'troy')) next += 1
  const unit = tokens[next]
  const per = isWord(unit, 'oz', 'ounce', 'ounces', 'once') ? 'oz' : isWord(unit, 'lb', 'pound', 'lbs', 'livre') ? 'lb' : null
  if (per === null) return null
  const metal = metalNear(tokens, at, next + 1, french)
  const token = tokens[at] as Token
  return metal === null ? null : { metal, value: token.text, per, span: { start: token.start, end: (unit as Token).end } }
}

/** The metal directly after a figure (`of`, `for` and a bracket between), else the nearest before it, up to the figure before. */
function metalNear(tokens: readonly Token[], at: number, behind: number, french: boolean): string | null {
  let next = behind
  while (next < behind + 3 && (isWord(tokens[next], 'for', 'of', 'pour', 'recovery') || isMark(tokens[next], '('))) next += 1
  const found = metalAt(tokens, skipOf(tokens, next), french)
  if (found && !found.equivalent) return found.metal
  for (let place = at - 1; place > at - 12 && place >= 0; place--) {
    const token = tokens[place]
    if (token?.kind === 'number' || token?.kind === 'line' || isMark(token, ';')) return null
    const before = metalAt(tokens, place, french)
    if (before && !before.equivalent) return before.metal
  }
  return null
}
