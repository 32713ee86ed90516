// Converts the text of a model into an answer: references become figures with their claims, and all other parts are made safe to show.
// Faults are reported to the model.

import type { Result } from '#warehouse/assistant/calls.ts'
import { decimalOf, type Figure } from '#warehouse/assistant/claims.ts'
import { figuresOfProse } from '#warehouse/assistant/figures.ts'
import { textOf } from '#warehouse/assistant/json-values.ts'
import type { Part } from '#warehouse/assistant/writer.ts'
import { plainProse, readReferences } from './references.ts'

export type ModelText = {
  readonly parts: readonly Part[]
  /** Calls whose values the text prints, in their order. */
  readonly used: readonly Result[]
  /** The faults, in words that the model can use; empty if the text can be shown. */
  readonly faults: readonly string[]
}

/**
 * Compares the text with the answers of its calls. Faults are references without a value, and every figure that is not a reference, even if
 * an answer contains it, because a document with instructions could contain it too.
 */
export function readModelText(text: string, results: ReadonlyMap<number, Result>): ModelText {
  const plain = plainProse(text)
  const { parts, broken } = readReferences(plain, results)
  const prose = plain.replaceAll(/\{\{[^{}]*\}\}/g, ' … ')
  const own = [...new Set([...figuresOfProse(prose).map(each => each.text), ...strictFigures(prose)])]
  const used = new Set<Result>()
  const safe = parts.map((part): Part => {
    if ('figure' in part) addCalls(part.figure, used)
    return 'text' in part ? { text: safeProse(part.text) } : part
  })
  const faults = [
    ...own.map(each => `"${each}" is a figure of your own: write a reference to a value of a call instead, or leave it out`),
    ...broken.map(each => `${each} names no value of a call`),
    ...aroundFigures(parts),
    ...statedWords(prose),
    ...(text.trim() === '' ? ['it is empty'] : []),
  ]
  return { parts: safe, used: [...used].sort((a, b) => a.n - b.n), faults }
}

/** Names with digits that a model may write; marks of citations, rules and items in general are not among them. */
const allowed =
  /\b(?:Forms? (?:3|4|5|8-K|10-K|10-Q|20-F|40-F|6-K)|10-[KQ]|20-F|40-F|8-K|6-K|[SF]-[134]|13F(?:-HR|-NT)?|(?:Schedule |SC )?13[DG]|Items? (?:1A|1B|1C|7A|9A|[1-9])(?![\d.])|Rule 10b5-1|S&P 500|TSX 60|NI 43-101|(?:52|50|200|20|90|14)-(?:week|day|session))(?![\w%])/gi
const roman = /\b(?=[MDCLXVI]{3,}\b)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b/g
const oneThing = /\bone\s+(?!(?:of|or|another|can|must|should|may|could|has|is|and|to|by|more|that|which|who)\b)[a-z]+/gi
/** Text that a reader takes for a figure and that `figuresOfProse` treats as a name, a mark or a word. */
function strictFigures(prose: string): string[] {
  const rest = prose.replaceAll(allowed, ' ')
  return [...rest.matchAll(/\S*\d\S*/g), ...rest.matchAll(roman), ...rest.matchAll(oneThing)].map(match => match[0])
}

const unitBehind =
  /^\s*(%|percent\b|per cent\b|basis points\b|bps\b|hundreds?\b|thousands?\b|millions?\b|billions?\b|trillions?\b|k\b|m\b|mm\b|bn\b|x\b|times\b|USD\b|CAD\b|EUR\b|GBP\b|dollars?\b|cents?\b)/i
const fallWords = /\b(?:down|fell|fall|falls|lost|loses|declined?|dropped?|lower|slid|decrease[ds]?|loss of)(?:\s+(?:by|of|about))?\s*$/i
const riseWords = /\b(?:up|rose|rise|rises|gained|gains|climbed|higher|increase[ds]?|jumped|gain of)(?:\s+(?:by|of|about))?\s*$/i

