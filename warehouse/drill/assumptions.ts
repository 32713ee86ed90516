// What a text says its equivalents were reckoned with: prices, recoveries, or the factor of each metal.
import { isMark, isWord, metalAt, skipOf } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Span } from './types.ts'

export type StatedPrice = { readonly metal: string; readonly value: string; readonly per: 'oz' | 'lb'; readonly span: Span }
export type StatedRecovery = { readonly metal: string; readonly percent: string; readonly span: Span }
export type StatedFactor = { readonly metal: string; readonly factor: string; readonly primary: string; readonly span: Span }
export type StatedAssumptions = {
  readonly prices: readonly StatedPrice[]
  readonly recoveries: readonly StatedRecovery[]
  readonly factors: readonly StatedFactor[]
  /** Where a price or a recovery begins: such a figure can look like a grade. */
  readonly places: ReadonlySet<number>
}

export function statedAssumptions(tokens: readonly Token[], french: boolean): StatedAssumptions {
  const prices = new Map<string, StatedPrice>()
  const recoveries = new Map<string, StatedRecovery>()
  let recoveryAt = Number.NEGATIVE_INFINITY
  const places = new Set<number>()
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.kind === 'word' && /^(?:recover|récupér)/.test(token.text)) recoveryAt = at
    if (token.kind !== 'number') continue
    const price = priceAt(tokens, at, french)
    if (price && !prices.has(price.metal)) prices.set(price.metal, price)
    const near = at - recoveryAt < 40 || recoverySoon(tokens, at)
    const recovery = near && !price ? recoveryOf(tokens, at, french) : null
    if (recovery && !recoveries.has(recovery.metal)) recoveries.set(recovery.metal, recovery)
    if (price || recovery) places.add(token.start)
  }
  return { prices: [...prices.values()], recoveries: [...recoveries.values()], factors: factorsIn(tokens, french), places }
}
function recoverySoon(tokens: readonly Token[], at: number): boolean {
  for (let next = at + 1; next < at + 10; next++) {
    if (isMark(tokens[next], '.') || tokens[next]?.kind === 'line') return false
    if (tokens[next]?.kind === 'word' && /^(?:recover|récupér)/.test(tokens[next]?.text ?? '')) return true
  }
  return false
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

/** `92 % Au`, `gold recovery of 92 %`, `80 % for silver`. */
function recoveryOf(tokens: readonly Token[], at: number, french: boolean): StatedRecovery | null {
  const percent = isMark(tokens[at + 1], '%') ? at + 2 : isWord(tokens[at + 1], 'percent') ? at + 2 : 0
  const token = tokens[at] as Token
  if (percent === 0 || Number(token.text) > 100 || Number(token.text) <= 0) return null
  const metal = metalNear(tokens, at, percent, french)
  return metal === null ? null : { metal, percent: token.text, span: { start: token.start, end: (tokens[percent - 1] as Token).end } }
}

/** The metal directly behind a figure (`of`, `for` and a bracket between), else the nearest before it, up to the figure before. */
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

/** `AuEq = Au + (Ag x 0.0109) + Cu*1.31`: what one unit of each metal counts for. */
function factorsIn(tokens: readonly Token[], french: boolean): StatedFactor[] {
  const factors: StatedFactor[] = []
  for (let at = 0; at < tokens.length; at++) {
    const primary = metalAt(tokens, at, french)
    if (!primary?.equivalent) continue
    let place = primary.next
    while (
      place < primary.next + 6 &&
      !isMark(tokens[place], '=') &&
      (isMark(tokens[place], '(') ||
        isMark(tokens[place], ')') ||
        isMark(tokens[place], '%') ||
        isMark(tokens[place], '/') ||
        isWord(tokens[place], 'g', 't', 'gpt'))
    )
      place += 1
    if (!isMark(tokens[place], '=')) continue
    for (let next = place + 1; next < place + 60 && next < tokens.length; next++) {
      if (tokens[next]?.kind === 'line' && tokens[next + 1]?.kind === 'line') break
      const factor = factorAt(tokens, next, french)
      if (factor && factor.metal !== primary.metal) factors.push({ ...factor, primary: primary.metal })
    }
    at = place
  }
  return factors
}
function factorAt(tokens: readonly Token[], at: number, french: boolean): Omit<StatedFactor, 'primary'> | null {
  const metal = metalAt(tokens, at, french)
  if (!metal || metal.equivalent) return null
  let next = metal.next
  while (
    next < metal.next + 6 &&
    (isMark(tokens[next], '(') ||
      isMark(tokens[next], ')') ||
      isMark(tokens[next], '%') ||
      isMark(tokens[next], '/') ||
      isWord(tokens[next], 'g', 't', 'gpt', 'ppm'))
  )
    next += 1
  if (!isMark(tokens[next], '*') && !isWord(tokens[next], 'x') && !isMark(tokens[next], 'x')) return null
  const number = tokens[next + 1]
  return number?.kind === 'number' ? { metal: metal.metal, factor: number.text, span: { start: (tokens[at] as Token).start, end: number.end } } : null
}
