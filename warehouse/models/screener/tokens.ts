// The tokens of a filter's text. One pass, linear in its length; every token keeps its position for errors.
import { BadRequest } from '#schemas/errors.ts'

export type Token = {
  readonly kind: 'word' | 'number' | 'text' | 'sign'
  /** A word or sign as written, a text without its quotes. */
  readonly value: string
  readonly at: number
}

/** Maximum characters and tokens of a filter. */
const mostCharacters = 2_000
const mostTokens = 600

export const filterHint =
  "a filter is such as market_cap_usd >= 1e9 and pe < 15 and exchange in (TO, V) and sector = 'Mining'; GET /api/v1/market/screener/fields lists the fields"
export const badFilter = (what: string, at: number, hint = filterHint): BadRequest =>
  new BadRequest(`filter: ${what} at character ${at + 1}`, { hint })

const wordStart = /[A-Za-z_]/
const wordPart = /[A-Za-z0-9_.-]/
const number = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const date = /\d{4}-\d\d-\d\d/y
const signs = ['<=', '>=', '<>', '!=', '==', '=', '<', '>', '(', ')', ',']

export function tokensOf(text: string): readonly Token[] {
  if (text.length > mostCharacters) throw badFilter(`more than ${mostCharacters} characters`, mostCharacters)
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at += 1
      continue
    }
    const token = textAt(text, at) ?? dateAt(text, at) ?? numberAt(text, at) ?? wordAt(text, at) ?? signAt(text, at)
    if (!token) throw badFilter(`"${text[at]}" means nothing`, at)
    tokens.push(token.token)
    at = token.end
    if (tokens.length > mostTokens) throw badFilter(`more than ${mostTokens} words and signs`, at)
  }
  return tokens
}

type Found = { readonly token: Token; readonly end: number } | null

function textAt(text: string, at: number): Found {
  const quote = text[at]
  if (quote !== "'" && quote !== '"') return null
  let value = ''
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] !== quote) value += text[end]
    // A doubled quote is one quote, as in SQL.
    else if (text[end + 1] === quote) {
      value += quote
      end += 1
    } else return { token: { kind: 'text', value, at }, end: end + 1 }
  }
  throw badFilter('a quote is not closed', at)
}

function dateAt(text: string, at: number): Found {
  date.lastIndex = at
  const [value] = date.exec(text) ?? []
  return value === undefined ? null : { token: { kind: 'text', value, at }, end: at + value.length }
}

function numberAt(text: string, at: number): Found {
  number.lastIndex = at
  const [value] = number.exec(text) ?? []
  if (value === undefined || !Number.isFinite(Number(value))) return null
  const after = text[at + value.length]
  if (after !== undefined && wordPart.test(after)) throw badFilter(`"${value}${after}" is no number; put a text into quotes`, at)
  return { token: { kind: 'number', value, at }, end: at + value.length }
}

function wordAt(text: string, at: number): Found {
  if (!wordStart.test(text[at] as string)) return null
  let end = at + 1
  while (end < text.length && wordPart.test(text[end] as string)) end += 1
  return { token: { kind: 'word', value: text.slice(at, end), at }, end }
}

function signAt(text: string, at: number): Found {
  const value = signs.find(sign => text.startsWith(sign, at))
  return value === undefined ? null : { token: { kind: 'sign', value, at }, end: at + value.length }
}
