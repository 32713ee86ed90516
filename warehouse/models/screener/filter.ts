// A screen's filter: parsed by recursive descent into SQL whose values are bound and whose identifiers are fields of the list.
import { isCalendarDay } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'

import { fieldNamed, type ScreenerField, screenerFields } from '../../rulesets/screener/fields.ts'
import { nearestNames } from './nearest.ts'
import { badFilter, filterHint, type Token, tokensOf } from './tokens.ts'

export type Filter = {
  readonly sql: string
  readonly parameters: Readonly<Record<string, string | number | boolean>>
  readonly fields: readonly string[]
}

/** How deep brackets and `not` may nest, and values of one list. */
const deepest = 20
const mostValues = 200
const comparisons: ReadonlyMap<string, string> = new Map([
  ['=', '='],
  ['==', '='],
  ['!=', '<>'],
  ['<>', '<>'],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])

/** The field of a name; throws BadRequest with the nearest ones if there is none. */
export function knownField(name: string, where: string): ScreenerField {
  const field = fieldNamed(name.toLowerCase())
  if (field) return field
  const near = nearestNames(
    name.toLowerCase(),
    screenerFields.map(each => each.name),
    3,
  )
  throw new BadRequest(`${where}: the screener has no field ${name.slice(0, 64)}`, {
    hint: `${near.length > 0 ? `nearest fields: ${near.join(', ')}; ` : ''}GET /api/v1/market/screener/fields lists them all`,
  })
}

/** Compiles a filter; its parameters' names begin with `prefix`. Grammar: or < and < not < ( … ) | field comparison value | in | between | is null | like | contains | a boolean field. */
export function compileFilter(text: string, prefix = 'f'): Filter {
  const tokens = tokensOf(text)
  if (tokens.length === 0) throw new BadRequest('filter: it is empty', { hint: filterHint })
  const parser = new Parser(tokens, text.length, prefix)
  const sql = parser.either(0)
  parser.end()
  return { sql, parameters: parser.parameters, fields: [...parser.fields].sort() }
}

class Parser {
  readonly parameters: Record<string, string | number | boolean> = {}
  readonly fields = new Set<string>()
  readonly #tokens: readonly Token[]
  readonly #length: number
  readonly #prefix: string
  #at = 0
  constructor(tokens: readonly Token[], length: number, prefix: string) {
    this.#tokens = tokens
    this.#length = length
    this.#prefix = prefix
  }

