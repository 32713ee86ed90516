// A check that finds out quickly that a value fits a schema. Tens of thousands of rows of a table are checked in one commit, nearly all of
// them fit, and zod takes more than twice as long (measured: docs/decisions.md).
import type { z } from 'zod'

/** True only if the schema accepts the value without changing it. False: ask the schema, which also has the reason. */
export type QuickCheck = (value: unknown) => boolean

/** The parts of zod's definitions that are read here. A schema or a check with anything else is left to zod. */
type Definition = {
  readonly type: string
  readonly check?: string
  readonly format?: string
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[]
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly entries?: Readonly<Record<string, string | number>>
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
  readonly coerce?: boolean
}
type CheckDefinition = {
  readonly check: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly value?: unknown
  readonly inclusive?: boolean
  readonly fn?: (value: never) => unknown
  readonly when?: unknown
}

const unknown: QuickCheck = () => false
const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition

/** The quick check of a schema. Schemas that transform, coerce, default or refine in a way that is not known here give one that is always false. */
export function quickCheckOf(schema: z.ZodType): QuickCheck {
  const definition = definitionOf(schema)
  if (definition.coerce === true) return unknown
  switch (definition.type) {
    case 'string':
      return definition.check === undefined ? allOf(isString, definition, stringCheck) : unknown
    case 'number':
      return allOf(numberBase(definition), definition, numberCheck)
    case 'boolean':
      return bare(definition, value => value === true || value === false)
    case 'enum':
      return bare(definition, enumCheck(definition))
    case 'nullable':
      return bare(definition, nullableCheck(definition))
    case 'array':
      return bare(definition, arrayCheck(definition))
    case 'object':
      return bare(definition, objectCheck(definition))
    default:
      return unknown
  }
}

const bare = ({ checks = [] }: Definition, check: QuickCheck): QuickCheck => (checks.length === 0 ? check : unknown)

/** The base and every check of the definition; `known` returns null for a check that it does not know. */
function allOf(base: QuickCheck, { checks = [] }: Definition, known: (check: CheckDefinition) => QuickCheck | null): QuickCheck {
  const all = checks.map(({ _zod: { def } }) => (def.when === undefined ? known(def) : null))
  if (all.includes(null)) return unknown
  const [first, second, ...more] = all as QuickCheck[]
  if (first === undefined) return base
  if (second === undefined) return value => base(value) && first(value)
  return value => base(value) && first(value) && second(value) && more.every(check => check(value))
}

const isString: QuickCheck = value => typeof value === 'string'

function stringCheck({ check, format, pattern, fn }: CheckDefinition): QuickCheck | null {
  // A pattern with one of these flags has a state.
  if (check === 'string_format' && format === 'regex' && pattern && !pattern.global && !pattern.sticky) return value => pattern.test(value as string)
  if (check === 'custom' && fn) return value => fn(value as never) === true
  return null
}

function numberBase({ check, format }: Definition): QuickCheck {
  if (check === undefined) return value => typeof value === 'number' && Number.isFinite(value)
  return check === 'number_format' && format === 'safeint' ? Number.isSafeInteger : unknown
}

function numberCheck({ check, value: least, inclusive }: CheckDefinition): QuickCheck | null {
  if (check !== 'greater_than' || typeof least !== 'number') return null
  return inclusive === true ? value => (value as number) >= least : value => (value as number) > least
}

function enumCheck({ entries }: Definition): QuickCheck {
  if (entries === undefined || Object.values(entries).some(entry => typeof entry !== 'string')) return unknown
  const names = new Set<unknown>(Object.values(entries))
  return value => names.has(value)
}

function nullableCheck({ innerType }: Definition): QuickCheck {
  if (innerType === undefined) return unknown
  const inner = quickCheckOf(innerType)
  return value => value === null || inner(value)
}

function arrayCheck({ element }: Definition): QuickCheck {
  if (element === undefined) return unknown
  const inner = quickCheckOf(element)
  return value => {
    if (!Array.isArray(value)) return false
    // `every` skips the holes of an array, which zod refuses.
    for (let at = 0; at < value.length; at += 1) if (!inner(value[at])) return false
    return true
  }
}

/**
 * Accepts objects with the keys of the shape only: of others, zod returns a copy without the other keys. Consecutive rows repeat the days,
 * hashes and names of their document, so a text, number or mark that the same column just had is not checked again.
 */
function objectCheck({ shape = {}, catchall }: Definition): QuickCheck {
  const names = Object.keys(shape)
  const parts = names.map(name => quickCheckOf(shape[name] as z.ZodType))
  const isStrict = catchall !== undefined && definitionOf(catchall).type === 'never'
  if (!isStrict && catchall !== undefined) return unknown
  const accepted: unknown[] = names.map(() => undefined)
  return value => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
    // No part accepts an absent value, so an object with as many keys as the shape has no others.
    let keys = 0
    for (const _key in value) keys += 1
    if (keys !== names.length) return false
    for (let at = 0; at < names.length; at += 1) {
      const part = (value as Record<string, unknown>)[names[at] as string]
      if (part === accepted[at] && part !== undefined) continue
      if (!(parts[at] as QuickCheck)(part)) return false
      // The content of a list or an object may change.
      if (typeof part !== 'object' || part === null) accepted[at] = part
    }
    return true
  }
}
