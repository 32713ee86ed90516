// Path and query parameters: text in the URL, typed values in the code. `expects` describes valid input; error hints repeat it.

import { z } from 'zod'
import { dayPattern, earliestDay, isCalendarDay, latestDay, outsideDays } from '../days.ts'
import { parseSymbol } from '../spelling.ts'
import {
  type Suggestion,
  suggestAccession,
  suggestCik,
  suggestDay,
  suggestMoment,
  suggestSymbol,
  suggestSymbols,
  suggestWords,
} from './suggestions.ts'

/** How OpenAPI describes the parameter; the schema itself starts from the text of the URL. */
type Wire = {
  readonly type: 'string' | 'integer' | 'boolean'
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly default?: string | number | boolean
}
export type ParameterFacts = {
  readonly wire: Wire
  readonly expects: string
  readonly description: string
  readonly example: string
  /** A value above `wire.maximum` is accepted and reduced to it. */
  readonly clamped?: boolean
  /** What a client probably meant by a value that is refused. */
  readonly suggest?: (raw: string) => Suggestion
}

const facts = new WeakMap<object, ParameterFacts>()

/** The metadata of a parameter's schema, read through `optional()` and `default()`. */
export function factsOf(schema: z.ZodType): ParameterFacts {
  const own = facts.get(schema)
  if (own) return own
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return factsOf(schema.unwrap() as z.ZodType)
  throw new TypeError('a parameter is built from schemas/operations/parameters.ts')
}

/** A parameter that `read` parses from text; undefined if the text is malformed. `limit` returns why a well-formed text is refused, else null. */
function parameter<T>(read: (text: string) => T | undefined, described: ParameterFacts, limit: (text: string) => string | null = () => null) {
  const schema = z.string().transform((text, context) => {
    const beyond = limit(text)
    const value = beyond === null ? read(text) : undefined
    if (value !== undefined) return value
    const message = beyond ?? `expected ${described.expects}`
    context.issues.push({ code: 'custom', message, input: text, params: { beyond: beyond !== null } })
    return z.NEVER
  })
  facts.set(schema, described)
  return schema
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && isCalendarDay(text)

/** A calendar day `YYYY-MM-DD`, from `earliestDay` to `latestDay`. */
export const day = (description: string, example = '2024-01-02') =>
  parameter(
    text => (isDay(text) ? text : undefined),
    {
      wire: { type: 'string', format: 'date', pattern: dayPattern },
      expects: `a calendar day as YYYY-MM-DD, from ${earliestDay} to ${latestDay}`,
      description: `${description}; from ${earliestDay} to ${latestDay}`,
      example,
      suggest: suggestDay,
    },
    text => (isDay(text) ? outsideDays(Date.parse(text)) : null),
  )

/** A whole number. Above `max` it is reduced to `max` if `clamp` is set (lists), else refused. */
export const integer = (description: string, min: number, max: number, options: { clamp?: boolean; fallback?: number; example?: number } = {}) =>
  parameter(
    text => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (value > max && options.clamp) return max
      return value >= min && value <= max ? value : undefined
    },
    {
      wire: { type: 'integer', minimum: min, maximum: max, ...(options.fallback === undefined ? {} : { default: options.fallback }) },
      expects: `an integer from ${min} to ${max}`,
      description,
      example: String(options.example ?? options.fallback ?? min),
      clamped: options.clamp ?? false,
    },
  )

/** One of a few words, in any case. `others`: words of other services, in lower case, with the word of this one that each means. */
export const oneOf = <const W extends string>(
  description: string,
  words: readonly W[],
  fallback?: W,
  others: Readonly<Record<string, string>> = {},
) =>
  parameter(text => words.find(word => word.toLowerCase() === text.toLowerCase()), {
    wire: { type: 'string', enum: words, ...(fallback === undefined ? {} : { default: fallback }) },
    expects: `one of ${words.join(', ')}`,
    description,
    example: fallback ?? words[0] ?? '',
    suggest: suggestWords(others),
  })

