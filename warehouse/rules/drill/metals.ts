// Reads names and symbols of metals, and the units of grades, from tokens.
import { drillRules, type GradeUnit } from '../../rulesets/drill/rules.ts'
import type { Token } from './tokens.ts'

type Named = { readonly metal: string; readonly equivalent: boolean }
const bySymbol = new Map<string, Named>()
const byName = new Map<string, Named>()
for (const { metal, names, symbols } of drillRules.metals) {
  for (const name of names) byName.set(name, { metal, equivalent: false })
  for (const symbol of symbols) {
    bySymbol.set(symbol, { metal, equivalent: false })
    for (const ending of ['Eq', 'EQ', 'eq', 'Éq', 'éq', 'Equiv', 'equiv']) bySymbol.set(`${symbol}${ending}`, { metal, equivalent: true })
    for (const beginning of ['Éq', 'éq', 'Eq']) bySymbol.set(`${beginning}${symbol}`, { metal, equivalent: true })
  }
}
for (const [other, metal] of [
  ['li20', 'Li2O'],
  ['li2o', 'Li2O'],
  ['u308', 'U3O8'],
  ['u3o8', 'U3O8'],
  ['eu3o8', 'U3O8'],
  ['v2o5', 'V2O5'],
  ['wo3', 'WO3'],
  ['tio2', 'TiO2'],
  ['ag', 'Ag'],
  ['cu', 'Cu'],
  ['zn', 'Zn'],
  ['aueq', 'AuEq'],
  ['ageq', 'AgEq'],
  ['cueq', 'CuEq'],
  ['zneq', 'ZnEq'],
  ['nieq', 'NiEq'],
] as const)
  byName.set(other, metal.endsWith('Eq') ? { metal: metal.slice(0, -2), equivalent: true } : { metal, equivalent: false })

const isMark = (token: Token | undefined, mark: string): boolean => token?.kind === 'mark' && token.text === mark
const isWord = (token: Token | undefined, ...words: readonly string[]): boolean => token?.kind === 'word' && words.includes(token.text)

export type FoundMetal = Named & { readonly next: number }
/**
 * The metal that begins at a token, with `Eq` or `equivalent` after it (or before it, in French). `french`: `or` is gold. Ambiguous
 * words (`lead`, `or`, `tin`) are accepted here; the caller checks that a metal is possible at that position.
 */
export function metalAt(tokens: readonly Token[], at: number, french: boolean): FoundMetal | null {
  const token = tokens[at]
  if (!token || (token.kind !== 'word' && token.kind !== 'name')) return prefixedMetal(tokens, at, french)
  if (isWord(token, 'équivalent', 'equivalent') && french) {
    const behind = isWord(tokens[at + 1], 'en', 'd', 'de') ? at + 2 : at + 1
    const inner = metalAt(tokens, isMark(tokens[behind], "'") ? behind + 1 : behind, french)
    return inner && { ...inner, equivalent: true }
  }
  const named =
    bySymbol.get(token.raw) ??
    byName.get(token.text) ??
    footnoted(token) ??
    (french && token.text === 'or' ? { metal: 'Au', equivalent: false } : undefined)
  if (!named) return null
  let next = at + 1
  if (named.equivalent) return { ...named, next }
  const dash = isMark(tokens[next], '-') ? next + 1 : next
  if (isWord(tokens[dash], 'eq', 'equivalent', 'equivalents', 'equiv', 'équivalent', 'éq')) {
    next = dash + 1
    if (isMark(tokens[next], '.') && tokens[dash]?.text !== 'equivalent' && tokens[next]?.joined) next += 1
    return { metal: named.metal, equivalent: true, next }
  }
  return { ...named, next }
}
/** `CuEq1`: an equivalent with the digit of its footnote. */
function footnoted(token: Token): Named | undefined {
  const named = token.kind === 'name' && /[a-z][1-9]$/i.test(token.raw) ? bySymbol.get(token.raw.slice(0, -1)) : undefined
  return named?.equivalent ? named : undefined
}
/** `2PGE`, `3E`: a digit before the name. */
function prefixedMetal(tokens: readonly Token[], at: number, french: boolean): FoundMetal | null {
  const [token, behind] = [tokens[at], tokens[at + 1]]
  if (token?.kind !== 'number' || !/^[2-5]$/.test(token.text) || behind?.kind !== 'word' || !behind.joined) return null
  const found = behind.text === 'e' ? ({ metal: 'PGE', equivalent: false, next: at + 2 } as const) : metalAt(tokens, at + 1, french)
  return found?.metal === 'PGE' ? found : null
}

