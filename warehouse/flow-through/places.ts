// Provinces, territories and kinds of share that a request names, found in the ruleset.
import { BadRequest } from '#schemas/errors.ts'
import { nearestNames } from '#schemas/spelling.ts'
import { readPlace } from '../blue-sky/places.ts'
import { blueSkyRules } from '../rulesets/blue-sky/rules.ts'
import type { FlowThroughRules, Jurisdiction, ShareType } from '../rulesets/flow-through/rules.ts'
import { countries } from '../rulesets/macro/rules.ts'

/** Letters alone, without accents: `Québec`, `quebec` and `P.E.I.`, `pei` are one. */
const keyOf = (text: string): string =>
  text
    .slice(0, 100)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')

/** The province or territory of a code or name in any usual spelling; undefined where it is none. */
export function findJurisdiction(rules: FlowThroughRules, text: string): Jurisdiction | undefined {
  const key = keyOf(text)
  return rules.jurisdictions.find(each => [each.code, each.name, ...each.aliases].some(name => keyOf(name) === key))
}

/** As `findJurisdiction`; throws `BadRequest`: 400 for a state or another country, 422 for what is no place. */
export function jurisdictionOf(rules: FlowThroughRules, text: string): Jurisdiction {
  const found = findJurisdiction(rules, text)
  if (found) return found
  const codes = `one of ${rules.jurisdictions.map(each => each.code).join(', ')}, or its name`
  const abroad = abroadName(text)
  if (abroad !== null) throw new BadRequest(`jurisdiction: ${abroad} is no province or territory of Canada`, { hint: `jurisdiction: ${codes}` })
  const near = nearestNames(
    text,
    rules.jurisdictions.map(each => each.name),
    3,
  )
  throw refused(
    'jurisdiction',
    'there is no such province or territory of Canada',
    `${near.length > 0 ? `did you mean ${near.join(' or ')}? ` : ''}${codes}`,
  )
}

/** The name of a state of the United States or of a country; null for what is neither. */
function abroadName(text: string): string | null {
  const place = readPlace(blueSkyRules(undefined), text)
  if (place.kind === 'state') return place.state.name
  const asked = text.trim().toLowerCase()
  return countries.find(({ country, alpha3, name }) => [country, alpha3, name].some(each => each.toLowerCase() === asked))?.name ?? null
}

/** The kind of share of a name; throws `BadRequest` (422) that lists them. */
export function shareTypeOf(rules: FlowThroughRules, text: string): ShareType {
  const key = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  const found = rules.types.find(each => each.fts_type === key || each.aliases.includes(key))
  if (found) return found
  const names = rules.types.map(each => each.fts_type)
  const [near] = nearestNames(key, names, 1)
  throw refused('fts_type', 'there is no such kind of flow-through share', `${near ? `did you mean ${near}? ` : ''}one of ${names.join(', ')}`)
}

const refused = (member: string, fault: string, hint: string): BadRequest =>
  new BadRequest(`${member}: ${fault}`, {
    status: 422,
    code: 'validation_error',
    hint: `${member}: ${hint}`,
    items: [{ loc: ['body', member], msg: fault, type: 'custom' }],
  })