/** Signs, units and directions that the text adds to a reference and that its value does not have. */
function aroundFigures(parts: readonly Part[]): string[] {
  return parts.flatMap((part, at) => {
    if (!('figure' in part)) return []
    const { figure } = part
    const name = `the value of ${figure.pointer ?? 'a computed reference'}`
    if (figure.value === null || !/^-?\d/.test(figure.value)) return []
    const [before, after] = [parts[at - 1], parts[at + 1]]
    const [left, right] = [before !== undefined && 'text' in before ? before.text : '', after !== undefined && 'text' in after ? after.text : '']
    const beyond = parts[at + 2]
    const faults: string[] = []
    if (before !== undefined && 'figure' in before) faults.push(`${name} directly follows another value`)
    if (beyond !== undefined && 'figure' in beyond && /^[.,:/+\-−–'’]+$/.test(right)) faults.push(`${name} is joined to another value by "${right}"`)
    if (/[\w.,:+\-−–$€£#]$/.test(left)) faults.push(`"${left.slice(-1)}" directly precedes ${name}`)
    if (/^[\p{L}\d]/u.test(right)) faults.push(`"${right.slice(0, 1)}" directly follows ${name}`)
    const unit = unitBehind.exec(right)?.[1]?.toLowerCase()
    if (unit !== undefined && !hasUnit(figure, unit)) faults.push(`"${unit}" behind ${name} is no unit of it: write the currency as a reference too`)
    const negative = figure.value.startsWith('-')
    const isChange = /change|return|growth|difference/.test(`${figure.pointer ?? ''}${figure.rule ?? ''}`)
    if (isChange && !/^-?0(?:\.0*)?$/.test(decimalOf(figure.value)) && (negative ? riseWords : fallWords).test(left))
      faults.push(`${name} is ${negative ? 'negative' : 'positive'}, the words before it say otherwise`)
    return faults
  })
}
function hasUnit({ unit, pointer, call, rule }: Figure, word: string): boolean {
  if (/^(?:%|percent|per cent)$/.test(word)) return unit === '%' ? false : rule === 'growth_pct' || /pct|percent|_rate/.test(pointer ?? '')
  if (/^[a-z]{3}$/.test(word) && call !== null && pointer !== null) {
    const parent = pointer.slice(0, pointer.lastIndexOf('/'))
    return [`${parent}/currency`, '/currency'].some(each => textOf(call.tree, each)?.toLowerCase() === word) || unit?.toLowerCase() === word
  }
  return false
}

const advises =
  /\b(?:you|investors?|one|we) (?:should|ought to|must) (?:buy|sell|hold|avoid|own)|\b(?:i|we) (?:recommend|suggest|advise)\b|\b(?:buy|sell) (?:it|now|the (?:stock|shares?))\b|\b(?:strong|good|great) (?:buy|investment|time to)|\b(?:under|over)valued\b/i
const foresees =
  /\bwill (?:likely |probably )?(?:rise|fall|go up|go down|increase|decrease|recover|double|outperform|underperform|reach|beat|crash)\b|\b(?:expect|predict|forecast)\b[^.]{0,60}\b(?:to )?(?:rise|fall|reach|gain|drop)\b/i
const moves = /\b(?:rose|fell|dropped|jumped|gained|lost|moved?|rallied|slid|declined|climbed|plunged|surged|up|down)\b/i
const causes = /\b(?:because|due to|caused by|driven by|thanks to|owing to|as a result of|on the back of|in response to|on fears?|on news)\b/i
/** Recommendations, forecasts and reasons of price moves, which an answer must not contain. */
function statedWords(prose: string): string[] {
  return prose
    .split(/(?<=[.!?\n])\s+/)
    .flatMap(sentence => [
      ...(advises.test(sentence) ? [`"${sentence.slice(0, 80)}" is a recommendation`] : []),
      ...(foresees.test(sentence) ? [`"${sentence.slice(0, 80)}" is a forecast`] : []),
      ...(moves.test(sentence) && causes.test(sentence) ? [`"${sentence.slice(0, 80)}" states a reason for a move`] : []),
    ])
}

function addCalls(figure: Figure, used: Set<Result>): void {
  if (figure.call !== null) used.add(figure.call)
  for (const operand of figure.operands) addCalls(operand, used)
}

/**
 * The text of a model as Markdown without links, images and HTML. Emphasis, lists and tables stay; an address is shown as text that no
 * viewer converts to a link.
 */
export function safeProse(text: string): string {
  return text
    .replaceAll(/[\\[\]<>]/g, '\\$&')
    .replaceAll(/&(?=#?\w+;)/g, '\\&')
    .replaceAll(/([a-z][a-z0-9+.-]{1,20}):(?=\/\/|(?<=javascript:|data:|mailto:|vbscript:))/gi, '$1:\u200b')
    .replaceAll(/\bwww\./gi, 'www\u200b.')
    .replaceAll(/(?<=[\p{L}\p{N}])@(?=[\p{L}\p{N}])/gu, '@\u200b')
}
