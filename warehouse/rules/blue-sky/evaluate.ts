// Evaluates one check of an offering: the first rule of the ruleset whose conditions hold applies. The rules are in the ruleset, not here.
import { compareDecimals, difference } from '#schemas/decimals.ts'
import {
  type BlueSkyRules,
  type Check,
  type Condition,
  type Fact,
  factNames,
  isOf,
  type OfferingType,
  type Verdict,
} from '../../rulesets/blue-sky/rules.ts'
import { type Confidence, leastSure } from '../../rulesets/editions.ts'
import { dollars, grouped } from './fees.ts'

/** Known facts of the offering; numbers are decimals in text, null: there is none. */
export type Facts = Readonly<Record<Fact, string | boolean | null>>

export type Evaluated = {
  readonly check: string
  readonly title: string
  readonly scope: Check['scope']
  readonly status: Verdict
  /** Id of the rule that applied. */
  readonly code: string
  readonly explanation: string
  /** Distance of the value from its limit, negative if above it; null if the check has no limit. */
  readonly distance: { readonly value: string; readonly limit: string; readonly room: string; readonly unit: 'USD' | 'investors' } | null
  /** What to change, and which exemptions to try instead. */
  readonly change: { readonly text: string; readonly offering_types: readonly string[] } | null
  readonly confidence: Confidence
  readonly source: readonly string[]
  readonly valid_from: string
}

/** The check's first matching rule. */
export function evaluate(rules: BlueSkyRules, check: Check, type: OfferingType, facts: Facts): Evaluated {
  const rule = rules.rules.find(
    each => each.check === check.id && isOf(each, type.offering_type) && each.when.every(condition => holds(condition, facts)),
  )
  // Validation of the ruleset ensures a rule without conditions for every exemption.
  if (!rule) throw new TypeError(`${rules.ruleset}: check ${check.id} has no rule for ${type.offering_type}`)
  const distance = distanceOf(check, facts)
  const words = fill(check, facts, distance)
  // A limit has the certainty of the row that contains it.
  const rows = distance === null ? [rule] : [rule, type]
  return {
    check: check.id,
    title: check.title,
    scope: check.scope,
    status: rule.status,
    code: rule.id,
    explanation: words(rule.explanation),
    distance,
    change: rule.change && { text: words(rule.change.text), offering_types: rule.change.offering_types },
    confidence: leastSure(rows.map(row => row.confidence)),
    source: [...new Set(rows.flatMap(row => row.source))],
    valid_from: rule.valid_from,
  }
}

/** True if a condition holds for the facts. */
export function holds(condition: Condition, facts: Facts): boolean {
  const value = facts[condition.fact]
  if ('is' in condition) return value === condition.is
  const limit = isFact(condition.above) ? facts[condition.above] : condition.above
  return typeof value === 'string' && typeof limit === 'string' && compareDecimals(value, limit) > 0
}
const isFact = (text: string): text is Fact => (factNames as readonly string[]).includes(text)

function distanceOf({ measures }: Check, facts: Facts): Evaluated['distance'] {
  if (measures === null) return null
  const [value, limit] = [facts[measures.fact], facts[measures.limit]]
  if (typeof value !== 'string' || typeof limit !== 'string') return null
  return { value, limit, room: difference(limit, value), unit: measures.unit }
}

/** Fills the placeholders of a sentence; `{excess}` and `{room}` are how far the value is above and below its limit. */
function fill(check: Check, facts: Facts, distance: Evaluated['distance']): (sentence: string) => string {
  const amount = (text: string): string => (check.measures?.unit === 'USD' ? dollars(text) : grouped(text))
  const shown: Readonly<Record<string, string>> = {
    ...Object.fromEntries(factNames.map(name => [name, printed(name, facts[name])])),
    room: amount(distance?.room ?? '0'),
    excess: amount(distance ? difference(distance.value, distance.limit) : '0'),
  }
  return sentence => sentence.replace(/\{(\w+)\}/g, (_, name: string) => shown[name] ?? name)
}
const printed = (name: Fact, value: string | boolean | null): string =>
  typeof value !== 'string' ? String(value) : name.endsWith('_usd') ? dollars(value) : /^\d+$/.test(value) ? grouped(value) : value

const worstFirst: readonly Verdict[] = ['fail', 'unknown', 'warn', 'pass']
/** The worst of some verdicts, without those that were not evaluated or do not apply. */
export function worst(verdicts: readonly Verdict[]): 'fail' | 'unknown' | 'warn' | 'pass' {
  return (worstFirst.find(verdict => verdicts.includes(verdict)) ?? 'pass') as 'fail' | 'unknown' | 'warn' | 'pass'
}
