// Evaluates every row of a ruleset that the exchange's tiers have: figures first, then rows that follow from other rows.
import { difference, quotientOf, shiftDecimal } from '#schemas/decimals.ts'
import type { Exchange, Rule, RuleOf } from '../../rulesets/delisting/rules.ts'
import { evaluateFilings, evaluateLateReport, evaluateShell } from './filing-rules.ts'
import { evaluateAllBelow, evaluateAnnual, evaluateLevel, evaluateLosses, nothing } from './levels.ts'
import type { Subject } from './measures.ts'
import { evaluateAverage, evaluatePeriod, evaluateReverseMerger, evaluateSessions, evaluateSplitEffect, evaluateSplits } from './price-rules.ts'
import type { Outcome, Status } from './types.ts'

export type Query = { readonly is_reverse_merger: boolean; readonly is_shell_company: boolean }
export type Check = Omit<Outcome, 'status'> & {
  readonly row: Rule
  readonly status: Status
  /** Of a proposed rule: its outcome if it applied. */
  readonly would_be: Outcome['status'] | null
  /** Part of an alternative, a requirement of every issuer, or shown for information. */
  readonly role: 'required' | 'alternative' | 'information'
  readonly distance: string | null
  readonly distance_pct: string | null
}

const is = <K extends Rule['test']['kind']>(rule: Rule, kind: K): rule is RuleOf<K> => rule.test.kind === kind

/** Evaluates one row; `evaluated`: outcomes of earlier rows that others depend on. */
function outcomeOf(rule: Rule, subject: Subject, tiers: readonly string[], requested: Query, evaluated: ReadonlyMap<string, Outcome>): Outcome {
  if (is(rule, 'level')) return evaluateLevel(rule, subject)
  if (is(rule, 'all_below')) return evaluateAllBelow(rule, subject)
  if (is(rule, 'annual')) return evaluateAnnual(rule, subject)
  if (is(rule, 'losses')) return evaluateLosses(rule, subject)
  if (is(rule, 'sessions')) return evaluateSessions(rule, subject, tiers)
  if (is(rule, 'average')) return evaluateAverage(rule, subject)
  if (is(rule, 'period')) return evaluatePeriod(rule, subject, tiers)
  if (is(rule, 'splits')) return evaluateSplits(rule, subject, tiers)
  if (is(rule, 'split_effect')) return evaluateSplitEffect(rule, subject, evaluated)
  if (is(rule, 'filings')) return evaluateFilings(rule, subject)
  if (is(rule, 'late_report')) return evaluateLateReport(rule, subject)
  if (is(rule, 'reverse_merger')) return evaluateReverseMerger(rule, subject, requested.is_reverse_merger)
  if (is(rule, 'shell')) return evaluateShell(rule, subject, requested.is_shell_company)
  if (is(rule, 'one_of')) return evaluateOneOf(rule, subject.rules.rules, evaluated)
  if (is(rule, 'unmeasured')) return { ...nothing, reason: rule.test.reason }
  return { ...nothing, status: 'not_applicable', reason: (rule as RuleOf<'initial'>).test.reason }
}

/** A standard passes if all its rows pass and fails if one fails; one passing standard is enough. */
function evaluateOneOf({ test }: RuleOf<'one_of'>, rules: readonly Rule[], evaluated: ReadonlyMap<string, Outcome>): Outcome {
  const standards = test.standards.map(standard => {
    const rows = rules.filter(rule => rule.standards.includes(standard)).map(rule => evaluated.get(rule.id))
    const statuses = rows.map(row => row?.status ?? 'unknown')
    const status = statuses.includes('fail') ? 'fail' : statuses.every(each => each === 'pass') ? 'pass' : 'unknown'
    return { standard, status, rows }
  })
  const statuses = standards.map(({ status }) => status)
  const status = statuses.includes('pass') ? 'pass' : statuses.every(each => each === 'fail') ? 'fail' : 'unknown'
  const rows = standards.flatMap(each => each.rows.flatMap(row => row ?? []))
  return {
    ...nothing,
    status,
    reason: standards.map(each => `${each.standard}: ${each.status}`).join('; '),
    basis: rows.every(({ basis }) => basis === 'none') ? 'none' : 'request_and_lake',
    documents: rows.flatMap(({ documents }) => documents),
  }
}

/** Rows that depend on others come after them. */
const follows = ({ test }: Rule): boolean => test.kind === 'one_of' || test.kind === 'split_effect'

/** The checks of an exchange in the order of the ruleset. */
export function evaluateChecks(subject: Subject, exchange: Exchange, requested: Query): Check[] {
  const { tiers } = exchange
  const rows = subject.rules.rules.filter(rule => rule.tiers.some(tier => tiers.includes(tier)))
  const evaluated = new Map<string, Outcome>()
  for (const rule of [...rows.filter(rule => !follows(rule)), ...rows.filter(follows)])
    evaluated.set(rule.id, outcomeOf(rule, subject, tiers, requested, evaluated))
  return rows.map(rule => toCheck(rule, tieredOutcome(rule, rows, evaluated, tiers)))
}

/**
 * The outcome of a row of some tiers if the tier is not stated. A requirement that is met is met on every tier that it applies to. One
 * that is not met fails only if the listing would fail in the same respect on every tier that it may be on.
 */
function tieredOutcome(rule: Rule, rows: readonly Rule[], evaluated: ReadonlyMap<string, Outcome>, tiers: readonly string[]): Outcome {
  const own = evaluated.get(rule.id) as Outcome
  if (own.status !== 'fail' || rule.standards.length > 0) return own
  const failing = rows.filter(
    other => other.component === rule.component && other.standards.length === 0 && evaluated.get(other.id)?.status === 'fail',
  )
  if (tiers.every(tier => failing.some(other => other.tiers.includes(tier)))) return own
  const reason = `the request states no tier: on ${rule.tiers.join(', ')} it would fail${own.reason === null ? '' : ` (${own.reason})`}`
  return { ...own, status: 'unknown', reason }
}

function toCheck(row: Rule, outcome: Outcome): Check {
  const proposed = row.status === 'proposed'
  const initial = row.test.kind === 'initial'
  return {
    ...outcome,
    row,
    status: proposed ? 'proposed' : outcome.status,
    would_be: proposed ? outcome.status : null,
    role: proposed || initial || row.component === null ? (row.standards.length > 0 ? 'alternative' : 'information') : 'required',
    ...distanceOf(outcome),
  }
}

/** How far a figure is from its threshold: positive on the passing side; the percentage is of the threshold. */
function distanceOf({ value, threshold, operator }: Outcome): { readonly distance: string | null; readonly distance_pct: string | null } {
  // An additional condition (of reverse splits: that the price is deficient) has no distance.
  if (value === null || threshold === null || operator === null || !['>=', '<', '<='].includes(operator))
    return { distance: null, distance_pct: null }
  const distance = shiftDecimal(operator === '>=' ? difference(value, threshold) : difference(threshold, value), 0)
  return { distance, distance_pct: quotientOf(shiftDecimal(distance, 2), threshold, 4) }
}
