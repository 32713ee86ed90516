// Converts an address into a typed question. Unknown, repeated and malformed parameters are refused with a hint.
import type { z } from 'zod'
import { cursorRelease } from '#schemas/cursor.ts'
import { dayMs } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { canonicalName } from '#schemas/operations/canonical.ts'
import { factsOf, printable } from '#schemas/operations/parameters.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import { chooseFormat, type Format, formatsOf } from './plugins/formats.ts'
import { nearest } from './plugins/nearest.ts'
import { ownParameter } from './plugins/other-names.ts'

export type Query = Readonly<Record<string, string>>
export type Read = {
  readonly operation: Operation
  readonly question: Readonly<Record<string, unknown>>
  readonly name: string
  readonly format: Format
  /** Set by the format parameter, not by Accept. */
  readonly formatNamed: boolean
  readonly receipt: boolean
  /** The requested release, or that of the cursor; null: the newest. */
  readonly release: number | null
  /** The request names the release: only such an answer is immutable. */
  readonly releaseNamed: boolean
  /** `limit=1000` if a larger number was reduced. */
  readonly clamped: string | null
}

/** The parameters of a query string, each once. Throws BadRequest for a repeated one and for invalid percent-encoding. */
export function readQuery(query: string): Query {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>
  if (query === '') return parameters
  const parts = query.split('&', 65)
  if (parts.length > 64) throw new BadRequest('more than 64 parameters', { hint: 'no operation takes so many' })
  for (const part of parts) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    if (name in parameters) throw new BadRequest(`${printable(name)} was given twice`, { hint: `give ${printable(name)} once` })
    parameters[name] = equals < 0 ? '' : decode(part.slice(equals + 1))
  }
  return parameters
}
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new BadRequest('the query is not well encoded', {
      cause,
      hint: 'percent-encode everything except letters, digits, dots and dashes, as UTF-8',
    })
  }
}

/** Names that the query of an operation may contain. */
export function parameterNames(operation: Operation): string[] {
  const inQuery = Object.keys(operation.question.shape).filter(name => !operation.path.includes(`{${name}}`))
  return [...inQuery, ...(formatsOf(operation).length > 1 ? ['format'] : []), 'apikey']
}

/** Reads path and query of one operation. Throws BadRequest that names the parameter, what it expects, and an example. */
export function readQuestion(
  operation: Operation,
  path: Query,
  query: Query,
  accept: string | undefined,
  head: { readonly release: number | null; readonly now: Date },
): Read {
  const { question } = operation
  const known = parameterNames(operation)
  for (const name of Object.keys(query)) if (!known.includes(name)) throw unknownParameter(name, known)
  const format = chooseFormat(operation, query['format'], accept)
  const given: Record<string, string> = { ...path }
  for (const [name, text] of Object.entries(query)) if (name !== 'format' && name !== 'apikey') given[name] = text
  const parsed = question.safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const beyond = issue?.code === 'custom' && issue.params?.['beyond'] === true
    throw badParameter(operation, String(issue?.path[0] ?? ''), given, issue?.message ?? '', beyond)
  }
  const parameters = parsed.data as Readonly<Record<string, unknown>>
  // Dates and instants of one question have one format, whose texts are in the order of time.
  const [from, to] = [parameters['from'], parameters['to']]
  if (typeof from === 'string' && typeof to === 'string' && from > to)
    throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'from is the first, to the last, both included' })
  const as_of = parameters['as_of'] as string | undefined
  if (as_of !== undefined && Date.parse(as_of) > endOfDay(head.now)) {
    throw new BadRequest(`as_of is in the future: ${as_of}`, { hint: 'as_of is a moment that has passed; leave it out for now' })
  }
  const named = (parameters['release'] as number | undefined) ?? null
  const cursor = parameters['cursor'] as string | undefined
  // A listing continues in the release in which it began, even after newer releases. The first page of a named release may come from an earlier
  // one, whose rows have not changed since; its cursor then names that earlier release.
  const begun = cursor === undefined ? null : cursorRelease(cursor)
  if (named !== null && begun !== null && begun > named) {
    throw new BadRequest(`the cursor belongs to release ${begun}, release is ${named}`, { hint: 'leave release out: the cursor pins it' })
  }
  const release = begun ?? named
  if (release !== null && release > (head.release ?? 0)) {
    throw new NotFound(`release ${release} does not exist yet`, { hint: `the newest release is ${head.release ?? 'not there yet'}` })
  }
  return {
    operation,
    question: parameters,
    name: canonicalName(operation.method, operation.path, parameters),
    format,
    formatNamed: query['format'] !== undefined,
    receipt: parameters['receipt'] === true,
    release,
    releaseNamed: named !== null,
    clamped: clampedIn(parameters, query),
  }
}

