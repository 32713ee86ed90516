// Provinces, territories and kinds of share that a request names, found in the ruleset.
import { BadRequest } from '#schemas/errors.ts'
import { blueSkyRules } from '../../rulesets/blue-sky/rules.ts'
import type { FlowThroughRules, Jurisdiction, ShareType } from '../../rulesets/flow-through/rules.ts'
import { countries } from '../../rulesets/macro/rules.ts'
import { didYouMean, keyOf, nearestRows, refused } from '../../rulesets/named.ts'
import { readPlace } from '../blue-sky/places.ts'

/**
 * The province or territory of a code or name in any usual spelling, also with its country or kind (`CA-ON`, `Province of Ontario`,
 * `Ontario, Canada`); undefined if the text names none.
 */
export function findJurisdiction(rules: FlowThroughRules, text: string): Jurisdiction | undefined {
  const key = keyOf(text)
  const meant = (name: string): boolean =>
    key === name ||
    (key.endsWith(name) && rules.place_prefixes.some(prefix => key === keyOf(prefix) + name)) ||
    (key.startsWith(name) && rules.place_suffixes.some(suffix => key === name + keyOf(suffix)))
  return rules.jurisdictions.find(each => [each.code, each.name, ...each.aliases].some(name => meant(keyOf(name))))
}

/** As `findJurisdiction`; throws `BadRequest`: 400 for a state or another country, 422 for an unknown place. */
export function jurisdictionOf(rules: FlowThroughRules, text: string): Jurisdiction {
  const found = findJurisdiction(rules, text)
  if (found) return found
  const codes = `one of ${rules.jurisdictions.map(each => each.code).join(', ')}, or its name`
  const abroad = abroadName(text)
  if (abroad !== null) throw new BadRequest(`jurisdiction: ${abroad} is no province or territory of Canada`, { hint: `jurisdiction: ${codes}` })
  const rows = rules.jurisdictions.map(({ name, aliases }) => ({ name, spellings: [name, ...aliases] }))
  throw refused('jurisdiction', 'there is no such province or territory of Canada', `${didYouMean(nearestRows(text, rows, 3))}${codes}`)
}

/** The name of a state of the United States or of a country; null for anything else. */
function abroadName(text: string): string | null {
  const place = readPlace(blueSkyRules(undefined), text)
  if (place.kind === 'state') return place.state.name
  const requested = text.trim().toLowerCase()
  return countries.find(({ country, alpha3, name }) => [country, alpha3, name].some(each => each.toLowerCase() === requested))?.name ?? null
}

/** The kind of share of a name; throws `BadRequest` (422) that lists them. */
export function shareTypeOf(rules: FlowThroughRules, text: string): ShareType {
  const key = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  const found = rules.types.find(each => each.fts_type === key || each.aliases.includes(key))
  if (found) return found
  const rows = rules.types.map(each => ({ name: each.fts_type, spellings: [each.fts_type, each.title, ...each.aliases] }))
  const hint = `${didYouMean(nearestRows(key, rows, 1))}one of ${rows.map(each => each.name).join(', ')}`
  throw refused('fts_type', 'there is no such kind of flow-through share', hint)
}
