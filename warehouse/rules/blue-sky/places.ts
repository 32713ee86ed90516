// Resolves the words of a request in the ruleset: a state, an exemption, an exchange.
import type { BlueSkyRules, Exchange, Jurisdiction, OfferingType } from '../../rulesets/blue-sky/rules.ts'
import { didYouMean, keyOf, type NamedRow, nearestRows, quoted, refused } from '../../rulesets/named.ts'

export type Place =
  | { readonly kind: 'state'; readonly state: Jurisdiction }
  /** A province or territory of Canada. */
  | { readonly kind: 'elsewhere'; readonly code: string; readonly name: string; readonly country: string }
  | { readonly kind: 'unknown'; readonly nearest: readonly string[] }

const books = new WeakMap<BlueSkyRules, ReadonlyMap<string, Place>>()

/** Every spelling of a place: its code, name and aliases, with and without its country or kind (`US-NY`, `State of Ohio`, `NY, USA`). */
function placesOf(rules: BlueSkyRules): ReadonlyMap<string, Place> {
  const held = books.get(rules)
  if (held) return held
  const book = new Map<string, Place>()
  const [prefixes, suffixes] = [rules.place_prefixes.map(keyOf), rules.place_suffixes.map(keyOf)]
  for (const state of rules.jurisdictions) {
    const names = [state.code, state.name, ...state.aliases].map(keyOf)
    const longer = names.flatMap(own => [...prefixes.map(prefix => prefix + own), ...[...suffixes, keyOf(state.code)].map(suffix => own + suffix)])
    for (const name of [...names, ...longer]) if (!book.has(name)) book.set(name, { kind: 'state', state })
  }
  for (const { code, name, country, aliases } of rules.elsewhere)
    for (const own of [code, name, ...aliases].map(keyOf))
      for (const key of [own, keyOf(country) + own]) if (!book.has(key)) book.set(key, { kind: 'elsewhere', code, name, country })
  books.set(rules, book)
  return book
}

/** The place of a text in any usual spelling: `NY`, `new york`, `US-NY`, `N.Y.`, `New York, USA`. */
export function readPlace(rules: BlueSkyRules, text: string): Place {
  const key = keyOf(text)
  const found = placesOf(rules).get(key)
  if (found) return found
  const codes = rules.jurisdictions.map(state => state.code)
  const rows = [...rules.jurisdictions, ...rules.elsewhere].map(({ name, aliases }): NamedRow => ({ name, spellings: [name, ...aliases] }))
  const near = key.length <= 2 ? codes.filter(code => key !== '' && code.toLowerCase().startsWith(key.slice(0, 1))) : nearestRows(text, rows, 3)
  return { kind: 'unknown', nearest: near.slice(0, 8) }
}

/** The state of a text; throws `BadRequest` (422) that lists the nearest, or for a province names the responsible service. */
export function stateOf(rules: BlueSkyRules, text: string, member: string): Jurisdiction {
  const place = readPlace(rules, text)
  if (place.kind === 'state') return place.state
  if (place.kind === 'elsewhere') throw refused(member, `${place.name} is no state of the United States`, rules.elsewhere_hint)
  throw refused(member, `${quoted(text)} is no state, district or territory of the United States`, nearHint(rules, place.nearest))
}
export const nearHint = (rules: BlueSkyRules, nearest: readonly string[]): string =>
  nearest.length > 0 ? `nearest: ${nearest.join(', ')}` : `one of ${rules.jurisdictions.map(state => state.code).join(', ')}, or its name`

const rowsHint = (text: string, rows: readonly NamedRow[]): string =>
  `${didYouMean(nearestRows(text, rows, 2))}one of ${rows.map(each => each.name).join(', ')}`

/** The exemption of a text; throws `BadRequest` (422) that lists them. */
export function offeringTypeOf(rules: BlueSkyRules, text: string): OfferingType {
  const key = keyOf(text)
  const found = rules.offering_types.find(row => [row.offering_type, row.title, row.law, ...row.aliases].some(name => keyOf(name) === key))
  if (found) return found
  const rows = rules.offering_types.map(row => ({ name: row.offering_type, spellings: [row.offering_type, row.title, ...row.aliases] }))
  throw refused('offering_type', `there is no offering type ${quoted(text)}`, rowsHint(text, rows))
}

/** The exchange of a text, null for an empty one; throws `BadRequest` (422) that lists them. */
export function exchangeOf(rules: BlueSkyRules, text: string): Exchange | null {
  if (text.trim() === '') return null
  const key = keyOf(text)
  const found = rules.exchanges.find(row => [row.exchange, row.title, ...row.aliases].some(name => keyOf(name) === key))
  if (found) return found
  const rows = rules.exchanges.map(row => ({ name: row.exchange, spellings: [row.exchange, row.title, ...row.aliases] }))
  throw refused('exchange', `exchange ${quoted(text)} is not known`, `${rowsHint(text, rows)}, or empty if the class is unlisted`)
}