export const flag = (description: string) =>
  parameter(
    text => {
      const value: boolean | undefined = text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : undefined
      return value
    },
    {
      wire: { type: 'boolean', default: false },
      expects: '1 or 0',
      description,
      example: '1',
      suggest: suggestWords({ true: '1', yes: '1', on: '1', y: '1', t: '1', false: '0', no: '0', off: '0', n: '0', f: '0' }),
    },
  )

/** Free text, trimmed, without control characters. */
export const text = (description: string, maxLength: number, example: string) =>
  parameter(
    raw => {
      const value = raw.trim()
      return value !== '' && raw.length <= maxLength && !hasControl(value) ? value : undefined
    },
    { wire: { type: 'string', maxLength }, expects: `text of 1 to ${maxLength} characters`, description, example },
  )

/** Text that matches one pattern. `limit` returns why a matching text is refused, else null. */
export const shaped = (
  description: string,
  pattern: RegExp,
  expects: string,
  example: string,
  tidy: (raw: string) => string = raw => raw,
  limit: (raw: string) => string | null = () => null,
) =>
  parameter(
    raw => {
      const value = raw.length <= 512 ? tidy(raw) : ''
      return pattern.test(value) ? value : undefined
    },
    { wire: { type: 'string', pattern: pattern.source }, expects, description, example },
    limit,
  )

/** The edition of a ruleset, by its name and month. */
export const edition = (ruleset: string) =>
  shaped(
    'an edition of the rules (default: the newest)',
    new RegExp(`^${ruleset}@\\d{4}-\\d\\d$`),
    `a name such as ${ruleset}@2026-11`,
    `${ruleset}@2026-11`,
  )

/** A calendar quarter by its last day or by name, as `2026-09-30`, `2026Q3` or `2026-Q3`, within the supported days. */
export const quarter = (description: string, example = '2026-09-30') =>
  shaped(
    `${description}; from ${earliestDay} to ${latestDay}`,
    /^(?:(?:19|2[01])\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|(?:19|2[01])\d{2}-?[Qq][1-4])$/,
    `a quarter such as 2026-09-30 or 2026Q3, from ${earliestDay} to ${latestDay}`,
    example,
    raw => raw,
    raw => {
      const year = /^(\d{4})(?:-\d\d-\d\d|-?[Qq][1-4])$/.exec(raw)?.[1]
      return year === undefined ? null : outsideDays(Date.parse(`${year}-06-30`))
    },
  )

/** A symbol in any usual spelling, converted to the canonical one. */
export const symbol = (description = 'symbol in any usual spelling (RY.TO, TSX:RY, RY:CA, BRK.B); answered canonically', example = 'GLPR.TO') =>
  parameter(raw => parseSymbol(raw)?.symbol, {
    wire: { type: 'string', maxLength: 32 },
    expects: 'a symbol such as AAPL, BRK-B, RY.TO or XYZ.V',
    description,
    example,
    suggest: suggestSymbol,
  })

/** A CIK with or without leading zeros, converted to ten digits. */
export const cik = (description: string, example = '0009900004') =>
  parameter(raw => (/^\d{1,10}$/.test(raw) && Number(raw) > 0 ? raw.padStart(10, '0') : undefined), {
    wire: { type: 'string', pattern: '^\\d{1,10}$' },
    expects: 'a CIK of one to ten digits',
    description,
    example,
    suggest: suggestCik,
  })

/** An accession number with or without dashes. */
export const accession = (description: string, example = '0009990001-26-000045') =>
  parameter(
    raw => {
      const match = /^(\d{10})-?(\d{2})-?(\d{6})$/.exec(raw)
      return match ? `${match[1]}-${match[2]}-${match[3]}` : undefined
    },
    {
      wire: { type: 'string', pattern: '^\\d{10}-?\\d{2}-?\\d{6}$' },
      expects: 'an accession number such as 0000320193-24-000123',
      description,
      example,
      suggest: suggestAccession,
    },
  )

