// Arguments of a command, checked against its entry in commands.ts. An error for an unknown option names the nearest known one.
import { parseArgs } from 'node:util'
import { BadRequest } from '#schemas/errors.ts'
import { nearest } from '#schemas/nearest-name.ts'

/** An option as help shows it; without `value` it is a switch. */
export type OptionHelp = {
  readonly about: string
  readonly value?: string
  /** May be given several times: its values are the lines of one text. */
  readonly many?: true
}
export type Options = Readonly<Record<string, OptionHelp>>
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: O[Name] extends { readonly value: string } ? string | undefined : boolean }
export type Arguments<O extends Options> = { readonly values: ValuesOf<O>; readonly rest: readonly string[] }

/**
 * Reads `argv`; throws `BadRequest` for an unknown, repeated or incomplete option, or for more words than `words` allows. `areKeyIds`: a word
 * may be the beginning of the id of a key, and so begin with `-`.
 */
export function readArguments<O extends Options>(
  command: string,
  options: O,
  argv: readonly string[],
  words: { readonly least?: number; readonly most?: number; readonly what?: string; readonly areKeyIds?: true } = {},
): Arguments<O> {
  const hint = `crossfile help ${command}`
  const known = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { type: option.value === undefined ? ('boolean' as const) : ('string' as const) }]),
  )
  const { tokens } = parseArgs({
    args: argv.map(argument => hidden(argument, words.areKeyIds === true)),
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values: Record<string, string | boolean> = {}
  const rest: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(shown(token.value))
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (!option) {
      const near = nearest(token.name, Object.keys(options))
      throw new BadRequest(`${command}: no option ${token.rawName}`, { hint: near ? `did you mean --${near}? (${hint})` : hint })
    }
    if (token.name in values && !option.many) throw new BadRequest(`${command}: ${token.rawName} is given twice`, { hint })
    if (option.value === undefined) {
      if (token.value !== undefined) throw new BadRequest(`${command}: ${token.rawName} is a switch and takes no value`, { hint })
      values[token.name] = true
    } else {
      if (token.value === undefined || token.value === '' || (!token.inlineValue && token.value.startsWith('--')))
        throw new BadRequest(`${command}: ${token.rawName} needs a value (${option.value})`, { hint })
      values[token.name] = token.name in values ? `${values[token.name]}\n${shown(token.value)}` : shown(token.value)
    }
  }
  for (const [name, option] of Object.entries(options)) if (option.value === undefined) values[name] ??= false
  const { least = 0, most = least, what = 'argument' } = words
  if (rest.length < least)
    throw new BadRequest(least === 1 ? `${command}: ${what} is missing` : `${command}: ${what} are needed, ${rest.length} given`, { hint })
  if (rest.length > most) throw new BadRequest(`${command}: ${JSON.stringify(rest[most])} is one argument too many`, { hint })
  return { values: values as ValuesOf<O>, rest }
}

/** The id of a key (43 characters of base64url, RFC 7638) begins with `-` once in 64 times, and no option has such a name. */
const keyId = /^-[\w-]{42}$/
/** Its beginning, of at least six characters. One that begins with `--` could be a misspelt option: such an id has to be whole. */
const keyIdBegins = /^-(?!-)[\w-]{5,41}$/
const mark = '\0'
const hidden = (argument: string, isBeginning: boolean): string =>
  keyId.test(argument) || (isBeginning && keyIdBegins.test(argument)) ? mark + argument : argument
const shown = (argument: string): string => (argument.startsWith(mark) ? argument.slice(mark.length) : argument)

/** A whole number within limits. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  limits: { readonly from: number; readonly to: number; readonly otherwise: number },
): number {
  if (text === undefined) return limits.otherwise
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= limits.from && number <= limits.to) return number
  throw new BadRequest(`${name} ${text}: expected a whole number from ${limits.from} to ${limits.to}`)
}

/** One of a few words; throws `BadRequest` that names the nearest. */
export function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const found = words.find(word => word === text)
  if (found !== undefined) return found
  const near = nearest(text, words)
  throw new BadRequest(`${name} ${JSON.stringify(text)} is not known`, { hint: near ? `did you mean ${near}?` : `one of ${words.join(', ')}` })
}
