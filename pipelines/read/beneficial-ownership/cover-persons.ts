// The reporting persons of an unstructured document: the labels of their cover pages in order, and the value after each.
import type { Fact } from '../parsed.ts'
import { amountIn, fundsIn, percentIn, typesIn, type Value } from './amounts.ts'
import { boxesIn, tickedOf } from './boxes.ts'
import { type Label, type RowKind, rowKinds, rowNumbers, type Squeezed } from './labels.ts'
import { behindTails, nameIn } from './names.ts'

export type Page = { readonly labels: readonly Label[]; readonly start: number; readonly end: number }
export type Evidence = Fact<'ownership_persons'>['evidence'][number]
/** The state that a document's cover readers share. */
export type CoverText = {
  readonly text: string
  readonly squeezed: Squeezed
  readonly html: boolean
  readonly sourceOffset: (at: number) => number
}
export type PersonFacts = Omit<Fact<'ownership_persons'>, 'filing_id' | 'accession' | 'line' | 'issuer_key' | 'issuer_cik'>

const rank = (kind: RowKind): number => rowKinds.indexOf(kind)
const powers: readonly RowKind[] = ['sole_voting', 'shared_voting', 'sole_dispositive', 'shared_dispositive']
const amounts: readonly RowKind[] = [...powers, 'aggregate', 'percent', 'type']

/** The structured form allows a hundred persons; a document with more pages than this is not a Schedule. */
export const mostPages = 500
/** Greatest distance of a page's value after its last label. */
const longestValue = 1500

/**
 * The cover pages among the labels. A page begins with a name (or with the group's box, if a filer omitted that row), and its rows follow
 * in order; a label out of order is a sentence that uses its words. A page without two of its figures is dropped.
 */
export function pagesIn(labels: readonly Label[], length: number): Page[] {
  const pages: Label[][] = []
  let page: Label[] | null = null
  for (const label of labels) {
    const last: Label | undefined = page?.at(-1)
    const complete: boolean = page?.some(each => each.kind === 'aggregate' || each.kind === 'percent' || each.kind === 'type') ?? false
    // A power is named in many sentences; as a row it is at the head of its line or after its number.
    const isRow: boolean = label.heads || !powers.includes(label.kind)
    if (label.kind === 'name' || (label.kind === 'group' && (page === null || complete))) {
      page = [label]
      pages.push(page)
    } else if (page === null) {
      if (label.kind !== 'sole_voting' || label.number === null) continue
      page = [label]
      pages.push(page)
    } else if (last && isRow && rank(label.kind) > rank(last.kind) && last.kind !== 'type' && label.start - last.end < 20_000) page.push(label)
  }
  const behind = new Map(labels.map((label, at) => [label, labels[at + 1]]))
  return pages
    .filter(each => each.filter(label => amounts.includes(label.kind)).length >= 2)
    .slice(0, mostPages)
    .map(each => {
      const last = each.at(-1) as Label
      const limit = Math.min(behind.get(last)?.start ?? length, last.end + longestValue)
      return { labels: each, start: (each[0] as Label).start, end: limit }
    })
}

/** The facts of the persons on a cover page: one, or one for each column if a filer set several side by side. */
export function personsOn(page: Page, cover: CoverText): PersonFacts[] {
  const numbered = page.labels.filter(label => label.number !== null).length * 2 > page.labels.length
  const segments = new Map(page.labels.map((label, at) => [label.kind, segmentOf(page, at, cover, numbered)]))
  return columnsOf(segments).map((column, at) => personIn(column, cover, at > 0 ? ['beside_others'] : []))
}

type Segments = ReadonlyMap<RowKind, Segment>

/** The cells of a row after its label. */
function cellsOf({ text, start, label }: Segment): Segment[] {
  const [line = ''] = text.replace(/^\s*\n/, '').split('\n', 1)
  const from = text.indexOf(line)
  return [...line.matchAll(/[^\t]+/g)]
    .filter(match => /\w/.test(match[0]))
    .map(match => ({ text: match[0], start: start + from + match.index, label }))
}

