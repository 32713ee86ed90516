// The spellings of a name: `short_interest` as a dataset, `short-interest` as a file, `shortInterest` in code.
import { BadRequest } from '#schemas/errors.ts'

export type Names = {
  /** `short_interest` */
  readonly snake: string
  /** `short-interest` */
  readonly kebab: string
  /** `shortInterest` */
  readonly camel: string
  /** `Short interest` */
  readonly title: string
}

/** Words that cannot name a constant or a table without quotes. */
const reserved: ReadonlySet<string> = new Set(
  (
    'all and any arguments array as asc await break case cast catch check class collate column const constraint continue create cross debugger default ' +
    'delete desc distinct do else end enum eval except export extends false fetch finally for foreign from full function grant group having if ' +
    'implements import in inner instanceof interface intersect into is join lateral left let like limit natural new not null offset on only or order ' +
    'outer package primary private protected public references return right select static super switch table then this throw to true try typeof ' +
    'union unique using values var void when where while window with yield'
  ).split(' '),
)
const mostCharacters = 40

/** The spellings of a name that was given as words joined by `_` or `-`; `what` names it in errors. Throws `BadRequest` for any other text. */
export function namesOf(what: string, text: string, mark: '_' | '-'): Names {
  const words = text.split(mark)
  const [example, shown] = [['short', 'interest'].join(mark), text.slice(0, mostCharacters)]
  if (text.length < 3 || text.length > mostCharacters || !words.every((word, at) => (at === 0 ? /^[a-z][a-z0-9]*$/ : /^[a-z0-9]+$/).test(word)))
    throw new BadRequest(`${what} "${shown}" is not a name`, {
      hint: `write 3 to ${mostCharacters} lower-case letters and digits, words joined by ${mark}, such as ${example}`,
    })
  if (reserved.has(text)) throw new BadRequest(`${what} "${text}" is a reserved word`, { hint: `add a word, such as ${text}${mark}list` })
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
  const [first = '', ...others] = words
  return { snake: words.join('_'), kebab: words.join('-'), camel: first + others.map(capital).join(''), title: capital(words.join(' ')) }
}
