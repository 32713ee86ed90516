// Converts the answer of an operation into the result of a tool: the requested members with their digits, text of filers apart, shortened
// to a number of tokens, with a summary of what was left out.
import { BadRequest } from '#schemas/errors.ts'
import { parseExactly } from '#schemas/exact-number.ts'
import type { OperationOutcome } from '#schemas/operation-calls.ts'
import { printable } from '#schemas/operations/parameters.ts'
import type { Operation } from '#schemas/operations.ts'
import { nearest } from '../plugins/nearest.ts'
import { estimateTokens } from './tokens.ts'

type Answer = Extract<OperationOutcome, { ok: true }>
type Members = Record<string, unknown>
/** What was left out of one array or text, with the range of each dated or numeric member of the missing part. */
type Cut = {
  readonly path: string
  shown: number
  readonly of: number
  left_out?: Readonly<Record<string, { readonly min: unknown; readonly max: unknown }>>
  /** Arguments that return the rest of a series, for operations without a cursor. */
  continue_with?: Readonly<Record<string, unknown>>
}
export type Shaped = {
  readonly structured: Members
  readonly text: string
  /** Rows of the main array that are shown, if it was shortened; null if all rows are shown. */
  readonly rowsShown: number | null
  /** The cut of the main array, also if fewer rows were requested; null if it is complete. */
  readonly rowCut: Cut | null
}
export type Shaping = {
  readonly title: string
  readonly operation: Operation
  readonly fields: readonly string[] | null
  readonly defaultFields: readonly string[] | null
  readonly maxTokens: number
  /** Further members, such as what a name was resolved to. */
  readonly more?: Members
  /** The cut of the main array, if fewer rows were requested. */
  readonly before?: Cut | null
}

/** Members of every answer that `fields` never removes. */
const kept = ['as_of', 'release', 'sources', 'receipt_id', 'unsigned_reason', 'next_cursor', 'count', 'stale', 'freshness', 'coverage_note']
const sourcesShown = 4
const textRows = 4
/** Maximum length of a filer's text at the default size of a result; it grows with `max_tokens`. */
const quoteLength = 700
/** Maximum length of other text. */
const noteLength = 600
/** Appended to a text that was shortened. */
export const cutMark = ' [cut]'
/** Tokens of the frame around body and text. */
const frameTokens = 200

/**
 * Converts an answer into the result of a tool. Throws `BadRequest` for fields that the rows do not have, and if not even one row fits
 * `maxTokens`.
 */
export function shapeResult(answer: Answer, shaping: Shaping): Shaped {
  const { operation, maxTokens } = shaping
  const whole = parseKeepingDigits(answer.text)
  const body = project(whole, shaping)
  const rows = operation.rows === null ? undefined : body[operation.rows]
  const held = Array.isArray(rows) ? rows.length : 0
  const cuts: Cut[] = shaping.before ? [{ ...shaping.before, shown: held }] : []
  // A single requested section is shown as long as the result allows; quotations in lists are shortened.
  const scale = maxTokens / 8000
  const quoted = operation.id === 'get_filing_sections' ? 3 * maxTokens : quoteLength * scale
  const separated = separate(body, new Set(operation.quoted_members), Math.floor(quoted), Math.floor(noteLength * scale)) as Members
  const sources = separated['sources']
  if (Array.isArray(sources) && sources.length > sourcesShown) {
    cuts.push({ path: 'sources', shown: sourcesShown, of: sources.length })
    separated['sources'] = sources.slice(0, sourcesShown)
  }
  const names = operation.filer_names.filter(name => answer.text.includes(`"${name}":`))
  const framed: Members = { ...shaping.more, ...separated, ...(names.length === 0 ? {} : { untrusted_members: names }), url: answer.url }
  const text = describe(answer, framed, shaping)
  const budget = maxTokens - estimateTokens(text) - frameTokens
  const over = cutToTokens(framed, budget, cuts)
  if (over > 0) throw tooSmall(maxTokens, maxTokens + over)
  const rowCut = cuts.find(each => each.path === operation.rows) ?? null
  if (rowCut) noteRest(rowCut, operation, framed)
  if (cuts.length > 0) framed['truncated'] = cuts
  const shownText = cuts.length > 0 ? `${text}\n${describeCuts(cuts, framed['next_cursor'] !== undefined && framed['next_cursor'] !== null)}` : text
  return { structured: framed, text: shownText, rowsShown: rowCut && rowCut.shown < held ? rowCut.shown : null, rowCut }
}