/** `1` to `max` symbols separated by commas, canonical, each once, in the order of the request. */
export const symbolList = (description: string, max: number) => {
  const described: ParameterFacts = {
    wire: { type: 'string', maxLength: max * 33 },
    expects: `1 to ${max} symbols separated by commas`,
    description,
    example: 'GLPR.TO,GLPR',
    suggest: suggestSymbols,
  }
  const schema = z.string().transform((raw, context) => {
    const requested = raw.split(',', 2000)
    const read = requested.map(each => parseSymbol(each)?.symbol ?? null)
    const bad = read.indexOf(null)
    const fault =
      requested.length > max
        ? `expected at most ${max} symbols, got ${requested.length}`
        : bad >= 0
          ? `expected a symbol such as AAPL, BRK-B, RY.TO or XYZ.V, got "${printable(requested[bad] ?? '')}" in place ${bad + 1}`
          : null
    if (fault === null) return [...new Set(read.filter(each => each !== null))]
    context.issues.push({ code: 'custom', message: fault, input: raw })
    return z.NEVER
  })
  facts.set(schema, described)
  return schema
}

/** An instant, or a day (its last moment in UTC), from `earliestDay` to `latestDay` in UTC, normalized to UTC. */
export const moment = (description: string) =>
  parameter(
    raw => {
      const read = readMoment(raw)
      return read === undefined ? undefined : `${new Date(read.at).toISOString().slice(0, 19)}${read.fraction}Z`
    },
    {
      wire: { type: 'string', format: 'date-time' },
      expects: `an instant such as 2024-06-30T20:00:00Z, or a day as YYYY-MM-DD (its last moment in UTC), from ${earliestDay} to ${latestDay}`,
      description: `${description}; an instant, or a day for its last moment in UTC; from ${earliestDay} to ${latestDay}`,
      example: '2024-06-30T20:00:00Z',
      suggest: suggestMoment,
    },
    raw => {
      const read = readMoment(raw)
      return read === undefined ? null : outsideDays(read.at)
    },
  )

/** Milliseconds since 1970 of an instant or of the end of a day, and the digits of its second's fraction as text, because a Date has only three. */
function readMoment(raw: string): { readonly at: number; readonly fraction: string } | undefined {
  if (isDay(raw)) return { at: Date.parse(`${raw}T23:59:59.999Z`), fraction: '.999999' }
  // A plus sign in a query is decoded as a space. Here only the offset can have one.
  const match = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(:\d\d)?(\.\d{1,6})?([Zz]|[+ -]\d\d:\d\d)$/.exec(raw)
  if (!match || !isCalendarDay(match[1] ?? '')) return undefined
  const [, date, clock, seconds = ':00', fraction = '', zone = 'Z'] = match
  const at = Date.parse(`${date}T${clock}${seconds}${zone.toUpperCase().replace(' ', '+')}`)
  return Number.isNaN(at) ? undefined : { at, fraction }
}

function hasControl(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code < 32 || (code >= 127 && code < 160)) return true
  }
  return false
}

/** At most 64 characters of input, control characters replaced. Errors repeat no more than this. */
export function printable(value: string): string {
  const short = [...value.slice(0, 130)].slice(0, 61).join('')
  const clean = [...short].map(each => (hasControl(each) ? '?' : each)).join('')
  return short.length < value.length ? `${clean}...` : clean
}

/** The position at which a list continues. */
export const cursor = text('next_cursor of the previous page', 1024, 'djE').optional()
/** A number of what `of` names, from 1; `fallback` if not given; more than `max` is reduced to `max`. */
export const capped = (max: number, of: string, fallback: number) =>
  integer(`${of}; more than ${max} is reduced to ${max}`, 1, max, { clamp: true, fallback }).default(fallback)
/** The number of rows of a page, `fallback` if not given; more than `max` is reduced to `max`. */
export const pageLimit = (fallback: number, max: number, of = 'rows') => capped(max, `${of} per page`, fallback)
/** The number of values of a time series; all if not given. */
export const seriesLimit = (of: string, example: number) =>
  integer(`maximum number of ${of}, counted in the requested order; more than 100000 is reduced to 100000`, 1, 100_000, {
    clamp: true,
    example,
  }).optional()
