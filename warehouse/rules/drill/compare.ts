// Compares intervals of a text with those of the caller: which are the same, and where the two differ.
import { compareDecimals } from '#schemas/decimals.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import { countedGrades } from './derive.ts'
import { type Node, visit } from './tree.ts'

export type Disagreement = {
  readonly given: string
  readonly interval_ref: string | null
  readonly field: string
  readonly given_value: string | null
  readonly text_value: string | null
}

/**
 * Matches each given interval to one of the text: same hole if both name one, and the same depth, else the same length. Returns the
 * given ones that are not in the text (they are evaluated too) and the disagreements.
 */
export function compareGiven(
  text: readonly Node[],
  given: readonly Node[],
  rules: DrillRules,
): { readonly added: Node[]; readonly pairs: readonly (readonly [Node, Node, string])[]; readonly missing: readonly (readonly [Node, string])[] } {
  const byPlace = new Map<string, Node[]>()
  visit(text, node => {
    for (const key of keysOf(node)) byPlace.set(key, [...(byPlace.get(key) ?? []).slice(0, 31), node])
  })
  const used = new Set<Node>()
  const pairs: [Node, Node, string][] = []
  const missing: [Node, string][] = []
  const added: Node[] = []
  const look = (nodes: readonly Node[], path: string, isTop: boolean): void => {
    nodes.forEach((node, at) => {
      const name = `${path}.${at}`
      const candidates = keysOf(node).flatMap(key => byPlace.get(key) ?? [])
      const twin =
        candidates.find(each => !used.has(each) && agree(each, node, rules)) ?? candidates.find(each => !used.has(each) && sameHole(each, node))
      if (twin) {
        used.add(twin)
        pairs.push([node, twin, name])
      } else {
        missing.push([node, name])
        if (isTop) added.push(node)
      }
      look(node.children, `${name}.including`, false)
    })
  }
  look(given, 'intervals', true)
  return { added, pairs, missing }
}

const keysOf = (node: Node): string[] => [...(node.from === null ? [] : [`at ${canonical(node.from)}`]), `long ${canonical(node.length)}`]
const canonical = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal)
const sameHole = (a: Node, b: Node): boolean => a.raw.hole === null || b.raw.hole === null || a.raw.hole.toLowerCase() === b.raw.hole.toLowerCase()
const agree = (a: Node, b: Node, rules: DrillRules): boolean => sameHole(a, b) && differences(a, b, rules).length === 0

type Difference = Pick<Disagreement, 'field' | 'given_value' | 'text_value'>
/** Members that both give with different values. */
export function differences(text: Node, given: Node, rules: DrillRules): Difference[] {
  const found: Difference[] = []
  const compare = (field: string, ours: string | null, theirs: string | null): void => {
    if (ours !== null && theirs !== null && compareDecimals(ours, theirs) !== 0) found.push({ field, given_value: theirs, text_value: ours })
  }
  compare('length_m', text.length, given.length)
  compare('from_m', text.from, given.from)
  compare('to_m', text.to, given.to)
  const theirs = new Map(countedGrades(given, rules).map(({ name, normal }) => [name, normal.value]))
  for (const { name, normal } of countedGrades(text, rules)) compare(name, normal.value, theirs.get(name) ?? null)
  return found
}
