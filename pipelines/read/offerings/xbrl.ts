// XBRL of a registration statement: facts inline in the document (`ix:nonFraction`), or in a separate instance (EX-101.INS). Facts with a
// dimension are parts of something else, and concepts without a name in `line-items.ts` are left to the tables.
import { daysBetween } from '#schemas/days.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { decodeEntities } from '#warehouse/documents/prose/entities.ts'
import type { Submission } from '../filings/sgml.ts'
import type { Fact } from '../parsed.ts'
import { plainNumber, shifted } from './amounts.ts'
import type { Filed } from './financials.ts'
import { lineItemOfConcept } from './line-items.ts'

type Financial = Fact<'offering_financials'>
type Context = { readonly start: string | null; readonly end: string }
type Unit = { readonly unit: 'currency' | 'per_share' | 'shares'; readonly currency: string | null }

const mostFacts = 20_000

/** Elements of a local name, by position: attributes, content, offset. Nested elements of the same name are not searched. */
function* elements(source: string, name: string): Generator<{ attributes: string; content: string; start: number; end: number }> {
  const opening = new RegExp(`<((?:[\\w.-]{1,40}:)?${name})(?=[\\s>/])`, 'gi')
  for (let match = opening.exec(source); match !== null; match = opening.exec(source)) {
    const close = source.indexOf('>', match.index)
    if (close < 0) return
    const attributes = source.slice(match.index + match[0].length, close)
    if (attributes.endsWith('/')) continue
    const end = source.indexOf(`</${match[1]}`, close)
    if (end < 0) return
    yield { attributes, content: source.slice(close + 1, end), start: match.index, end }
    opening.lastIndex = end
  }
}
const attributeOf = (attributes: string, name: string): string | null =>
  new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']{0,400})["']`, 'i').exec(attributes.slice(0, 4000))?.[1] ?? null
const textOf = (content: string, name: string): string | null =>
  new RegExp(`<(?:[\\w.-]{1,40}:)?${name}(?:\\s[^>]{0,200})?>\\s*([^<]{1,80}?)\\s*<`, 'i').exec(content.slice(0, 8000))?.[1] ?? null
const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d/.test(text)

function contextsOf(source: string): Map<string, Context> {
  const found = new Map<string, Context>()
  for (const { attributes, content } of elements(source, 'context')) {
    const id = attributeOf(attributes, 'id')
    if (id === null || /explicitMember|typedMember/i.test(content)) continue
    const [start, end] = [textOf(content, 'startDate'), textOf(content, 'endDate') ?? textOf(content, 'instant')]
    if (isDay(end)) found.set(id, { start: isDay(start) ? start.slice(0, 10) : null, end: end.slice(0, 10) })
  }
  return found
}

function unitsOf(source: string): Map<string, Unit> {
  const found = new Map<string, Unit>()
  for (const { attributes, content } of elements(source, 'unit')) {
    const id = attributeOf(attributes, 'id')
    if (id === null) continue
    const currency = /iso4217:([A-Z]{3})/.exec(content)?.[1] ?? null
    const shares = /(?:^|[>:\s])shares\b/i.test(content)
    if (currency !== null) found.set(id, { unit: shares ? 'per_share' : 'currency', currency })
    else if (shares) found.set(id, { unit: 'shares', currency: null })
  }
  return found
}

/** Whole months between two days of a period, both included; null if they are not whole months. */
export function monthsBetween(start: string, end: string): number | null {
  const days = daysBetween(start, end) + 1
  const months = Math.round(days / 30.4375)
  return Math.abs(days - months * 30.4375) <= 8 && months > 0 ? months : null
}

type Read = {
  readonly concept: string
  readonly value: string
  readonly context: Context
  readonly unit: Unit
  readonly start: number
  readonly end: number
}

function rowOf(read: Read, filed: Filed): Financial {
  const { accession, cik, form, filed_date } = filed
  const months = read.context.start === null ? null : monthsBetween(read.context.start, read.context.end)
  return {
    accession,
    cik,
    form,
    filed_date,
    line: 0,
    taken_from: 'xbrl',
    table_number: null,
    label: read.concept,
    line_item: lineItemOfConcept(read.concept.slice(read.concept.indexOf(':') + 1)),
    non_gaap: false,
    basis: 'actual',
    period_start: read.context.start,
    period_end: read.context.end,
    period_months: months,
    column_heading: read.context.start === null ? read.context.end : `${read.context.start} to ${read.context.end}`,
    value: read.value,
    unit: read.unit.unit,
    scale: 1,
    currency: read.unit.currency,
    audited: null,
    difference: null,
    flags: [],
    start: read.start,
    end: read.end,
  }
}

/** The same fact occurs at several positions of a document: it is used once. */
function oncePerFact(rows: readonly Financial[]): Financial[] {
  const seen = new Set<string>()
  return rows.filter(row => {
    const key = [row.label, row.period_start, row.period_end, row.unit, row.currency, row.value].join(' ')
    return !seen.has(key) && seen.add(key).size > 0
  })
}

/** Inline facts of one document: `-` by their sign, shifted by their scale. */
export function inlineFacts(source: string, filed: Filed): Financial[] {
  if (!/<ix:nonFraction\b/i.test(source)) return []
  const [contexts, units] = [contextsOf(source), unitsOf(source)]
  const rows: Financial[] = []
  for (const { attributes, content, start, end } of elements(source, 'nonFraction')) {
    if (rows.length >= mostFacts) break
    const concept = attributeOf(attributes, 'name') ?? ''
    const context = contexts.get(attributeOf(attributes, 'contextRef') ?? '')
    const unit = units.get(attributeOf(attributes, 'unitRef') ?? '')
    if (!context || !unit || lineItemOfConcept(concept.slice(concept.indexOf(':') + 1)) === null) continue
    const printed = decodeEntities(content.replace(/<[^>]{0,2000}>/g, '')).trim()
    const zero = /zerodash|fixed-zero|numdash/i.test(attributeOf(attributes, 'format') ?? '')
    const digits = zero ? '0' : /^\(?\s*(\d{1,3}(?:,\d{3}){1,9}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*\)?$/.exec(printed)?.[1]
    const scale = Number(attributeOf(attributes, 'scale') ?? 0)
    if (digits === undefined || !Number.isInteger(scale) || scale < 0 || scale > 12) continue
    const value = shifted(plainNumber(digits), scale)
    rows.push(
      rowOf({ concept, value: attributeOf(attributes, 'sign') === '-' && value !== '0' ? `-${value}` : value, context, unit, start, end }, filed),
    )
  }
  return oncePerFact(rows)
}

/** Facts of the instance among a submission's documents; none if it has none. */
export function instanceFacts({ documents }: Submission, filed: Filed): Financial[] {
  const part = documents.find(each => /^EX-101\.INS/i.test(each.type) || (each.wrapper === 'XBRL' && /_htm\.xml$/i.test(each.filename ?? '')))
  if (!part) return []
  const source = decodeText(part.bytes)
  const [contexts, units] = [contextsOf(source), unitsOf(source)]
  const rows: Financial[] = []
  const fact = /<((?:us-gaap|ifrs-full):\w{1,200})\s([^>]{0,2000})>([^<]{0,60})<\/\1/g
  for (const match of source.matchAll(fact)) {
    if (rows.length >= mostFacts) break
    const [all, concept = '', attributes = '', printed = ''] = match
    const context = contexts.get(attributeOf(attributes, 'contextRef') ?? '')
    const unit = units.get(attributeOf(attributes, 'unitRef') ?? '')
    const value = /^-?\d+(?:\.\d+)?$/.test(printed.trim()) ? printed.trim().replace(/^(-?)0+(?=\d)/, '$1') : null
    if (!context || !unit || value === null || lineItemOfConcept(concept.slice(concept.indexOf(':') + 1)) === null) continue
    rows.push(rowOf({ concept, value, context, unit, start: match.index, end: match.index + all.length }, filed))
  }
  return oncePerFact(rows)
}
