/**
 * Parses the text of an answer and keeps the printed digits: an integer that a double holds exactly is a number, every other number is a string
 * such as `'111.130372428'`. Throws on a platform whose JSON.parse does not give the source text of a number (Node before 21).
 */
export function exactNumbers(text: string): unknown {
  type Context = { readonly source?: string }
  const parse = JSON.parse as (text: string, reviver: (key: string, value: unknown, context?: Context) => unknown) => unknown
  return parse(text, (_key, value, context) => {
    if (typeof value !== 'number') return value
    if (context?.source === undefined) throw new Error('this platform does not give the digits of a number; use Node 21 or newer')
    return Number.isSafeInteger(value) && /^-?\d+$/.test(context.source) ? value : context.source
  })
}
