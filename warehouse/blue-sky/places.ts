// What a request names in words, found in the ruleset: a state, an exemption, an exchange.
import { BadRequest } from '#schemas/errors.ts'
import { printable } from '#schemas/operations/parameters.ts'
import { nearestNames } from '#schemas/spelling.ts'
import type { BlueSkyRules, Exchange, Jurisdiction, OfferingType } from '../rulesets/blue-sky/rules.ts'

export type Place =
  | { readonly kind: 'state'; readonly state: Jurisdiction }
  /** A province or territory of Canada. */
  | { readonly kind: 'elsewhere'; readonly code: string; readonly name: string; readonly country: string }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] }

/** Letters and digits alone, without accents: `D.C.`, `dc` and `d c` are one. */
const keyOf = (text: string): string =>
  text
    .slice(0, 100)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const books = new WeakMap<BlueSkyRules, ReadonlyMap<string, Place>>()

/** Every spelling of a place: its code, name and aliases, bare and behind a prefix such as `US-` or `State of`. */
function placesOf(rules: BlueSkyRules): ReadonlyMap<string, Place> {
  const held = books.get(rules)
  if (held) return held
  const book = new Map<string, Place>()
  const prefixes = rules.place_prefixes.map(keyOf)
  for (const state of rules.jurisdictions) {
    const names = [state.code, state.name, ...state.aliases].map(keyOf)
    for (const name of [...names, ...names.flatMap(own => prefixes.map(prefix => prefix + own))]) book.set(name, { kind: 'state', state })
  }
  for (const { code, name, country, aliases } of rules.elsewhere)
    for (const own of [code, name, ...aliases].map(keyOf))
      for (const key of [own, keyOf(country) + own]) if (!book.has(key)) book.set(key, { kind: 'elsewhere', code, name, country })
  books.set(rules, book)
  return book
}

/** The place of a text in any usual spelling: `NY`, `new york`, `US-NY`, `N.Y.`. */
export function readPlace(rules: BlueSkyRules, text: string): Place {
  const found = placesOf(rules).get(keyOf(text))
  if (found) return found
  const names = [...rules.jurisdictions, ...rules.elsewhere].map(place => place.name)
  const codes = rules.jurisdictions.map(state => state.code)
  const trimmed = text.trim()
  const near =
    trimmed.length <= 2 ? codes.filter(code => trimmed !== '' && code.startsWith(trimmed.toUpperCase().slice(0, 1))) : nearestNames(trimmed, names, 3)
  return { kind: 'unknown', nearest: near.slice(0, 8) }
}

/** The state of a text; throws `BadRequest` (422) that names the nearest, or says who answers for a province. */
export function stateOf(rules: BlueSkyRules, text: string, member: string): Jurisdiction {
  const place = readPlace(rules, text)
  if (place.kind === 'state') return place.state
  if (place.kind === 'elsewhere') throw refused(member, `${place.name} is no state of the United States`, rules.elsewhere_hint)
  throw refused(member, `${shown(text)} is no state, district or territory of the United States`, nearHint(rules, place.nearest))
}
export const nearHint = (rules: BlueSkyRules, nearest: readonly string[]): string =>
  nearest.length > 0 ? `nearest: ${nearest.join(', ')}` : `one of ${rules.jurisdictions.map(state => state.code).join(', ')}, or its name`

const shown = (text: string): string => JSON.stringify(printable(text))

/** The nearest of some rows by any of their names, and all of them. */
function rowsHint(text: string, rows: readonly { readonly name: string; readonly names: readonly string[] }[]): string {
  const [near] = nearestNames(
    text,
    rows.flatMap(row => row.names),
    1,
  )
  const row = rows.find(each => near !== undefined && each.names.includes(near))
  return `${row ? `did you mean ${row.name}? ` : ''}one of ${rows.map(each => each.name).join(', ')}`
}

/** The exemption of a text; throws `BadRequest` (422) that lists them. */
export function offeringTypeOf(rules: BlueSkyRules, text: string): OfferingType {
  const key = keyOf(text)
  const found = rules.offering_types.find(row => [row.offering_type, row.title, row.law, ...row.aliases].some(name => keyOf(name) === key))
  if (found) return found
  const rows = rules.offering_types.map(row => ({ name: row.offering_type, names: [row.offering_type, ...row.aliases] }))
  throw refused('offering_type', `there is no offering type ${shown(text)}`, rowsHint(text, rows))
}

/** The exchange of a text, null for an empty one; throws `BadRequest` (422) that lists them. */
export function exchangeOf(rules: BlueSkyRules, text: string): Exchange | null {
  if (text.trim() === '') return null
  const key = keyOf(text)
  const found = rules.exchanges.find(row => [row.exchange, row.title, ...row.aliases].some(name => keyOf(name) === key))
  if (found) return found
  const rows = rules.exchanges.map(row => ({ name: row.exchange, names: [row.exchange, row.title, ...row.aliases] }))
  throw refused('exchange', `exchange ${shown(text)} is not known`, `${rowsHint(text, rows)}, or empty where the class is unlisted`)
}

export const refused = (member: string, fault: string, hint: string): BadRequest =>
  new BadRequest(`${member}: ${fault}`, {
    status: 422,
    code: 'validation_error',
    hint: `${member}: ${hint}`,
    items: [{ loc: ['body', member], msg: fault, type: 'custom' }],
  })
