// Limits for the content of all bodies: nesting that would overflow the stack, and text that Postgres cannot store.
import { BadRequest, type BodyFault } from '#schemas/errors.ts'

/** Levels of objects and arrays; no schema of the table of operations has more than six. */
const deepestBody = 64

/**
 * Throws 422 `validation_error`, naming the member, for a value that is nested deeper than `deepestBody` levels, and for a text or name
 * with U+0000 or half of a surrogate pair, which Postgres cannot store as UTF-8. It does not use recursion, because 64 KiB of `[` nest
 * 65,536 levels.
 */
export function refuseUnstorable(body: unknown): void {
  const open: { readonly value: unknown; readonly loc: readonly (string | number)[] }[] = [{ value: body, loc: ['body'] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, loc } = next
    if (typeof value === 'string') refuseText(value, loc, 'the text')
    if (typeof value !== 'object' || value === null) continue
    if (loc.length > deepestBody) throw refused(loc.slice(0, 8), `expected at most ${deepestBody} levels of objects and arrays, found more`)
    if (Array.isArray(value)) for (const [at, each] of value.entries()) open.push({ value: each, loc: [...loc, at] })
    else
      for (const [name, each] of Object.entries(value)) {
        refuseText(name, loc, 'a name')
        open.push({ value: each, loc: [...loc, name.slice(0, 64)] })
      }
  }
}

function refuseText(text: string, loc: readonly (string | number)[], what: string): void {
  if (text.includes('\u0000')) throw refused(loc, `expected ${what} without U+0000`)
  if (!text.isWellFormed()) throw refused(loc, `expected ${what} in well-formed Unicode, found half of a surrogate pair`)
}

function refused(loc: readonly (string | number)[], msg: string): BadRequest {
  const items: BodyFault[] = [{ loc, msg, type: 'not_valid' }]
  return new BadRequest('1 field of the body is not as described', {
    status: 422,
    code: 'validation_error',
    items,
    hint: `correct ${loc.join('.')}: ${msg}`,
  })
}
