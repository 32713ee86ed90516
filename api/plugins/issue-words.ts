// The faults of a body in the words of this service, from the issues of its schema. A message that a schema states itself is kept.
import { z } from 'zod'
import { nearest } from './nearest.ts'

type RawIssue = z.core.$ZodRawIssue

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  file: 'a file',
}
const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address such as name@example.com',
  url: 'an address such as https://example.com/page',
  uuid: 'a UUID',
  guid: 'a UUID',
  date: 'a calendar day as YYYY-MM-DD',
  datetime: 'an instant such as 2026-01-02T15:04:05Z',
  base64: 'text in base64',
  base64url: 'text in base64url',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}

/** What was found, as `kinds` names it. */
function kindOf(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  return kinds[typeof input] ?? 'another kind of value'
}

/** The message of an issue for which its schema states none. An error map of zod, to be passed to `safeParse`. */
export function issueWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `expected ${kinds[issue.expected] ?? 'another kind of value'}, got ${kindOf(issue.input)}`
    case 'invalid_value':
      return issue.values.length > 30 ? 'is not one of the values that the description lists' : `expected ${listed(issue.values.map(String))}`
    case 'too_small':
      return sized(issue.origin, issue.minimum, 'at least', issue.inclusive === false ? 'a number above' : 'at least', issue.input)
    case 'too_big':
      return sized(issue.origin, issue.maximum, 'at most', issue.inclusive === false ? 'a number below' : 'at most', issue.input)
    case 'invalid_format':
      return `expected ${formats[issue.format] ?? 'text in the form that the description states'}`
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return unknownMembers(issue.keys, membersOf(issue.inst))
    case 'invalid_union':
      return 'has none of the forms that the description lists'
    default:
      return 'is not as described'
  }
}

const listed = (values: readonly string[]): string => (values.length === 1 ? (values[0] ?? '') : `one of ${values.join(', ')}`)

function sized(origin: string, limit: number | bigint, size: string, bound: string, input: unknown): string {
  const unit: Readonly<Record<string, string>> = {
    string: 'characters',
    array: 'items',
    set: 'items',
    map: 'members',
    object: 'members',
    file: 'bytes',
  }
  const of = unit[origin]
  if (of === undefined) return `expected ${bound} ${limit}`
  if (origin === 'string' && Number(limit) === 1 && input === '') return 'expected text, got an empty text'
  return `expected ${size} ${limit} ${Number(limit) === 1 ? of.slice(0, -1) : of}`
}

/** The members of the object schema that raised an issue. */
const membersOf = (schema: unknown): readonly string[] => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])

function unknownMembers(keys: readonly string[], known: readonly string[]): string {
  // A name that is none may be a whole body in a wrong form, with a password in it: it is not repeated.
  if (keys.some(name => !/^[\w-]{1,64}$/.test(name))) return 'a member of this name is not read here'
  const near = keys.length === 1 ? nearest(keys[0] ?? '', known) : null
  const members = known.length > 0 && known.length <= 30 ? `; the members are ${known.join(', ')}` : ''
  return `${keys.length === 1 ? 'unknown member' : 'unknown members'} ${keys.slice(0, 10).join(', ')}${near === null ? '' : `: did you mean ${near}?`}${members}`
}

/** The kind of a fault, as `type` of a member of `detail` names it. */
export function faultType(issue: { readonly code: string; readonly message: string }): string {
  if (issue.code === 'invalid_type') return issue.message === 'is missing' ? 'missing' : 'wrong_type'
  return faultTypes[issue.code] ?? 'not_valid'
}
const faultTypes: Readonly<Record<string, string>> = {
  invalid_value: 'not_in_list',
  too_small: 'too_small',
  too_big: 'too_big',
  invalid_format: 'wrong_format',
  not_multiple_of: 'not_a_multiple',
  unrecognized_keys: 'unknown_member',
  invalid_union: 'wrong_form',
}