/** Name, aggregate and percent have as many cells, two or more: then each column is a person. */
function columnsOf(segments: Segments): Segments[] {
  const cells = new Map([...segments].map(([kind, segment]) => [kind, cellsOf(segment)]))
  const count = cells.get('name')?.length ?? 0
  const isTable = count > 1 && (['aggregate', 'percent'] as const).every(kind => cells.get(kind)?.length === count)
  if (!isTable) return [segments]
  return Array.from({ length: count }, (_, column) => {
    const own = [...segments].map(([kind, segment]): [RowKind, Segment] => [
      kind,
      (cells.get(kind)?.length === count && cells.get(kind)?.[column]) || segment,
    ])
    return new Map(own)
  })
}

function personIn(segments: Segments, cover: CoverText, flags: string[]): PersonFacts {
  const evidence: Evidence[] = []
  const take = <T>(field: string, kind: RowKind, read: (segment: string, label: Label) => Value<T> | null): T | null => {
    const segment = segments.get(kind)
    if (segment === undefined) {
      return null
    }
    const value = read(segment.text, segment.label)
    if (value === null) {
      flags.push(`${field}_not_read`)
      return null
    }
    if (value.flag) flags.push(`${field}_${value.flag}`)
    const confidence = segment.label.heads ? value.confidence : Math.min(value.confidence, 0.8)
    evidence.push(evidenceOf(field, cover, segment.start + value.start, segment.start + value.end, confidence))
    return value.value
  }
  const amount = (field: 'sole_voting' | 'shared_voting' | 'sole_dispositive' | 'shared_dispositive' | 'aggregate'): string | null =>
    take(field, field, segment => amountIn(segment, rowNumbers[field]))
  const stacked = stackedPowers(segments, cover)
  const read = {
    name: take('name', 'name', segment => withoutFlag(nameIn(segment, !cover.html))),
    group_box: takeGroup(segments, cover, evidence),
    fund_sources: segments.has('funds') ? (fundsIn(segments.get('funds')?.text ?? '')?.value ?? []) : [],
    citizenship: take('citizenship', 'citizenship', segment => withoutFlag(firstLine(segment))),
    ...(stacked?.values ?? {
      sole_voting: amount('sole_voting'),
      shared_voting: amount('shared_voting'),
      sole_dispositive: amount('sole_dispositive'),
      shared_dispositive: amount('shared_dispositive'),
    }),
    aggregate: amount('aggregate'),
  }
  if (stacked) {
    evidence.push(...stacked.evidence)
    flags.push('powers_in_one_cell')
  }
  let percentPrinted: string | null = null
  const percent = take('percent', 'percent', segment => {
    const value = percentIn(segment)
    percentPrinted = value?.printed ?? null
    return value
  })
  const types = take('types', 'type', segment => typesIn(segment)) ?? []
  return {
    name: read.name,
    cik: null,
    no_cik: null,
    sole_voting: read.sole_voting,
    shared_voting: read.shared_voting,
    sole_dispositive: read.sole_dispositive,
    shared_dispositive: read.shared_dispositive,
    aggregate: read.aggregate,
    excludes_shares: tick(segments.get('excludes')?.text),
    percent,
    percent_printed: percentPrinted,
    types: [...types],
    citizenship: read.citizenship,
    group_box: read.group_box,
    fund_sources: [...read.fund_sources],
    legal_proceedings: tick(segments.get('legal')?.text),
    comment: null,
    confidence: Math.min(1, ...evidence.map(each => each.confidence)),
    evidence,
    flags,
  }
}

type Segment = { readonly text: string; readonly start: number; readonly label: Label }

