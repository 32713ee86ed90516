// Arguments of a command, checked against its entry in commands.ts: what is unknown is an error that names the nearest.
import { parseArgs } from 'node:util'
import { earliestDay, latestDay, outsideDays } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { IsoDate } from '#schemas/values.ts'

/** An option as help shows it; without `value` it is a switch. */
export type OptionHelp = {
  readonly about: string
  readonly value?: string
  /** May stand several times: its values come as lines of one text. */
  readonly many?: true
}
export type Options = Readonly<Record<string, OptionHelp>>
export type ValuesOf<O extends Options> = { readonly [Name in keyof O]: O[Name] extends { readonly value: string } ? string | undefined : boolean }
export type Arguments<O extends Options> = { readonly values: ValuesOf<O>; readonly rest: readonly string[] }

/** Reads `argv`; throws `BadRequest` for an unknown, repeated or incomplete option, or for more words than `words` allows. */
export function readArguments<O extends Options>(
  command: string,
  options: O,
  argv: readonly string[],
  words: { readonly least?: number; readonly most?: number; readonly what?: string } = {},
): Arguments<O> {
  const hint = `crossfile help ${command}`
  const known = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { type: option.value === undefined ? ('boolean' as const) : ('string' as const) }]),
  )
  const { tokens } = parseArgs({ args: [...argv], options: known, strict: false, allowPositionals: true, tokens: true })
  const values: Record<string, string | boolean> = {}
  const rest: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value)
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (!option) {
      const near = nearest(token.name, Object.keys(options))
      throw new BadRequest(`${command}: no option ${token.rawName}`, { hint: near ? `did you mean --${near}? (${hint})` : hint })
    }
    if (token.name in values && !option.many) throw new BadRequest(`${command}: ${token.rawName} stands twice`, { hint })
    if (option.value === undefined) {
      if (token.value !== undefined) throw new BadRequest(`${command}: ${token.rawName} is a switch and takes no value`, { hint })
      values[token.name] = true
    } else {
      if (token.value === undefined || token.value === '' || (!token.inlineValue && token.value.startsWith('--')))
        throw new BadRequest(`${command}: ${token.rawName} needs a value (${option.value})`, { hint })
      values[token.name] = token.name in values ? `${values[token.name]}\n${token.value}` : token.value
    }
  }
  for (const [name, option] of Object.entries(options)) if (option.value === undefined) values[name] ??= false
  const { least = 0, most = least, what = 'argument' } = words
  if (rest.length < least) throw new BadRequest(`${command}: ${what} is missing`, { hint })
  if (rest.length > most) throw new BadRequest(`${command}: ${JSON.stringify(rest[most])} is one argument too many`, { hint })
  return { values: values as ValuesOf<O>, rest }
}

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

/** A calendar day, YYYY-MM-DD, within the supported days. */
export function dayOf(name: string, text: string): string {
  if (IsoDate.safeParse(text).success) {
    const beyond = outsideDays(Date.parse(text))
    if (beyond === null) return text
    throw new BadRequest(`${name} ${text} ${beyond}`, { hint: `give a day from ${earliestDay} to ${latestDay}` })
  }
  throw new BadRequest(`${name} ${text}: expected a day such as 2026-03-31`)
}

/** `A,B` as canonical symbols, sorted, each once; a CIK stays as it is. Null where none were given. */
export function symbolsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  const symbols = text
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
    .map(each => {
      if (/^\d{1,10}$/.test(each)) return each.replace(/^0+(?=\d)/, '').padStart(10, '0')
      const parsed = parseSymbol(each)
      if (!parsed)
        throw new BadRequest(`--symbols: ${JSON.stringify(each)} is no symbol`, {
          hint: 'US symbols are bare (AAPL, BRK-B), Toronto ends in .TO, TSX Venture in .V',
        })
      return parsed.symbol
    })
  if (symbols.length === 0) throw new BadRequest('--symbols names none', { hint: 'such as --symbols AAPL,RY.TO' })
  return [...new Set(symbols)].sort()
}

/** One of a few words; throws `BadRequest` that names the nearest. */
export function oneOf<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const found = words.find(word => word === text)
  if (found !== undefined) return found
  const near = nearest(text, words)
  throw new BadRequest(`${name} ${JSON.stringify(text)} is not known`, { hint: near ? `did you mean ${near}?` : `one of ${words.join(', ')}` })
}

/** The name at most a third of its letters away, or the only one that begins so; else null. */
export function nearest<Name extends string>(asked: string, names: readonly Name[]): Name | null {
  if (asked.length > 100 || asked === '') return null
  const wanted = asked.toLowerCase()
  const [best] = names
    .map(name => ({ name, apart: slips(wanted, name.toLowerCase()) }))
    .filter(({ name, apart }) => apart <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.apart - b.apart)
  if (best) return best.name
  const beginning = names.filter(name => name.startsWith(wanted))
  return beginning.length === 1 ? (beginning[0] ?? null) : null
}

/** Edit distance, with two neighbouring letters swapped as one slip. */
function slips(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped))
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}
