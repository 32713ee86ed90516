// Elements of running text to intervals: a length with grades, grades over a length, or two depths with grades. Elements that cannot be
// matched are listed as unread, never guessed.
import { attachDepth, attachGrade, attachWidth, beginsInterval, isLengthOf, lengthBetween, unitAs, unreadGrade } from './attach.ts'
import { holeWords } from './holes.ts'
import { type FoundInterval, intervalAt } from './tied.ts'
import type { Token } from './tokens.ts'
import type { Element, RawInterval, Relation, Unread } from './types.ts'

export type ReadProse = { readonly intervals: RawInterval[]; readonly unread: Unread[] }

/** Where the reading of a text stands. */
type State = {
  readonly tokens: readonly Token[]
  readonly elements: readonly Element[]
  readonly intervals: RawInterval[]
  readonly unread: Unread[]
  /** Places of elements that an interval used. */
  readonly used: Set<number>
  hole: string | null
  /** The sentence mentions trenches or channels and no hole: its measurements are not of drilling. */
  onSurface: boolean
  /** A hole named in this sentence before its intervals, so that a later hole begins something new. */
  holeLeads: boolean
  relation: Relation
  /** Depths before their interval, in the same sentence. */
  waiting: Extract<Element, { kind: 'depth' }> | null
  ofSentence: RawInterval[]
  current: RawInterval | null
  /** The last interval is of this sentence: depths in it belong to that interval. */
  isOpen: boolean
  /** Results of `hole` were read. */
  hasResults: boolean
}

export function readProse(tokens: readonly Token[], elements: readonly Element[]): ReadProse {
  const state: State = {
    tokens,
    elements,
    intervals: [],
    unread: [],
    used: new Set(),
    hole: null,
    onSurface: false,
    holeLeads: false,
    relation: 'top',
    waiting: null,
    ofSentence: [],
    current: null,
    isOpen: false,
    hasResults: false,
  }
  for (const [at, element] of elements.entries()) if (!state.used.has(at)) readElement(state, element, at)
  return { intervals: state.intervals, unread: state.unread }
}

function readElement(state: State, element: Element, at: number): void {
  const { elements } = state
  switch (element.kind) {
    case 'hole':
      readHole(state, element)
      return
    case 'paragraph':
    case 'break':
    case 'stop':
      endSentence(state, element.kind)
      return
    case 'including':
      state.relation =
        elements[at - 1]?.kind === 'and' || (elements[at - 1]?.kind === 'comma' && elements[at - 2]?.kind === 'and') ? 'and_including' : 'including'
      return
    case 'within':
      state.relation = 'containing'
      return
    case 'and':
      if (state.relation === 'top' && leadsToLength(elements, at)) state.relation = 'and'
      return
    case 'angle':
      if (state.current) state.current.coreAngle ??= element.degrees
      return
    case 'depth':
    case 'length':
    case 'grade':
      readMeasure(state, element, at)
      return
    case 'word':
      if (surfaceWords.has(element.text) && !state.holeLeads) state.onSurface = true
      return
    default:
  }
}

function readHole(state: State, element: Extract<Element, { kind: 'hole' }>): void {
  if (element.trailing && !state.holeLeads && state.ofSentence.length > 0) {
    for (const each of state.ofSentence) each.hole = element.hole
    state.ofSentence = []
  } else {
    state.holeLeads = true
    state.relation = 'top'
    state.current = null
  }
  if (holeWords.has(state.tokens[element.at]?.text ?? '')) state.onSurface = false
  state.hole = element.hole
  state.hasResults = element.trailing && state.current !== null
}

/** The hole of a heading applies to what follows. Once its results are read, another paragraph belongs to no named hole. */
function endSentence(state: State, kind: 'paragraph' | 'break' | 'stop'): void {
  if (kind === 'paragraph' && state.hasResults) state.hole = null
  state.holeLeads = false
  state.onSurface = false
  state.isOpen = false
  state.waiting = null
  state.ofSentence = []
  if (kind === 'stop') state.relation = 'top'
}

function readMeasure(state: State, element: Extract<Element, { kind: 'depth' | 'length' | 'grade' }>, at: number): void {
  const { tokens, elements, used, unread, hole, relation, current } = state
  const open = state.isOpen ? current : null
  // If an interval without depths is followed by depths at a distance equal to its length, they belong to it in every case.
  if (element.kind === 'depth' && isLengthOf(element, current) && !beginsInterval(tokens, elements, at) && attachDepth(open, element)) return
  const found = intervalAt(elements, at, used)
  if (!found) {
    if (element.kind === 'depth') state.waiting = attachDepth(open, element) ? null : element.explicit ? element : state.waiting
    else if (element.kind === 'length') attachWidth(current, element, tokens, elements, at, unread)
    else if (!attachGrade(current, element, elements, at)) unread.push(unreadGrade(tokens, element))
    return
  }
  for (const each of found.used) used.add(each)
  state.relation = 'top'
  if (state.onSurface) {
    unread.push(surfaceSample(found))
    return
  }
  const interval = toInterval(found, relation === 'top' ? hole : (hole ?? current?.hole ?? null), relation, state.waiting)
  state.intervals.push(interval)
  state.ofSentence.push(interval)
  state.current = interval
  state.isOpen = true
  state.hasResults = true
  state.waiting = null
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