/** The arguments that return the rest of a series by date, if its operation has no cursor. */
function noteRest(cut: Cut, { question, rows }: Operation, body: Members): void {
  const left = cut.left_out?.['date']
  if (!left || 'cursor' in question.shape || !('from' in question.shape && 'to' in question.shape)) return
  const shown = rows === null ? undefined : body[rows]
  const last = Array.isArray(shown) ? shown.at(-1) : undefined
  if (!isMembers(last) || !isOrdered(last['date'])) return
  cut.continue_with = orderOf(last['date']) < orderOf(left.min) ? { from: left.min } : { to: left.max }
}

function tooSmall(maxTokens: number, needed: number): BadRequest {
  const enough = Math.ceil(needed / 100) * 100
  return new BadRequest(`one row of this result needs about ${enough} tokens, max_tokens is ${maxTokens}`, {
    hint: `raise max_tokens to ${enough} or more, or name members with fields`,
  })
}

/** JSON whose numbers keep their printed digits. */
function parseKeepingDigits(text: string): Members {
  const plain = JSON.parse(text) as Members
  // If JavaScript prints every number of the answer with the same digits, plain values are used; they are ten times as fast to read.
  return JSON.stringify(plain) === text ? plain : (parseExactly(text) as Members)
}

function project(body: Members, { operation, fields, defaultFields }: Shaping): Members {
  const wanted = fields ?? defaultFields
  if (wanted === null) return body
  const rows = operation.rows === null ? null : body[operation.rows]
  const list = Array.isArray(rows) ? rows : []
  const known = [...new Set(list.slice(0, 50).flatMap(row => (isMembers(row) ? Object.keys(row) : [])))]
  const inRows = wanted.filter(name => known.includes(name))
  const onTop = wanted.filter(name => Object.hasOwn(body, name) && !inRows.includes(name))
  const odd = fields?.find(name => !inRows.includes(name) && !onTop.includes(name))
  // Without rows, the names of their members are unknown.
  if (odd !== undefined && (operation.rows === null || known.length > 0)) throw unknownField(odd, known.length > 0 ? known : Object.keys(body))
  const shown = inRows.length > 0 ? { ...body, [operation.rows as string]: list.map(row => (isMembers(row) ? pick(row, inRows) : row)) } : body
  return onTop.length === 0 ? shown : pick(shown, [...onTop, ...(inRows.length > 0 ? [operation.rows as string] : []), ...kept])
}

function unknownField(name: string, known: readonly string[]): BadRequest {
  const near = nearest(name, known)
  return new BadRequest(`fields: there is no member "${printable(name)}"`, {
    hint: `${near === null ? '' : `did you mean ${near}? `}members are ${known.join(', ').slice(0, 1500)}`,
  })
}

function pick(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)))
}

/** A copy with the text of filers in `untrusted_text`, and every text shortened to its limit. */
function separate(value: unknown, quoted: ReadonlySet<string>, quoteLimit: number, noteLimit: number): unknown {
  if (Array.isArray(value)) return value.map(each => separate(each, quoted, quoteLimit, noteLimit))
  if (typeof value === 'string') return shorten(value, noteLimit)
  if (!isMembers(value)) return value
  const plain: Members = {}
  const apart: Members = {}
  for (const [name, member] of Object.entries(value)) {
    if (name === 'untrusted_text' && typeof member === 'string') plain[name] = shorten(member, quoteLimit)
    else if (quoted.has(name) && typeof member === 'string') apart[name] = shorten(member, quoteLimit)
    else if (quoted.has(name) && isTexts(member)) apart[name] = member.map(each => (each === null ? null : shorten(each, quoteLimit)))
    else plain[name] = separate(member, quoted, quoteLimit, noteLimit)
  }
  // An existing member of this name is text of the same filer.
  if (Object.keys(apart).length > 0)
    plain['untrusted_text'] = plain['untrusted_text'] === undefined ? apart : { ...apart, text: plain['untrusted_text'] }
  return plain
}

