// Intervals in order to a tree: `including` opens a part of the last one, `and including` another part of the same whole, `and` a new
// whole. If depths contradict the words, the depths win.
import { compareDecimals, sumOf } from '#schemas/decimals.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import type { Grade, RawInterval, Span } from './types.ts'
import { gradeName, metresOf, normalGrade, tidy } from './units.ts'

export type Node = {
  raw: RawInterval
  parent: Node | null
  readonly children: Node[]
  /** In metres. */
  length: string
  from: string | null
  to: string | null
  /** Other places where the text repeats the interval. */
  readonly mentions: Span[]
}
/** Limit for parts of parts: no release nests deeper. */
const deepest = 8
const mostMentions = 20

export function nodeOf(raw: RawInterval, rules: DrillRules): Node | null {
  if (!raw.length) return null
  const metres = (length: RawInterval['from']): string | null => length && metresOf(length, rules)
  return { raw, parent: null, children: [], length: metresOf(raw.length, rules), from: metres(raw.from), to: metres(raw.to), mentions: [] }
}

/** The whole intervals, each with its parts, in the order of the text. */
export function treeOf(intervals: readonly RawInterval[], rules: DrillRules): Node[] {
  const roots: Node[] = []
  let last: Node | null = null
  for (const raw of intervals) {
    const node = nodeOf(raw, rules)
    if (!node) continue
    if (last && raw.relation === 'containing' && roots.at(-1) === last && sameHole(last, node) && fits(node, last)) {
      // `0.9 m @ 40 g/t within 6.1 m @ 7 g/t`: the whole follows its part.
      roots[roots.length - 1] = node
      node.children.push(last)
      last.parent = node
      last = node
      continue
    }
    const parent = last && sameHole(last, node) ? parentOf(node, last) : null
    if (parent) {
      node.parent = parent
      parent.children.push(node)
    } else roots.push(node)
    last = node
  }
  nameMetals(roots)
  return withoutRepeats(roots, rules)
}

const sameHole = (a: Node, b: Node): boolean => a.raw.hole === null || b.raw.hole === null || a.raw.hole === b.raw.hole
function ancestors(node: Node): Node[] {
  const path: Node[] = []
  for (let each: Node | null = node; each; each = each.parent) path.push(each)
  return path
}

function parentOf(node: Node, last: Node): Node | null {
  const path = ancestors(last)
  const root = path.at(-1) as Node
  const { relation, origin } = node.raw
  const byDepth = path.find(each => contains(each, node) && depthOf(each) < deepest)
  if (relation === 'top' || relation === 'and' || relation === 'containing') {
    // If its depths are inside those of the previous interval, it is a part of that interval, even without the word.
    return (origin === 'table' || relation === 'and') && byDepth && !sameDepths(byDepth, node) ? byDepth : null
  }
  if (byDepth && !(relation === 'and_including' && sameDepths(byDepth, node))) return byDepth
  const from = relation === 'and_including' ? (last.parent ?? last) : origin === 'table' && !node.from ? root : last
  const fitting = ancestors(from).find(each => fits(each, node) && depthOf(each) < deepest)
  return fitting ?? root
}
const depthOf = (node: Node): number => ancestors(node).length

/** Both have depths, and those of `inner` are within those of `outer`. */
function contains(outer: Node, inner: Node): boolean {
  const [from, to] = [inner.from, endOf(inner)]
  const [begin, end] = [outer.from, endOf(outer)]
  if (from === null || to === null || begin === null || end === null) return false
  return compareDecimals(begin, from) <= 0 && compareDecimals(to, end) <= 0
}
/** As printed, else calculated from its length. */
const endOf = (node: Node): string | null => node.to ?? (node.from && sumOf([node.from, node.length]))
const sameDepths = (a: Node, b: Node): boolean => contains(a, b) && contains(b, a)
/** No longer than the whole, and the depths do not contradict it. */
export function fits(outer: Node, inner: Node): boolean {
  if (compareDecimals(inner.length, outer.length) > 0) return false
  if (inner.from !== null && outer.from !== null && compareDecimals(inner.from, outer.from) < 0) return false
  if (inner.from !== null && outer.to !== null && compareDecimals(inner.from, outer.to) >= 0) return false
  return !(inner.to !== null && outer.to !== null && compareDecimals(inner.to, outer.to) > 0)
}