const platinumGroup = new Set(['Pt', 'Pd', 'Rh', 'Au', 'PGE'])
/** `Pt+Pd+Au`, `Pb + Zn`: one figure for several metals; `metal` is PGE for those of its group, null for others. Null if it is no sum. */
export function metalSumAt(
  tokens: readonly Token[],
  first: FoundMetal,
  french: boolean,
): { readonly metal: 'PGE' | null; readonly next: number } | null {
  const metals = [first.metal]
  let { next } = first
  while (metals.length < 8 && isMark(tokens[next], '+')) {
    const found = metalAt(tokens, next + 1, french)
    if (!found) break
    metals.push(found.metal)
    next = found.next
  }
  return metals.length === 1 ? null : { metal: metals.every(metal => platinumGroup.has(metal)) ? 'PGE' : null, next }
}

/** A unit of grade after a number: its end, and the metal inside it (`grams of gold per tonne`), if there is one. */
export type FoundUnit = { readonly unit: GradeUnit | 'oz/t'; readonly next: number; readonly metal: Named | null }
export function gradeUnitAt(tokens: readonly Token[], from: number, french: boolean): FoundUnit | null {
  const at = isMark(tokens[from], '-') && tokens[from]?.joined ? from + 1 : from
  const token = tokens[at]
  if (!token) return null
  if (token.kind === 'mark') return token.text === '%' ? { unit: '%', next: at + 1, metal: null } : null
  if (token.kind !== 'word') return null
  switch (token.text) {
    case 'gpt':
    case 'gmt':
    case 'g':
    case 'gm':
    case 'gms':
    case 'gr':
    case 'grams':
    case 'gram':
    case 'grammes':
    case 'gramme':
      return token.text === 'gpt' || token.text === 'gmt' ? { unit: 'g/t', next: at + 1, metal: null } : perTon(tokens, at + 1, 'g', french)
    case 'ppm':
      return { unit: 'ppm', next: at + 1, metal: null }
    case 'ppb':
      return { unit: 'ppb', next: at + 1, metal: null }
    case 'opt':
      return { unit: 'opt', next: at + 1, metal: null }
    case 'percent':
    case 'pct':
      return { unit: '%', next: at + 1, metal: null }
    case 'per':
    case 'pour':
      return isWord(tokens[at + 1], 'cent') ? { unit: '%', next: at + 2, metal: null } : null
    case 'oz':
    case 'ounces':
    case 'ounce':
    case 'ozs':
    case 'onces':
    case 'once':
      return perTon(tokens, at + 1, 'oz', french)
    case 'troy':
      return isWord(tokens[at + 1], 'ounces', 'ounce', 'oz') ? perTon(tokens, at + 2, 'oz', french) : null
    case 'kg':
    case 'kilograms':
      return perTon(tokens, at + 1, 'kg', french)
    case 'lb':
    case 'lbs':
    case 'pounds':
      return perTon(tokens, at + 1, 'lb', french)
    default:
      return null
  }
}

/** `[of] [metal] per [metric|short] ton(ne)`, `/t`, `Au/t`, `/tAu`. */
function perTon(tokens: readonly Token[], from: number, mass: 'g' | 'oz' | 'kg' | 'lb', french: boolean): FoundUnit | null {
  let at = from
  let metal: Named | null = null
  const named = metalAt(tokens, skipOf(tokens, at), french)
  if (named) [metal, at] = [named, named.next]
  if (isMark(tokens[at], '/') || isWord(tokens[at], 'per', 'par', 'p', 'a')) at += 1
  else return null
  const short = isWord(tokens[at], 'short')
  const metric = isWord(tokens[at], 'metric', 'dry')
  if (short || metric) at += 1
  if (metric && isWord(tokens[at], 'metric')) at += 1
  const ton = tokens[at]
  if (!ton || (ton.kind !== 'word' && ton.kind !== 'name')) return null
  const glued = ton.text.startsWith('t') ? bySymbol.get(ton.raw.slice(1)) : undefined
  if (!isWord(ton, 't', 'tonne', 'tonnes', 'ton', 'tons', 'st', 'mt', 'tm') && !glued) return null
  metal ??= glued ?? null
  const isTonne = metric || isWord(ton, 'tonne', 'tonnes', 'mt', 'tm') || glued !== undefined
  const isShort = short || isWord(ton, 'st')
  const unit = { g: 'g/t', kg: 'kg/t', lb: 'lb/st', oz: isShort ? 'oz/st' : isTonne ? 'oz/tonne' : 'oz/t' } as const
  return { unit: unit[mass], next: at + 1, metal }
}

/** Skips `of`, `de`, `d'`. */
export function skipOf(tokens: readonly Token[], at: number): number {
  if (isWord(tokens[at], 'of', 'de', 'en')) return at + 1
  if (isWord(tokens[at], 'd', 'l') && isMark(tokens[at + 1], "'")) return at + 2
  return at
}
export { isMark, isWord }