/** A list of texts; an empty table cell is null. */
const isTexts = (value: unknown): value is readonly (string | null)[] =>
  Array.isArray(value) && value.some(each => typeof each === 'string') && value.every(each => typeof each === 'string' || each === null)

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = text.charCodeAt(limit - 1) >= 0xd800 && text.charCodeAt(limit - 1) <= 0xdbff ? limit - 1 : limit
  return `${text.slice(0, end)} [cut: ${text.length - end} more characters]`
}

type Place = { readonly holder: Members | unknown[]; readonly key: string | number; readonly path: string; readonly tokens: number }

/**
 * Shortens the largest array or text repeatedly until the body fits; one entry of each array stays. Returns the number of tokens above the
 * limit, or 0. Each round removes at least one entry, so it ends.
 */
function cutToTokens(body: Members, budget: number, cuts: Cut[]): number {
  for (let round = 0; round < 200; round += 1) {
    const tokens = estimateTokens(JSON.stringify(body)) + cutTokens(cuts)
    if (tokens <= budget) return 0
    const largest = largestIn(body)
    if (!largest) break
    const { holder, key, path } = largest
    const value = (holder as Record<string | number, unknown>)[key]
    // The tokens that remain for this array, with a small reserve, and at least one entry fewer than before; one entry stays.
    const share = Math.max(0, ((budget - (tokens - largest.tokens)) / largest.tokens) * 0.95)
    if (Array.isArray(value)) {
      const shown = Math.max(1, Math.min(value.length - 1, Math.floor(value.length * share)))
      const left = value.slice(shown)
      ;(holder as Record<string | number, unknown>)[key] = value.slice(0, shown)
      noteCut(cuts, path, shown, value.length, left)
    } else if (typeof value === 'string') {
      const shown = Math.min(value.length - 1, Math.floor(value.length * share))
      ;(holder as Record<string | number, unknown>)[key] = `${value.slice(0, shown)}${cutMark}`
      noteCut(cuts, path, shown, value.length, [])
    }
  }
  // The ranges of the omitted part are removed last.
  for (const cut of cuts) delete cut.left_out
  return Math.max(0, estimateTokens(JSON.stringify(body)) + cutTokens(cuts) - budget)
}

function noteCut(cuts: Cut[], path: string, shown: number, of: number, left: readonly unknown[]): void {
  const before = cuts.find(each => each.path === path)
  const left_out = rangesOf(left)
  if (before) {
    before.shown = shown
    const both = merged(before.left_out, left_out)
    if (Object.keys(both).length > 0) before.left_out = both
  } else if (cuts.length < 12) cuts.push({ path, shown, of, ...(left_out ? { left_out } : {}) })
}
const cutTokens = (cuts: readonly Cut[]): number => (cuts.length === 0 ? 0 : estimateTokens(JSON.stringify(cuts)))

/** The path of the largest array with entries, or of a text of more than 200 characters if no array is left. */
function largestIn(body: Members): Place | null {
  let array: Place | null = null
  let text: Place | null = null
  const walk = (holder: Members | unknown[], path: string): void => {
    for (const [name, value] of Object.entries(holder)) {
      const key = Array.isArray(holder) ? Number(name) : name
      const at = Array.isArray(holder) ? `${path}[]` : path === '' ? name : `${path}.${name}`
      if (Array.isArray(value) && value.length > 0) {
        const tokens = estimateTokens(JSON.stringify(value))
        // A single row that is too long is shortened inside.
        if (value.length > 1 && (array === null || tokens > array.tokens)) array = { holder, key, path: at, tokens }
        walk(value, at)
      } else if (isMembers(value)) walk(value, at)
      else if (typeof value === 'string' && value.length > 200) {
        const tokens = estimateTokens(value)
        if (text === null || tokens > text.tokens) text = { holder, key, path: at, tokens }
      }
    }
  }
  walk(body, '')
  return array ?? text
}

