// Every row of a ruleset that the exchange's tiers have, judged: figures first, then what follows from other rows.
import { difference, quotientOf, shiftDecimal } from '#schemas/decimals.ts'
import type { Exchange, Rule, RuleOf } from '../rulesets/delisting/rules.ts'
import { judgeFilings, judgeLateReport, judgeShell } from './filing-rules.ts'
import { judgeAllBelow, judgeAnnual, judgeLevel, judgeLosses, nothing } from './levels.ts'
import type { Subject } from './measures.ts'
import { judgeAverage, judgePeriod, judgeReverseMerger, judgeSessions, judgeSplitEffect, judgeSplits } from './price-rules.ts'
import type { Outcome, Status } from './types.ts'

export type Asked = { readonly is_reverse_merger: boolean; readonly is_shell_company: boolean }
export type Check = Omit<Outcome, 'status'> & {
  readonly row: Rule
  readonly status: Status
  /** Of a proposed rule: what it would say. */
  readonly would_be: Outcome['status'] | null
  /** Part of an alternative, a requirement of every issuer, or shown for information. */
  readonly role: 'required' | 'alternative' | 'information'
  readonly distance: string | null
  readonly distance_pct: string | null
}

const is = <K extends Rule['test']['kind']>(rule: Rule, kind: K): rule is RuleOf<K> => rule.test.kind === kind

/** One row by itself; `judged`: outcomes of the rows before it that others follow from. */
function outcomeOf(rule: Rule, subject: Subject, tiers: readonly string[], asked: Asked, judged: ReadonlyMap<string, Outcome>): Outcome {
  if (is(rule, 'level')) return judgeLevel(rule, subject)
  if (is(rule, 'all_below')) return judgeAllBelow(rule, subject)
  if (is(rule, 'annual')) return judgeAnnual(rule, subject)
  if (is(rule, 'losses')) return judgeLosses(rule, subject)
  if (is(rule, 'sessions')) return judgeSessions(rule, subject, tiers)
  if (is(rule, 'average')) return judgeAverage(rule, subject)
  if (is(rule, 'period')) return judgePeriod(rule, subject, tiers)
  if (is(rule, 'splits')) return judgeSplits(rule, subject, tiers)
  if (is(rule, 'split_effect')) return judgeSplitEffect(rule, subject, judged)
  if (is(rule, 'filings')) return judgeFilings(rule, subject)
  if (is(rule, 'late_report')) return judgeLateReport(rule, subject)
  if (is(rule, 'reverse_merger')) return judgeReverseMerger(rule, subject, asked.is_reverse_merger)
  if (is(rule, 'shell')) return judgeShell(rule, subject, asked.is_shell_company)
  if (is(rule, 'one_of')) return judgeOneOf(rule, subject.rules.rules, judged)
  if (is(rule, 'unmeasured')) return { ...nothing, reason: rule.test.reason }
  return { ...nothing, status: 'not_applicable', reason: (rule as RuleOf<'initial'>).test.reason }
}

/** A standard passes where all its rows do and fails where one does; one that passes is enough. */
function judgeOneOf({ test }: RuleOf<'one_of'>, rules: readonly Rule[], judged: ReadonlyMap<string, Outcome>): Outcome {
  const standards = test.standards.map(standard => {
    const rows = rules.filter(rule => rule.standards.includes(standard)).map(rule => judged.get(rule.id))
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

/** Rows that look at others come after them. */
const follows = ({ test }: Rule): boolean => test.kind === 'one_of' || test.kind === 'split_effect'

/** The checks of an exchange in the order of the ruleset. */
export function judgeChecks(subject: Subject, exchange: Exchange, asked: Asked): Check[] {
  const { tiers } = exchange
  const rows = subject.rules.rules.filter(rule => rule.tiers.some(tier => tiers.includes(tier)))
  const judged = new Map<string, Outcome>()
  for (const rule of [...rows.filter(rule => !follows(rule)), ...rows.filter(follows)])
    judged.set(rule.id, outcomeOf(rule, subject, tiers, asked, judged))
  return rows.map(rule => toCheck(rule, tieredOutcome(rule, rows, judged, tiers)))
}

/**
 * What a row of some tiers means where the tier was not said. A requirement that is met is met wherever it applies; one that is not is a
 * failure only where the listing would fail in the same respect on every tier that it may be on.
 */
function tieredOutcome(rule: Rule, rows: readonly Rule[], judged: ReadonlyMap<string, Outcome>, tiers: readonly string[]): Outcome {
  const own = judged.get(rule.id) as Outcome
  if (own.status !== 'fail' || rule.standards.length > 0) return own
  const failing = rows.filter(other => other.component === rule.component && other.standards.length === 0 && judged.get(other.id)?.status === 'fail')
  if (tiers.every(tier => failing.some(other => other.tiers.includes(tier)))) return own
  const reason = `the tier was not said: on ${rule.tiers.join(', ')} it would fail${own.reason === null ? '' : ` (${own.reason})`}`
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

/** How far a figure is from its threshold: positive while it is on the good side; the percentage is of the threshold. */
export function distanceOf({ value, threshold, operator }: Outcome): { readonly distance: string | null; readonly distance_pct: string | null } {
  // A condition beside the figure (of reverse splits: that the price is deficient) has no distance.
  if (value === null || threshold === null || operator === null || !['>=', '<', '<='].includes(operator))
    return { distance: null, distance_pct: null }
  const distance = shiftDecimal(operator === '>=' ? difference(value, threshold) : difference(threshold, value), 0)
  return { distance, distance_pct: quotientOf(shiftDecimal(distance, 2), threshold, 4) }
}