/** The text between a label and the next one's row number. */
function segmentOf(page: Page, at: number, cover: CoverText, numbered: boolean): Segment {
  const label = page.labels[at] as Label
  const next = page.labels[at + 1]
  // Without numbers on the other rows, a figure before the next label is the value.
  const end = next === undefined ? page.end : numbered && next.number !== null ? next.number.start : next.start
  const start = label.kind === 'name' ? behindTails(cover.text, cover.squeezed, label.squeezedEnd, label.end) : label.end
  return { text: cover.text.slice(Math.min(start, end), Math.min(end, start + longestValue)), start, label }
}

export function evidenceOf(field: string, cover: CoverText, start: number, end: number, confidence: number): Evidence {
  const last = Math.max(start, end - 1)
  return {
    field,
    confidence,
    start: cover.sourceOffset(start),
    end: cover.sourceOffset(last) + 1,
    printed: cover.text.slice(start, end).replace(/\s+/g, ' ').slice(0, 200),
  }
}

const withoutFlag = <T>(value: { value: T; start: number; end: number; confidence: number } | null): Value<T> | null =>
  value && { ...value, flag: null }

/** The first line with text, as of row 4 or 6. */
function firstLine(segment: string): { value: string; start: number; end: number; confidence: number } | null {
  for (const match of segment.matchAll(/[^\n\t]+/g)) {
    const lead = /^[\s:.*_)|-]*/.exec(match[0])?.[0].length ?? 0
    const value = match[0]
      .slice(lead)
      .replace(/\s*(?:\s-\s-{3}|[_=-]{3,}|\(For questions|Number of shares beneficially).*$/i, '')
      .replace(/\s*(?:\(\d{1,2}\)|\*+)$/, '')
      .trim()
    if (/[A-Za-z]{2}/.test(value) && !/^\(?see instructions\)?$/i.test(value) && !/^number of$/i.test(value)) {
      const start = match.index + lead
      return { value: value.slice(0, 200), start, end: start + value.length, confidence: 0.95 }
    }
  }
  return null
}

function tick(segment: string | undefined): boolean | null {
  const [first] = boxesIn((segment ?? '').slice(0, 300))
  return first === undefined ? null : first.ticked
}

function takeGroup(segments: Segments, cover: CoverText, evidence: Evidence[]): 'a' | 'b' | null {
  const segment = segments.get('group')
  if (segment === undefined) return null
  const text = segment.text.slice(0, 400)
  const places = (['a', 'b'] as const).flatMap(name => {
    const at = text.search(name === 'a' ? /\(a\)|(?<!\w)a[.)](?!\w)/i : /\(b\)|(?<!\w)b[.)](?!\w)/i)
    return at < 0 ? [] : [{ name, start: at, end: at + 3 }]
  })
  const ticked = tickedOf(text, places)
  const [only] = ticked
  if (only === undefined || ticked.length > 1) return null
  evidence.push(evidenceOf('group_box', cover, segment.start + only.box.start, segment.start + only.box.end, 0.9))
  return only.name
}

/** The four labels in one cell and the four amounts in the next: all follow the last label, in order. */
function stackedPowers(segments: Segments, cover: CoverText) {
  const parts = powers.map(kind => segments.get(kind))
  const last = parts[3]
  if (last === undefined || parts.slice(0, 3).some(part => part === undefined || amountIn(part.text) !== null)) return null
  const found: { value: string; start: number; end: number }[] = []
  let from = 0
  while (found.length < 5) {
    const next = amountIn(last.text.slice(from))
    if (next === null || next.value === null) break
    found.push({ value: next.value, start: last.start + from + next.start, end: last.start + from + next.end })
    from += next.end
  }
  if (found.length !== 4) return null
  const values = Object.fromEntries(powers.map((kind, at) => [kind, found[at]?.value ?? null])) as Pick<
    PersonFacts,
    'sole_voting' | 'shared_voting' | 'sole_dispositive' | 'shared_dispositive'
  >
  return { values, evidence: found.map((each, at) => evidenceOf(powers[at] as string, cover, each.start, each.end, 0.6)) }
}