type Ranges = NonNullable<Cut['left_out']>
/** The smallest and largest value of each dated or numeric member of the rows, at most six members. */
function rangesOf(rows: readonly unknown[]): Ranges | undefined {
  const ranges: Record<string, { min: unknown; max: unknown }> = {}
  for (const row of rows) {
    if (!isMembers(row)) continue
    for (const [name, value] of Object.entries(row)) {
      if (!isOrdered(value)) continue
      const held = ranges[name]
      if (!held) {
        if (Object.keys(ranges).length < 6) ranges[name] = { min: value, max: value }
      } else {
        if (orderOf(value) < orderOf(held.min)) held.min = value
        if (orderOf(value) > orderOf(held.max)) held.max = value
      }
    }
  }
  return Object.keys(ranges).length === 0 ? undefined : ranges
}
function merged(a: Ranges | undefined, b: Ranges | undefined): Ranges {
  const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])].slice(0, 6)
  return Object.fromEntries(
    names.map(name => {
      const both = [a?.[name], b?.[name]].filter(each => each !== undefined)
      const [min] = both.map(each => each.min).sort((x, y) => (orderOf(x) < orderOf(y) ? -1 : 1))
      const [max] = both.map(each => each.max).sort((x, y) => (orderOf(x) > orderOf(y) ? -1 : 1))
      return [name, { min, max }]
    }),
  )
}
const dated = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/
const isNumber = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'object' && value !== null && 'rawJSON' in value)
const isOrdered = (value: unknown): boolean => isNumber(value) || (typeof value === 'string' && dated.test(value))
const orderOf = (value: unknown): number =>
  typeof value === 'string' ? Date.parse(value) : Number(typeof value === 'number' ? value : (value as { rawJSON: string }).rawJSON)

/** An object of members; a number that keeps its digits does not count. */
function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('rawJSON' in value)
}

/** A few lines for clients that show only text. They contain no text of filers. */
function describe(answer: Answer, body: Members, { title, operation, more }: Shaping): string {
  const names = operation.filer_names
  const rows = operation.rows === null ? undefined : body[operation.rows]
  const lines = [
    `${title}: ${answer.name.slice(0, 300)}`,
    `as of ${answer.as_of ?? String(body['as_of'] ?? 'unknown')}, release ${answer.release ?? 'none'}${answer.receipt_id ? `, receipt ${answer.receipt_id}` : ', unsigned'}`,
  ]
  if (more?.['resolved']) lines.push(`name resolved: ${JSON.stringify(more['resolved'])}`)
  if (Array.isArray(rows)) {
    lines.push(`${rows.length} ${operation.rows}${body['next_cursor'] ? ', more with next_cursor' : ''}`)
    for (const row of rows.slice(0, textRows)) if (isMembers(row)) lines.push(`- ${rowLine(row, names)}`)
  } else lines.push(rowLine(body, names))
  return lines.join('\n')
}

/** Names that a filer wrote are in quotation marks. */
function rowLine(row: Members, names: readonly string[]): string {
  const shown = Object.entries(row).filter(
    ([name, value]) =>
      value !== null &&
      !kept.includes(name) &&
      (isNumber(value) || (typeof value !== 'object' && String(value).length <= 60)) &&
      name !== 'untrusted_text',
  )
  return shown
    .slice(0, 10)
    .map(([name, value]) => `${name} ${typeof value === 'string' && !names.includes(name) ? value : JSON.stringify(value)}`)
    .join(', ')
}

function describeCuts(cuts: readonly Cut[], hasCursor: boolean): string {
  const each = cuts.map(({ path, shown, of, left_out, continue_with }) => {
    const dates = left_out?.['date']
    const range = dates ? `, without those of ${String(dates.min)} to ${String(dates.max)}` : ''
    const rest = Object.entries(continue_with ?? {}).map(([name, value]) => `, the rest with ${name}=${String(value)}`)
    return `${path} ${shown} of ${of}${range}${rest.join('')}`
  })
  return `cut to fit: ${each.join('; ')}. ${hasCursor ? 'Continue with next_cursor, ask' : 'Ask'} for fewer rows, name fields, or raise max_tokens.`
}
