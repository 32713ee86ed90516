// Recoveries that a text states: of one metal, of several, of all. A percentage without a metal applies to none.
import { drillRules } from '../../rulesets/drill/rules.ts'
import { isMark, isWord, metalAt, skipOf } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Span } from './types.ts'

export type StatedRecovery = { readonly metal: string; readonly percent: string; readonly span: Span }
/** Tokens after the word in which a percentage can be a recovery. */
const reach = 40
const isRecovery = (token: Token | undefined): boolean => token?.kind === 'word' && /^(?:recover|récupér|recuper)/.test(token.text)

/** The recoveries of each metal as first stated, and the positions of the figures. */
export function statedRecoveries(tokens: readonly Token[], french: boolean): { readonly recoveries: StatedRecovery[]; readonly places: Set<number> } {
  const found = new Map<string, StatedRecovery>()
  const places = new Set<number>()
  let recoveryAt = Number.NEGATIVE_INFINITY
  let listed: ReadonlyMap<number, readonly string[]> = new Map()
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (isRecovery(token)) {
      recoveryAt = at
      listed = inTurn(tokens, at, french)
    }
    if (endsStatement(tokens, at)) recoveryAt = Number.NEGATIVE_INFINITY
    const percent = token.kind === 'number' ? percentAt(tokens, at) : null
    if (percent === null || !(at - recoveryAt < reach || recoverySoon(tokens, at))) continue
    const span = { start: token.start, end: (tokens[percent - 1] as Token).end }
    for (const metal of listed.get(at) ?? metalsOf(tokens, at, percent, french)) {
      const known = found.get(metal)
      if (!known) found.set(metal, { metal, percent: token.text, span })
      // The same figure again is the same statement; a different one is something else, such as the grade of a concentrate.
      if (!known || known.percent === token.text) places.add(token.start)
    }
  }
  return { recoveries: [...found.values()], places }
}

/** A value from 0 to 100 before a percent sign; null if there is none. */
function percentAt(tokens: readonly Token[], at: number): number | null {
  const value = Number(tokens[at]?.text)
  const isPercent = isMark(tokens[at + 1], '%') || isWord(tokens[at + 1], 'percent')
  return isPercent && value > 0 && value <= 100 ? at + 2 : null
}

/** A sentence or a paragraph ends: what follows has another subject. */
function endsStatement(tokens: readonly Token[], at: number): boolean {
  const behind = tokens[at + 1]
  if (tokens[at]?.kind === 'line') return behind?.kind === 'line'
  return isMark(tokens[at], '.') && behind?.joined === false && behind.kind !== 'number' && behind.raw !== behind.text
}

function recoverySoon(tokens: readonly Token[], at: number): boolean {
  for (let next = at + 1; next < at + 10; next++) {
    if (isMark(tokens[next], '.') || tokens[next]?.kind === 'line') return false
    if (isRecovery(tokens[next])) return true
  }
  return false
}

/** Metals joined by commas and `and`, and the token after the last. */
function metalList(tokens: readonly Token[], from: number, french: boolean): { readonly metals: readonly string[]; readonly next: number } {
  const metals: string[] = []
  let next = from
  let place = from
  while (metals.length < 8) {
    const found = metalAt(tokens, skipOf(tokens, place), french)
    // In `92% gold, silver 80%` the second metal belongs to the figure after it.
    if (!found || found.equivalent || (metals.length > 0 && tokens[found.next]?.kind === 'number')) break
    metals.push(found.metal)
    next = found.next
    place = next
    while (place < next + 2 && (isMark(tokens[place], ',') || isMark(tokens[place], '/') || isWord(tokens[place], 'and', 'et', 'y'))) place += 1
    if (place === next) break
  }
  return { metals, next }
}

/** `92 % Au`, `90 % for gold and silver`, `90 % for both metals`; else the metal before the figure: `gold recovery of 92 %`. */
function metalsOf(tokens: readonly Token[], at: number, behind: number, french: boolean): readonly string[] {
  let next = behind
  while (next < behind + 5 && (isWord(tokens[next], 'for', 'of', 'pour', 'recovery', 'recoveries', 'in', 'the') || isMark(tokens[next], '(')))
    next += 1
  if (isWord(tokens[next], 'both', 'all', 'each', 'every', 'any')) {
    const named = metalList(tokens, isWord(tokens[next + 1], 'of') ? next + 2 : next + 1, french).metals
    return named.length > 0 ? named : isWord(tokens[next + 1], 'metal', 'metals', 'elements') ? drillRules.metals.map(each => each.metal) : []
  }
  const { metals } = metalList(tokens, next, french)
  return metals.length > 0 ? metals : metalBefore(tokens, at, french)
}

/** The nearest metal before a figure, up to the previous figure; beyond the word for recovery only one directly next to it. */
function metalBefore(tokens: readonly Token[], at: number, french: boolean): readonly string[] {
  let beyond = false
  for (let place = at - 1; place > at - 12 && place >= 0; place--) {
    const token = tokens[place]
    if (token?.kind === 'number' || token?.kind === 'line' || isMark(token, ';')) return []
    const found = metalAt(tokens, place, french)
    if (found && !found.equivalent) return [found.metal]
    const qualifies = isWord(token, 'metallurgical', 'process', 'average', 'assumed', 'overall', 'expected', 'estimated')
    if (beyond && !qualifies) return []
    beyond ||= isRecovery(token)
  }
  return []
}

/** `gold and silver recoveries of 92% and 85%`: one figure per metal in order, or one for all; none if the counts differ. */
function inTurn(tokens: readonly Token[], at: number, french: boolean): ReadonlyMap<number, readonly string[]> {
  let from = at
  // Back to the first metal of a list that ends at the word.
  for (let place = at - 1; place > at - 16 && place >= 0; place--) {
    const token = tokens[place]
    if (token?.kind === 'number' || token?.kind === 'line' || isMark(token, '.') || isMark(token, ';')) break
    const list = metalList(tokens, place, french)
    if (list.metals.length > 0 && isRecovery(tokens[list.next])) from = place
  }
  const { metals } = metalList(tokens, from, french)
  if (from === at || metals.length < 2) return new Map()
  const figures: number[] = []
  for (let place = at + 1; place < at + 24; place++) {
    const token = tokens[place]
    if (token?.kind === 'number' && percentAt(tokens, place) !== null) figures.push(place)
    else if (isMark(token, '.') || token?.kind === 'line' || (metalAt(tokens, place, french) && figures.length > 0)) break
  }
  if (figures.length === 1) return new Map([[figures[0] as number, metals]])
  return new Map(figures.map((place, turn) => [place, figures.length === metals.length ? [metals[turn] as string] : []]))
}