function endOfDay(now: Date): number {
  return Math.floor(now.getTime() / dayMs + 1) * dayMs
}

function clampedIn(parameters: Readonly<Record<string, unknown>>, query: Query): string | null {
  const limit = parameters['limit']
  return typeof limit === 'number' && query['limit'] !== undefined && Number(query['limit']) > limit ? `limit=${limit}` : null
}

function unknownParameter(name: string, known: readonly string[]): BadRequest {
  const own = ownParameter(name, known)
  const near = own?.name ?? nearest(name, known)
  const note = own?.note ? ` ${own.note.charAt(0).toUpperCase()}${own.note.slice(1)}.` : ''
  return new BadRequest(`unknown parameter "${printable(name)}"`, {
    hint: near === null ? `this operation takes ${known.join(', ')}` : `did you mean ${near}?${note} This operation takes ${known.join(', ')}`,
  })
}

function badParameter(operation: Operation, name: string, given: Query, message: string, beyond: boolean): BadRequest {
  const schema = operation.question.shape[name]
  if (!schema) return new BadRequest(`${printable(name)}: ${message}`)
  const { expects, example } = factsOf(schema)
  const value = given[name]
  if (value === undefined) return new BadRequest(`${name} is missing`, { hint: `give ${name}: ${expects}, for example ${name}=${example}` })
  const usual = `${name} is ${expects}, for example ${name}=${example}`
  if (beyond) return new BadRequest(`${name}=${printable(value)} ${message}`, { hint: usual })
  const full = message.includes('got ') ? message : `${message}, got "${printable(value)}"`
  return new BadRequest(`${name}: ${full}`, { hint: hintOf(operation, name, value, usual) })
}

/** What the client probably meant by a value: each suggestion is accepted by the parameter. */
function hintOf(operation: Operation, name: string, value: string, usual: string): string {
  const schema = operation.question.shape[name] as z.ZodType
  const { wire, suggest } = factsOf(schema)
  const near = wire.enum ? nearest(value, wire.enum) : null
  const { values, note } = suggest?.(value) ?? { values: [] }
  const meant = values.filter(each => each !== value && schema.safeParse(each).success)
  const named = meant.length > 0 ? meant : near === null ? [] : [near]
  const notes = [...(note === undefined ? [] : [note]), ...pathsThrough(operation, name, value)]
  const sentences = [named.length > 0 ? `did you mean ${named.map(each => `${name}=${printable(each)}`).join(' or ')}?` : usual, ...notes]
  return sentences.join(named.length > 0 ? ' ' : '; ')
}

/** For a value of a path that is a fixed segment of other paths: `/data/filings/s1` begins `/data/filings/s1/{ticker}`. */
function pathsThrough(operation: Operation, name: string, value: string): string[] {
  const begin = operation.path.slice(0, operation.path.indexOf(`{${name}}`))
  if (!operation.path.includes(`{${name}}`)) return []
  return operations
    .filter(each => each.curated && each.path.startsWith(`${begin}${value}/`))
    .map(each => `${each.method} ${each.path} continues this path`)
}