  either(depth: number): string {
    const parts = [this.#all(depth)]
    while (this.#takeWord('or')) parts.push(this.#all(depth))
    return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' or ')})`
  }
  end(): void {
    const token = this.#tokens[this.#at]
    if (token) throw badFilter(`"${token.value.slice(0, 40)}" follows where "and", "or" or the end was expected`, token.at)
  }

  #all(depth: number): string {
    const parts = [this.#one(depth)]
    while (this.#takeWord('and')) parts.push(this.#one(depth))
    return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' and ')})`
  }
  #one(depth: number): string {
    if (depth > deepest) throw badFilter(`brackets and "not" nest deeper than ${deepest}`, this.#place())
    if (this.#takeWord('not')) return `(not ${this.#one(depth + 1)})`
    if (this.#takeSign('(')) {
      const inner = this.either(depth + 1)
      this.#need(')')
      return inner
    }
    return this.#predicate()
  }

  #predicate(): string {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word') throw badFilter('a field was expected', this.#place())
    this.#at += 1
    if (token.value.toLowerCase() === 'true') return 'true'
    const field = this.#use(token)
    const sign = this.#tokens[this.#at]
    const comparison = sign?.kind === 'sign' ? comparisons.get(sign.value) : undefined
    if (comparison !== undefined) {
      this.#at += 1
      return this.#compare(field, comparison)
    }
    if (this.#takeWord('is')) {
      const not = this.#takeWord('not') ? 'not ' : ''
      if (!this.#takeWord('null')) throw badFilter('"null" was expected', this.#place())
      return `("${field.name}" is ${not}null)`
    }
    const not = this.#takeWord('not') ? 'not ' : ''
    if (this.#takeWord('in')) return this.#list(field, not)
    if (this.#takeWord('between')) return this.#between(field, not)
    if (this.#takeWord('like')) return this.#pattern(field, not, 'like')
    if (this.#takeWord('contains')) return this.#pattern(field, not, 'contains')
    if (not === '' && field.type === 'boolean') return `"${field.name}"`
    throw badFilter(`after ${field.name} a comparison, in, between, like, contains or is null was expected`, this.#place())
  }

  #compare(field: ScreenerField, comparison: string): string {
    const token = this.#tokens[this.#at]
    const other = token?.kind === 'word' ? fieldNamed(token.value.toLowerCase()) : undefined
    // A word without quotes names a field if both are numbers or both are days; compared with a text field, it is a text.
    if (other && kindOf(other) === kindOf(field) && kindOf(field) !== 'text' && kindOf(field) !== 'boolean') {
      this.#at += 1
      this.fields.add(other.name)
      return `("${field.name}" ${comparison} "${other.name}")`
    }
    const value = this.#value(field)
    return `(${left(field)} ${comparison} ${value})`
  }
  #list(field: ScreenerField, not: string): string {
    this.#need('(')
    const values = [this.#value(field)]
    while (this.#takeSign(',')) {
      values.push(this.#value(field))
      if (values.length > mostValues) throw badFilter(`more than ${mostValues} values in one list`, this.#place())
    }
    this.#need(')')
    return `(${left(field)} ${not}in (${values.join(', ')}))`
  }
  #between(field: ScreenerField, not: string): string {
    const low = this.#value(field)
    if (!this.#takeWord('and')) throw badFilter('"and" was expected between the two ends', this.#place())
    return `(${left(field)} ${not}between ${low} and ${this.#value(field)})`
  }
  #pattern(field: ScreenerField, not: string, how: 'like' | 'contains'): string {
    if (field.type !== 'text') throw badFilter(`${field.name} is no text: ${how} does not fit`, this.#place())
    const value = this.#value(field)
    return how === 'like' ? `(${left(field)} ${not}like ${value})` : `(${not}contains(${left(field)}, ${value}))`
  }

  /** The next value as a bound parameter of the field's type. */
  #value(field: ScreenerField): string {
    const token = this.#tokens[this.#at]
    if (!token || token.kind === 'sign') throw badFilter(`a value for ${field.name} was expected`, this.#place())
    const value = readValue(field, token)
    this.#at += 1
    const name = `${this.#prefix}${Object.keys(this.parameters).length}`
    this.parameters[name] = value
    return field.type === 'date' ? `$${name}::date` : `$${name}`
  }
  #use(token: Token): ScreenerField {
    const field = knownField(token.value, 'filter')
    this.fields.add(field.name)
    return field
  }
  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || token.value.toLowerCase() !== word) return false
    this.#at += 1
    return true
  }
  #takeSign(sign: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'sign' || token.value !== sign) return false
    this.#at += 1
    return true
  }
  #need(sign: string): void {
    if (!this.#takeSign(sign)) throw badFilter(`"${sign}" was expected`, this.#place())
  }
  #place(): number {
    return this.#tokens[this.#at]?.at ?? this.#length
  }
}

const kindOf = (field: ScreenerField): 'number' | 'text' | 'date' | 'boolean' =>
  field.type === 'integer' || field.type === 'number' ? 'number' : field.type
/** Texts are compared without case: `to` and `TO` are the same venue. */
const left = (field: ScreenerField): string => (field.type === 'text' ? `lower("${field.name}")` : `"${field.name}"`)

function readValue(field: ScreenerField, token: Token): string | number | boolean {
  const kind = kindOf(field)
  if (kind === 'number' && token.kind === 'number') return Number(token.value)
  if (kind === 'date' && token.kind === 'text' && /^\d{4}-\d\d-\d\d$/.test(token.value) && isCalendarDay(token.value)) return token.value
  if (kind === 'boolean' && token.kind === 'word' && /^(?:true|false)$/i.test(token.value)) return token.value.toLowerCase() === 'true'
  if (kind === 'text') return token.value.toLowerCase()
  const expected = { number: 'a number', date: 'a calendar day as YYYY-MM-DD', boolean: 'true or false', text: '' }[kind]
  throw badFilter(`${field.name} is compared with ${expected}, not with "${token.value.slice(0, 40)}"`, token.at)
}
