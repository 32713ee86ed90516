// Elements of running text to intervals: a length with grades, grades over a length, or two depths with grades. Elements that cannot be
// matched are listed as unread, never guessed.
import { attachDepth, attachGrade, attachWidth, beginsInterval, isLengthOf, lengthBetween, unitAs, unreadGrade } from './attach.ts'
import { holeWords } from './holes.ts'
import { type FoundInterval, intervalAt } from './tied.ts'
import type { Token } from './tokens.ts'
import type { Element, RawInterval, Relation, Unread } from './types.ts'

export type ReadProse = { readonly intervals: RawInterval[]; readonly unread: Unread[] }

export function readProse(tokens: readonly Token[], elements: readonly Element[]): ReadProse {
  const intervals: RawInterval[] = []
  const unread: Unread[] = []
  const used = new Set<number>()
  let hole: string | null = null
  /** The sentence mentions trenches or channels and no hole: its measurements are not of drilling. */
  let onSurface = false
  /** A hole named in this sentence before its intervals, so that a later hole begins something new. */
  let holeLeads = false
  let relation: Relation = 'top'
  /** Depths before their interval, in the same sentence. */
  let waiting: Extract<Element, { kind: 'depth' }> | null = null
  let ofSentence: RawInterval[] = []
  let current: RawInterval | null = null
  /** The last interval is of this sentence: depths in it belong to that interval. */
  let isOpen = false
  /** Results of `hole` were read. */
  let hasResults = false

  for (let at = 0; at < elements.length; at++) {
    const element = elements[at] as Element
    if (used.has(at)) continue
    switch (element.kind) {
      case 'hole':
        if (element.trailing && !holeLeads && ofSentence.length > 0) {
          for (const each of ofSentence) each.hole = element.hole
          ofSentence = []
        } else {
          holeLeads = true
          relation = 'top'
          current = null
        }
        if (holeWords.has(tokens[element.at]?.text ?? '')) onSurface = false
        hole = element.hole
        hasResults = element.trailing && current !== null
        break
      case 'paragraph':
      case 'break':
      case 'stop':
        // The hole of a heading applies to what follows. Once its results are read, another paragraph belongs to no named hole.
        if (element.kind === 'paragraph' && hasResults) hole = null
        holeLeads = false
        onSurface = false
        isOpen = false
        waiting = null
        ofSentence = []
        if (element.kind === 'stop') relation = 'top'
        break
      case 'including':
        relation =
          elements[at - 1]?.kind === 'and' || (elements[at - 1]?.kind === 'comma' && elements[at - 2]?.kind === 'and') ? 'and_including' : 'including'
        break
      case 'within':
        relation = 'containing'
        break
      case 'and':
        if (relation === 'top' && leadsToLength(elements, at)) relation = 'and'
        break
      case 'angle':
        if (current) current.coreAngle ??= element.degrees
        break
      case 'depth':
      case 'length':
      case 'grade': {
        // If an interval without depths is followed by depths at a distance equal to its length, they belong to it in every case.
        if (
          element.kind === 'depth' &&
          isLengthOf(element, current) &&
          !beginsInterval(tokens, elements, at) &&
          attachDepth(isOpen ? current : null, element)
        )
          break
        const found = intervalAt(elements, at, used)
        if (!found) {
          if (element.kind === 'depth') waiting = attachDepth(isOpen ? current : null, element) ? null : element.explicit ? element : waiting
          else if (element.kind === 'length') attachWidth(current, element, tokens, elements, at, unread)
          else if (!attachGrade(current, element, elements, at)) unread.push(unreadGrade(tokens, element))
          break
        }
        if (onSurface) {
          for (const each of found.used) used.add(each)
          unread.push(surfaceSample(found))
          relation = 'top'
          break
        }
        const interval = toInterval(found, relation === 'top' ? hole : (hole ?? current?.hole ?? null), relation, waiting)
        intervals.push(interval)
        ofSentence.push(interval)
        for (const each of found.used) used.add(each)
        current = interval
        isOpen = true
        hasResults = true
        waiting = null
        relation = 'top'
        break
      }
      case 'word':
        if (surfaceWords.has(element.text) && !holeLeads) onSurface = true
        break
      default:
    }
  }
  return { intervals, unread }
}

const surfaceWords = new Set([
  'trench',
  'trenches',
  'trenching',
  'channel',
  'channels',
  'chip',
  'chips',
  'tranchée',
  'tranchées',
  'zanja',
  'zanjas',
  'trinchera',
])
function surfaceSample({ grades, length, depth }: FoundInterval): Unread {
  const spans = [...grades.map(grade => grade.span), ...(length ? [length.length.span] : []), ...(depth ? [depth.from.span] : [])]
  return {
    reason: 'surface_sample',
    span: { start: Math.min(...spans.map(span => span.start)), end: Math.max(...spans.map(span => span.end)) },
    detail: 'a trench or channel, no drill interval',
  }
}

function toInterval(found: FoundInterval, hole: string | null, relation: Relation, waiting: Extract<Element, { kind: 'depth' }> | null): RawInterval {
  const depth = found.depth ?? waiting
  const length = found.length
  const from = depth ? unitAs(depth.from, length?.length) : null
  const to = depth?.to ?? null
  const computed = !length && from && to ? lengthBetween(from, to) : null
  const spans = [length?.length.span, from?.span, ...found.grades.map(grade => grade.span)].filter(span => span !== undefined)
  return {
    hole,
    length: length?.length ?? computed,
    isTrueWidth: length?.isTrue ?? false,
    from,
    to,
    trueWidth: found.trueWidth,
    coreAngle: found.angle,
    grades: found.grades,
    relation,
    origin: 'text',
    span: { start: Math.min(...spans.map(span => span.start)), end: Math.max(...spans.map(span => span.end)) },
  }
}

/** `and` shortly before a length: a new interval follows. */
function leadsToLength(elements: readonly Element[], at: number): boolean {
  for (let next = at + 1; next < at + 5; next++) {
    const kind = elements[next]?.kind
    if (kind === 'length' || kind === 'depth') return true
    if (kind !== 'word' && kind !== 'ties') return false
  }
  return false
}
