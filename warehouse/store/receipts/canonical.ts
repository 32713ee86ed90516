// Canonical bytes (JCS, RFC 8785) of plain data. `canonicalize` alone is too lenient for signing: it drops `undefined`, turns
// `[undefined]` into `[null]`, a Date into a string, a Map into `{}` and rounds integers above 2^53. A guard therefore checks the value first.
import { types } from 'node:util'
import canonicalize from 'canonicalize'
import { Broken } from '#schemas/errors.ts'

/** `statement`: strings and safe integers are the only scalars. `json`: also null, true, false and finite numbers. */
export type Scalars = 'statement' | 'json'

const MAX_DEPTH = 32

/** Canonical JSON text of plain data; throws `Broken` that names the path of the first value that is not plain. */
export function canonicalText(value: unknown, scalars: Scalars): string {
  const fault = plainDataFault(value, scalars)
  if (fault !== null) throw new Broken(`canonical JSON: ${fault}`)
  const text = canonicalize(value)
  if (text === undefined) throw new Broken('canonical JSON: the value has no JSON form')
  return text
}

/** The bytes that are hashed and signed: strings, safe integers, lists and objects of them only. */
export function statementBytes(statement: unknown): Buffer {
  return Buffer.from(canonicalText(statement, 'statement'), 'utf8')
}

/** Null for plain data, else the path and kind of the first value that canonical JSON would lose, round or reject. */
export function plainDataFault(value: unknown, scalars: Scalars, path = '$', depth = 0): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : `${path} has a lone surrogate`
  if (typeof value === 'number') return numberFault(value, scalars, path)
  if (value === null || typeof value === 'boolean') {
    return scalars === 'json' ? null : `${path} is ${value}, expected a string or an integer`
  }
  if (typeof value !== 'object') return `${path} is ${typeof value === 'bigint' ? 'a bigint' : `of type ${typeof value}`}`
  if (depth >= MAX_DEPTH) return `${path} is nested deeper than ${MAX_DEPTH}`
  // A proxy could show the guard one value and the serializer another.
  if (types.isProxy(value)) return `${path} is a proxy`
  if ('toJSON' in value && typeof value.toJSON === 'function') return `${path} has a toJSON method`
  return Array.isArray(value) ? listFault(value, scalars, path, depth) : objectFault(value, scalars, path, depth)
}

function numberFault(value: number, scalars: Scalars, path: string): string | null {
  if (Object.is(value, -0)) return `${path} is -0`
  if (scalars === 'json') return Number.isFinite(value) ? null : `${path} is ${value}`
  return Number.isSafeInteger(value) ? null : `${path} is ${value}, expected an integer within 2^53 (decimals are strings)`
}

function listFault(list: readonly unknown[], scalars: Scalars, path: string, depth: number): string | null {
  if (Object.getPrototypeOf(list) !== Array.prototype) return `${path} is not a plain list`
  // `length` and one key per element: neither holes nor further properties.
  if (Reflect.ownKeys(list).length !== list.length + 1) return `${path} is a list with holes or named properties`
  for (let index = 0; index < list.length; index += 1) {
    const fault = ownDataFault(list, String(index), `${path}[${index}]`) ?? plainDataFault(list[index], scalars, `${path}[${index}]`, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

function objectFault(object: object, scalars: Scalars, path: string, depth: number): string | null {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) return `${path} is not a plain object`
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'symbol') return `${path} has a symbol key`
    if (!key.isWellFormed()) return `${path} has a key with a lone surrogate`
    const at = `${path}.${key}`
    const fault = ownDataFault(object, key, at) ?? plainDataFault(Reflect.get(object, key), scalars, at, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** A getter may return a different value each time, and a hidden property would not be signed. */
function ownDataFault(holder: object, key: string, path: string): string | null {
  const property = Object.getOwnPropertyDescriptor(holder, key)
  if (property === undefined) return `${path} is missing`
  return 'value' in property && property.enumerable ? null : `${path} is not plain data`
}

/** The value of strictly canonical bytes, or the fault: UTF-8, JSON, plain, and equal when encoded again. */
export function parseCanonical(bytes: Uint8Array, scalars: Scalars): { value: unknown } | { fault: string } {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    value = JSON.parse(text)
  } catch (error) {
    return { fault: `not JSON in UTF-8 (${error instanceof Error ? error.message.slice(0, 80) : 'unreadable'})` }
  }
  const fault = plainDataFault(value, scalars)
  if (fault !== null) return { fault }
  return canonicalize(value) === text ? { value } : { fault: 'not in canonical form (RFC 8785)' }
}
