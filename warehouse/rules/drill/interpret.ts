// Interprets drill results from a text, from given intervals, or from both: the values as written, derived values, contradictions and
// omissions. Pure: the same request under the same ruleset gives the same bytes.
import { type DrillInterpretRequest, maxDrillIntervals } from '#schemas/drill.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import { type StatedAssumptions, statedAssumptions } from './assumptions.ts'
import { evaluateBand } from './bands.ts'
import { type CheckedItem, checklist, readStated, type Statement } from './checklist.ts'
import { compareGiven, type Disagreement, differences } from './compare.ts'
import { gradeThickness, residuals, type Thickness, trueWidthOf } from './derive.ts'
import { elementsOf } from './elements.ts'
import { type Deck, deckOf, equivalentsOf } from './equivalents.ts'
import { type Evaluated, type Flag, flagsOf } from './flags.ts'
import { type Given, readGiven } from './given.ts'
import { readProse } from './prose.ts'
import { readTables } from './table.ts'
import { numberStyle, tokenize, withFractions, withoutDefinitions } from './tokens.ts'
import { type Node, nodeOf, treeOf } from './tree.ts'
import type { RawInterval, Unread } from './types.ts'

export type EvaluatedTree = Evaluated & {
  readonly thickness: readonly Thickness[]
  readonly parts: readonly EvaluatedTree[]
  readonly origin: string
}
export type Interpretation = {
  readonly intervals: readonly EvaluatedTree[]
  readonly count: number
  readonly flags: readonly Flag[]
  readonly checklist: readonly CheckedItem[]
  readonly unread: readonly Unread[]
  readonly disagreements: readonly Disagreement[]
  readonly deck: Deck
  readonly stated: StatedAssumptions
  readonly statement: Statement
  readonly style: 'point' | 'comma'
}

export function interpretDrill(request: DrillInterpretRequest, rules: DrillRules): Interpretation {
  const { text } = request
  const style = numberStyle(text)
  const tokens = withFractions(tokenize(text, style))
  const french = style === 'comma' || isFrench(tokens)
  const read = readText(text, tokens, french)
  const stated = statedAssumptions(tokens, french)
  const statement = readStated(text, tokens, rules)
  const given = readGiven(request.intervals)
  const roots = treeOf(read.intervals, rules)
  const own = given.intervals.flatMap(each => givenNode(each, rules))
  const compared = compareGiven(roots, own, rules)
  const both = new Set(compared.pairs.map(([, node]) => node))
  const deck = deckOf(stated, rules)
  const all: EvaluatedTree[] = []
  const intervals = [...roots, ...compared.added].map((node, at) => evaluate(node, `${at + 1}`, null))
  const disagreements = text.trim() === '' ? [] : disagreementsOf()
  return {
    intervals,
    count: all.length,
    flags: [...flagsOf(all, statement, stated, rules), ...disagreements.map(each => toFlag(each, rules))],
    checklist: checklist(statement, {
      count: all.length,
      withDepth: all.filter(each => each.node.from !== null).length,
      parts: all.filter(each => each.parent !== null).length,
      widths: all.filter(each => each.width !== null).length,
    }),
    unread: [...read.unread.filter(each => !each.span || !stated.places.has(each.span.start)), ...given.unread],
    disagreements,
    deck,
    stated,
    statement,
    style,
  }

  function evaluate(node: Node, ref: string, parent: EvaluatedTree | null): EvaluatedTree {
    const width = trueWidthOf(node, statement.share, parent?.node.raw.coreAngle ?? null, rules)
    const parts: EvaluatedTree[] = []
    const evaluated: EvaluatedTree = {
      ref,
      node,
      parent,
      width,
      residuals: residuals(node, rules),
      equivalents: equivalentsOf(node, deck, stated, rules),
      band: evaluateBand(node, request.deposit_type, rules),
      thickness: gradeThickness(node, width, rules),
      parts,
      origin: both.has(node) ? 'both' : node.raw.origin,
    }
    all.push(evaluated)
    node.children.forEach((child, at) => void parts.push(evaluate(child, `${ref}.${at + 1}`, evaluated)))
    return evaluated
  }

  function disagreementsOf(): Disagreement[] {
    const refs = new Map(all.map(each => [each.node, each.ref]))
    return [
      ...compared.pairs.flatMap(([theirs, ours, name]) =>
        differences(ours, theirs, rules).map(each => ({ given: name, interval_ref: refs.get(ours) ?? null, ...each })),
      ),
      ...compared.missing.map(([node, name]) => ({
        given: name,
        interval_ref: refs.get(node) ?? null,
        field: 'interval',
        given_value: `${node.length} m`,
        text_value: null,
      })),
    ]
  }
}

type ReadText = { readonly intervals: readonly RawInterval[]; readonly unread: readonly Unread[] }
/** Tables first; the rest is running text. Both in the order of the text, up to the limit. */
function readText(text: string, tokens: ReturnType<typeof tokenize>, french: boolean): ReadText {
  const tables = readTables(text, tokens, french)
  const rest = withoutDefinitions(tables.rest)
  const prose = readProse(rest, elementsOf(rest, french))
  const start = (each: RawInterval | Unread): number => each.span?.start ?? 0
  const intervals = [...prose.intervals, ...tables.intervals].sort((a, b) => start(a) - start(b))
  const unread = [...prose.unread, ...tables.unread].sort((a, b) => start(a) - start(b))
  if (intervals.length <= maxDrillIntervals) return { intervals, unread }
  const first = intervals[maxDrillIntervals]?.span?.start ?? 0
  const more: Unread = {
    reason: 'too_many',
    span: { start: first, end: text.length },
    detail: `${intervals.length - maxDrillIntervals} intervals behind the first ${maxDrillIntervals}`,
  }
  return { intervals: intervals.slice(0, maxDrillIntervals), unread: [...unread, more] }
}

const frenchWords = new Set(['forage', 'forages', 'sondage', 'sondages', 'mètres', 'titrant', 'incluant', 'teneur', 'teneurs', 'carotte'])
const isFrench = (tokens: ReturnType<typeof tokenize>): boolean => tokens.some(token => token.kind === 'word' && frenchWords.has(token.text))

function givenNode({ raw, parts }: Given, rules: DrillRules): Node[] {
  const node = nodeOf(raw, rules)
  if (!node) return []
  for (const part of parts)
    for (const child of givenNode({ ...part, raw: { ...part.raw, hole: part.raw.hole ?? raw.hole } }, rules)) {
      child.parent = node
      node.children.push(child)
    }
  return [node]
}

function toFlag(each: Disagreement, rules: DrillRules): Flag {
  const severity = rules.flags.find(({ code }) => code === 'text_intervals_disagree')?.severity ?? 'high'
  const explanation =
    each.field === 'interval'
      ? `${each.given} (${each.given_value}) is not in the text`
      : `${each.given}.${each.field} is ${each.given_value}, the text says ${each.text_value}`
  return { code: 'text_intervals_disagree', severity, interval_ref: each.interval_ref, explanation, evidence: [] }
}