/** `incl. 2 m @ 10 g/t`: the metal in which the whole is given, or the only one that the text uses with that unit. */
function nameMetals(roots: readonly Node[]): void {
  const named = new Map<string, Set<string>>()
  visit(roots, node => {
    for (const grade of node.raw.grades)
      if (grade.metal) named.set(grade.unit, (named.get(grade.unit) ?? new Set()).add(`${grade.metal} ${grade.equivalent}`))
  })
  visit(roots, node => {
    if (node.raw.grades.every(grade => grade.metal)) return
    node.raw = {
      ...node.raw,
      grades: node.raw.grades.map(grade => {
        if (grade.metal) return grade
        const whole = ancestors(node)
          .flatMap(each => each.raw.grades)
          .find(each => each.metal !== null && each.unit === grade.unit)
        if (whole) return { ...grade, metal: whole.metal, equivalent: whole.equivalent }
        const known = [...(named.get(grade.unit) ?? [])]
        const [metal = null, equivalent] = known.length === 1 ? (known[0] as string).split(' ') : []
        return { ...grade, metal, equivalent: equivalent === 'true' }
      }),
    }
  })
}

export function visit(nodes: readonly Node[], look: (node: Node) => void): void {
  for (const node of nodes) {
    look(node)
    visit(node.children, look)
  }
}

/** Length and grades, which a headline, a sentence and a table repeat. */
function keyOf(node: Node, rules: DrillRules): string {
  const unit = node.raw.length?.unit ?? 'm'
  const grades = node.raw.grades.map(grade => `${gradeName(grade)} ${tidy(normalGrade(grade, unit, rules)?.value ?? `${grade.value}${grade.unit}`)}`)
  return `${tidy(node.length)} ${grades[0]}`
}
const hasPlace = (node: Node): boolean => node.raw.hole !== null || node.from !== null
/** The same interval in all parts that both state: each supplies what the other omits. */
function isRepeat(a: Node, b: Node): boolean {
  if (!hasPlace(a) && !hasPlace(b)) return false
  if (!sameHole(a, b) || (a.from !== null && b.from !== null && compareDecimals(a.from, b.from) !== 0)) return false
  // Two equal results of one hole without depths: there is no evidence that they are one.
  return a.from !== null || b.from !== null || a.raw.origin !== b.raw.origin || a.raw.hole === null || b.raw.hole === null
}

function withoutRepeats(roots: readonly Node[], rules: DrillRules): Node[] {
  const seen = new Map<string, Node[]>()
  const kept: Node[] = []
  let held: Map<string, Node[]> | null = null
  const find = (node: Node): Node | undefined => seen.get(keyOf(node, rules))?.find(each => isRepeat(each, node))
  const remember = (node: Node): void => {
    const key = keyOf(node, rules)
    const held = seen.get(key) ?? []
    // Of many equal results only the first are compared, so the time stays linear.
    if (held.length < 32) seen.set(key, [...held, node])
  }
  for (const root of roots) {
    const twin = find(root)
    if (twin && (root.children.length === 0 || twin.parent === null)) merge(twin, root, rules)
    else {
      kept.push(root)
      visit([root], remember)
    }
  }
  return kept.filter(root => !isPart(root))

  /** A result that a sentence states without others, and that a table lists as a part with depths. */
  function isPart(root: Node): boolean {
    if (root.children.length > 0 || root.from !== null) return false
    const part = parts()
      .get(keyOf(root, rules))
      ?.find(each => each !== root && each.raw.hole !== null && each.raw.hole === root.raw.hole)
    if (part) merge(part, root, rules)
    return part !== undefined
  }
  function parts(): Map<string, Node[]> {
    if (held) return held
    held = new Map()
    visit(kept, node => {
      const key = keyOf(node, rules)
      if (node.parent && node.from !== null) held?.set(key, [...(held.get(key) ?? []).slice(0, 31), node])
    })
    return held
  }
}

/** Adds the second mention's hole, depths, true width, other metals and parts. */
function merge(into: Node, other: Node, rules: DrillRules): void {
  const grades: Grade[] = other.raw.grades.filter(
    grade => !into.raw.grades.some(each => gradeName(each) === gradeName(grade) && each.capped === grade.capped),
  )
  into.raw = {
    ...into.raw,
    hole: into.raw.hole ?? other.raw.hole,
    from: into.raw.from ?? other.raw.from,
    to: into.raw.to ?? other.raw.to,
    trueWidth: into.raw.trueWidth ?? other.raw.trueWidth,
    coreAngle: into.raw.coreAngle ?? other.raw.coreAngle,
    grades: [...into.raw.grades, ...grades],
  }
  into.from ??= other.from
  into.to ??= other.to
  if (other.raw.span && into.mentions.length < mostMentions) into.mentions.push(other.raw.span)
  for (const child of other.children) {
    const twin = into.children.find(each => keyOf(each, rules) === keyOf(child, rules) && sameHole(each, child))
    if (twin) merge(twin, child, rules)
    else if (into.children.length < 200) {
      child.parent = into
      into.children.push(child)
    }
  }
}
