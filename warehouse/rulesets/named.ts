// Rows of a ruleset that a request names in words: comparison of spellings, nearest rows, and the error for an unknown name.
import { BadRequest } from '#schemas/errors.ts'
import { printable } from '#schemas/operations/parameters.ts'
import { nearestNames } from '#schemas/spelling.ts'

/** Only letters and digits, without accents: `D.C.`, `dc` and `d c` are equal, as are `Québec` and `quebec`. */
export const keyOf = (text: string): string =>
  text
    .slice(0, 100)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** The name under which a row is suggested, and every spelling of it. */
export type NamedRow = { readonly name: string; readonly spellings: readonly string[] }

/** One letter apart from a shorter name is another name. */
const fewestLetters = 4

/** The rows that a text was meant for, the likeliest first: those that begin with it, then those a few letters apart. */
export function nearestRows(text: string, rows: readonly NamedRow[], limit: number): string[] {
  const key = keyOf(text)
  const spelled = rows.flatMap(({ name, spellings }) => spellings.map(spelling => ({ name, key: keyOf(spelling) })))
  const begun = key === '' ? [] : spelled.filter(row => row.key.startsWith(key)).map(row => row.name)
  const near = nearestNames(
    key,
    spelled.map(row => row.key).filter(each => each.length >= fewestLetters),
    limit * 4,
  )
  const apart = near.flatMap(each => spelled.find(row => row.key === each)?.name ?? [])
  return [...new Set([...begun, ...apart])].slice(0, limit)
}

/** `did you mean A or B? `; nothing if nothing is near. */
export const didYouMean = (near: readonly string[]): string => (near.length > 0 ? `did you mean ${near.join(' or ')}? ` : '')

/** A text of a request as a refusal quotes it: printable, and not all of it. */
export const quoted = (text: string): string => JSON.stringify(printable(text))

/** A member of the body that is well-formed and names nothing: 422. */
export const refused = (member: string, fault: string, hint: string): BadRequest =>
  new BadRequest(`${member}: ${fault}`, {
    status: 422,
    code: 'validation_error',
    hint: `${member}: ${hint}`,
    items: [{ loc: ['body', member], msg: fault, type: 'not_valid' }],
  })
