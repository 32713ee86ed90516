// Values of an answer by JSON pointer, each with the digits that the answer prints.
import { parseExactly } from '#schemas/exact-number.ts'

export type Leaf = string | boolean | null | { readonly number: string }

const json = JSON as unknown as { isRawJSON(value: unknown): value is { readonly rawJSON: string } }

/** The answer as a tree whose numbers keep their text. Throws `SyntaxError` for invalid JSON. */
export const parseAnswer = (text: string): unknown => parseExactly(text)

/** The tokens of a pointer (RFC 6901). */
const tokensOf = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
export const pointerOf = (tokens: readonly (string | number)[]): string =>
  tokens.map(token => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The value at a pointer; undefined if the answer has nothing there. */
export function at(tree: unknown, pointer: string): unknown {
  let here = tree
  for (const token of tokensOf(pointer)) {
    if (here === null || typeof here !== 'object' || json.isRawJSON(here)) return undefined
    if (Array.isArray(here)) here = /^(0|[1-9]\d*)$/.test(token) ? here[Number(token)] : undefined
    else here = Object.hasOwn(here, token) ? (here as Record<string, unknown>)[token] : undefined
  }
  return here
}

/** A scalar of the tree; undefined for objects, lists and missing values. */
export function leafOf(value: unknown): Leaf | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return { number: String(value) }
  return json.isRawJSON(value) ? { number: value.rawJSON } : undefined
}

/** The text of a scalar: digits and letters as printed; null for null, undefined if it is not a scalar. */
export function textAt(tree: unknown, pointer: string): string | null | undefined {
  const leaf = leafOf(at(tree, pointer))
  return leaf === undefined || leaf === null ? leaf : typeof leaf === 'object' ? leaf.number : String(leaf)
}
/** The text of a scalar, null if it is null or missing. */
export const textOf = (tree: unknown, pointer: string): string | null => textAt(tree, pointer) ?? null

/** The number of items of the list at a pointer; 0 if there is none. */
export function lengthAt(tree: unknown, pointer: string): number {
  const found = at(tree, pointer)
  return Array.isArray(found) ? found.length : 0
}

/** Every scalar and every list below a value, with its pointer, in the order of the answer. */
export function* walk(
  value: unknown,
  tokens: readonly (string | number)[] = [],
): Generator<{ tokens: readonly (string | number)[]; value: Leaf | unknown[] }> {
  const leaf = leafOf(value)
  if (leaf !== undefined) yield { tokens, value: leaf }
  else if (Array.isArray(value)) {
    yield { tokens, value }
    for (const [index, item] of value.entries()) yield* walk(item, [...tokens, index])
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) yield* walk(member, [...tokens, name])
  }
}
