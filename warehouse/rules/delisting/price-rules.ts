// Tests of the price over time: runs of sessions below a limit, the average of NYSE, and the effect of reverse splits.
import { addDays, addMonths, daysBetween } from '#schemas/days.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import { compare, decimalOf, over, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { DelistingRules, Rule, RuleOf } from '../../rulesets/delisting/rules.ts'
import { type Deficiency, isBelow, runsOver } from './clocks.ts'
import { nothing } from './levels.ts'
import { noPrices, readingOf, type Subject } from './measures.ts'
import type { Clock, Outcome, Session, ShareSplit } from './types.ts'

type SessionsTest = RuleOf<'sessions'>['test']
const isOf = <K extends Rule['test']['kind']>(rule: Rule, kind: K): rule is RuleOf<K> => rule.test.kind === kind

/** The rule of the tiers that defines when a low price becomes a deficiency; the others depend on it. */
const bidRule = ({ rules }: DelistingRules, tiers: readonly string[]): SessionsTest | null =>
  rules.filter(rule => isOf(rule, 'sessions')).find(rule => rule.test.cure !== null && rule.tiers.some(tier => tiers.includes(tier)))?.test ?? null
const averageRule = ({ rules }: DelistingRules): RuleOf<'average'>['test'] | null => rules.find(rule => isOf(rule, 'average'))?.test ?? null

const stateOf = (test: SessionsTest, sessions: readonly Session[]) =>
  runsOver(sessions, ({ close }) => isBelow(close, test.price, test.inclusive), test.sessions, test.cure?.sessions ?? 1)

/** The open deficiency of the minimum bid; undefined if no closes are stored. */
function bidDeficiency(subject: Subject, tiers: readonly string[]): Deficiency | null | undefined {
  const test = bidRule(subject.rules, tiers)
  return test === null || !subject.last ? undefined : stateOf(test, subject.evidence.sessions).deficiency
}

const lake = { basis: 'lake' as const }
const unknown = (reason: string): Outcome => ({ ...nothing, reason })

/** This many consecutive sessions below (or at) a price. Fails while the deficiency that they made is open. */
export function evaluateSessions(rule: RuleOf<'sessions'>, subject: Subject, tiers: readonly string[]): Outcome {
  const { test } = rule
  if (!subject.last) return unknown(noPrices(subject))
  const from = test.only_in_deficiency ? (bidDeficiency(subject, tiers)?.since ?? null) : null
  const common = { ...nothing, ...lake, unit: 'sessions', operator: '<', threshold: String(test.sessions), at: subject.last.date }
  if (test.only_in_deficiency && from === null)
    return { ...common, status: 'not_applicable', reason: 'it counts only while a deficiency of the minimum bid is open' }
  const counted = from === null ? subject.evidence.sessions : subject.evidence.sessions.filter(({ date }) => date >= from)
  const { below, above, deficiency } = stateOf(test, counted)
  const count = below?.count ?? 0
  const uncertain = deficiency !== null && deficiency.run.gaps > 0
  return {
    ...common,
    status: deficiency === null ? 'pass' : uncertain ? 'unknown' : 'fail',
    reason: uncertain ? `no close is held of ${deficiency.run.gaps} sessions among those that were counted` : null,
    value: String(count),
    clock: deficiency
      ? periodClock(test, deficiency, above?.count ?? 0, subject.evidence.day, tiers)
      : below
        ? countingClock(test.sessions, below)
        : null,
  }
}

const countingClock = (needed: number, run: { readonly count: number; readonly from: string; readonly gaps: number }): Clock => ({
  stage: 'counting',
  unit: 'sessions',
  from: run.from,
  until: null,
  days: needed,
  days_elapsed: run.count,
  days_left: needed - run.count,
  mended_sessions: null,
  mended_after: null,
  gaps: run.gaps,
  sentence: `${run.count} of ${needed} sessions in a row`,
})

/** The part of a clock that counts calendar days from `from` to `until`. */
function calendarDays(from: string, until: string, days: number, elapsed: number) {
  return { unit: 'calendar_days', from, until, days, days_elapsed: elapsed, days_left: Math.max(0, days - elapsed) } as const
}

function periodClock({ cure, sessions }: SessionsTest, { since, run }: Deficiency, above: number, day: string, tiers: readonly string[]): Clock {
  if (cure === null)
    return { ...countingClock(sessions, { ...run, count: sessions }), stage: 'over', until: since, sentence: `complete since ${since}` }
  const elapsed = Math.max(0, daysBetween(since, day))
  const second = cure.second_tiers.some(tier => tiers.includes(tier))
  const periods = second ? 2 : 1
  const stage = elapsed <= cure.days ? 'period' : elapsed <= cure.days * periods ? 'second_period' : 'over'
  const days = stage === 'period' ? cure.days : cure.days * periods
  const until = addDays(since, days)
  const sentences = {
    period: `deficient since ${since}: ${cure.days} calendar days to close on ${cure.sessions} sessions in a row without it (up to ${cure.most_sessions} at the exchange's discretion), until ${until}`,
    second_period: `deficient since ${since}: the first ${cure.days} calendar days are over; a second period, if granted, ends on ${until}`,
    over: `deficient since ${since}: all periods ended on ${until}`,
  }
  return {
    stage,
    ...calendarDays(since, until, days, elapsed),
    mended_sessions: above,
    mended_after: cure.sessions,
    gaps: run.gaps,
    sentence: sentences[stage],
  }
}

/** Fails if the deficiency is older than all periods together. */
export function evaluatePeriod({ test }: RuleOf<'period'>, subject: Subject, tiers: readonly string[]): Outcome {
  const deficiency = bidDeficiency(subject, tiers)
  if (deficiency === undefined) return unknown(noPrices(subject))
  const elapsed = deficiency === null ? 0 : Math.max(0, daysBetween(deficiency.since, subject.evidence.day))
  const over = elapsed > test.days
  const uncertain = over && (deficiency?.run.gaps ?? 0) > 0
  return {
    ...nothing,
    ...lake,
    status: over ? (uncertain ? 'unknown' : 'fail') : 'pass',
    reason: deficiency === null ? 'no deficiency of the minimum bid is open' : `deficient since ${deficiency.since}`,
    value: String(elapsed),
    unit: 'calendar_days',
    operator: '<=',
    threshold: String(test.days),
    at: subject.evidence.day,
  }
}

/** The average close; fails from the session on which it was below until it is cured at the end of a month. */
export function evaluateAverage({ test }: RuleOf<'average'>, subject: Subject): Outcome {
  if (!subject.last) return unknown(noPrices(subject))
  const { last, deficient_since: since } = subject.average(test.sessions, test.threshold)
  const below = last !== null && compare(last, ratioOf(test.threshold)) < 0
  return {
    ...nothing,
    ...lake,
    status: since !== null || below ? 'fail' : last === null ? 'unknown' : 'pass',
    reason:
      since !== null && !below
        ? `the average is no longer below, but it was since ${since}, and no last session of a month has cured it`
        : last === null
          ? `closes of ${test.sessions} sessions in a row are not held`
          : null,
    value: last === null ? null : decimalOf(last, 6),
    unit: 'USD',
    operator: '>=',
    threshold: test.threshold,
    clock: since === null ? null : averageClock(since, test.cure_months, subject.evidence.day),
    at: subject.last.date,
  }
}

function averageClock(since: string, months: number, day: string): Clock {
  const until = addMonths(since, months)
  const [days, elapsed] = [daysBetween(since, until), Math.max(0, daysBetween(since, day))]
  return {
    stage: elapsed <= days ? 'period' : 'over',
    ...calendarDays(since, until, days, elapsed),
    mended_sessions: null,
    mended_after: null,
    gaps: 0,
    sentence: `below since ${since}: ${months} months to close and average at or above the limit on the last session of a month, until ${until}`,
  }
}

/** Since when the price is deficient by the rule that a split test refers to; undefined if unknown. */
function deficientSince(test: RuleOf<'splits'>['test'], subject: Subject, tiers: readonly string[]): string | null | undefined {
  if (test.deficiency === 'bid') {
    const found = bidDeficiency(subject, tiers)
    return found && (found.run.gaps > 0 ? undefined : found.since)
  }
  const rule = averageRule(subject.rules)
  if (rule === null || !subject.last) return undefined
  const { last, deficient_since } = subject.average(rule.sessions, rule.threshold)
  return deficient_since ?? (last === null ? undefined : null)
}

const isReverse = ({ ratio }: ShareSplit): boolean => ratio.numerator < ratio.denominator

/** Old shares per new one of the reverse splits in a window, all together. */
const cumulative = (splits: readonly ShareSplit[]) => splits.reduce((all, { ratio }) => times(all, over(ratioOf('1'), ratio)), ratioOf('1'))

/** Fails if a price deficiency follows reverse splits of this ratio: there is then no period to cure it. */
export function evaluateSplits({ test }: RuleOf<'splits'>, subject: Subject, tiers: readonly string[]): Outcome {
  if (!subject.last) return unknown(noPrices(subject))
  const since = deficientSince(test, subject, tiers)
  const at = since ?? subject.evidence.day
  const window = addMonths(at, -12 * test.years)
  const splits = subject.evidence.splits.filter(split => isReverse(split) && split.ex_date > window && split.ex_date <= at)
  const together = cumulative(splits)
  const reached = splits.length > 0 && compare(together, ratioOf(test.ratio)) >= 0
  const splitsText =
    splits.length === 0
      ? `no reverse split since ${window}`
      : splits.map(({ ex_date, ratio }) => `1 for ${decimalOf(over(ratioOf('1'), ratio), 4)} on ${ex_date}`).join(', ')
  const until = splits.length > 0 ? addMonths((splits.at(0) as ShareSplit).ex_date, 12 * test.years) : null
  const status = !reached || since === null ? 'pass' : since === undefined ? 'unknown' : 'fail'
  return {
    ...nothing,
    ...lake,
    status,
    reason:
      status === 'pass' && reached
        ? `${splitsText}: a price deficiency before ${until} would have no cure period`
        : status === 'unknown'
          ? `${splitsText}; whether the price is deficient is not known`
          : splitsText,
    value: test.ratio === '1' ? String(splits.length) : decimalOf(together, 4),
    unit: test.ratio === '1' ? 'reverse_splits' : 'old_shares_per_new',
    operator: 'with a price deficiency <',
    threshold: test.ratio,
    at,
  }
}

/** After a reverse split: whether one of the checks that it can break fails. */
export function evaluateSplitEffect(rule: RuleOf<'split_effect'>, subject: Subject, evaluated: ReadonlyMap<string, Outcome>): Outcome {
  if (!subject.last) return unknown(noPrices(subject))
  const window = addDays(subject.evidence.day, -rule.test.days)
  const split = subject.evidence.splits.findLast(each => isReverse(each) && each.ex_date > window && each.ex_date <= subject.evidence.day)
  if (!split) return { ...nothing, ...lake, status: 'not_applicable', reason: `no reverse split since ${window}`, at: subject.evidence.day }
  const checks = rule.test.checks.flatMap(id => (evaluated.has(id) ? [{ id, status: evaluated.get(id)?.status }] : []))
  const failed = checks.filter(({ status }) => status === 'fail').map(({ id }) => id)
  const open = checks.filter(({ status }) => status === 'unknown').map(({ id }) => id)
  return {
    ...nothing,
    ...lake,
    status: failed.length > 0 ? 'fail' : open.length > 0 ? 'unknown' : 'pass',
    reason: `reverse split on ${split.ex_date}; ${failed.length > 0 ? `fails now: ${failed.join(', ')}` : open.length > 0 ? `not known: ${open.join(', ')}` : 'none of the checks that it could break fails'}`,
    at: split.ex_date,
  }
}

/** A close at this level on enough of the latest sessions, and a year of trading; that year's reports are not evaluated here. */
export function evaluateReverseMerger({ test }: RuleOf<'reverse_merger'>, subject: Subject, requested: boolean): Outcome {
  if (!requested) return { ...nothing, status: 'not_applicable', reason: 'the request does not state is_reverse_merger', basis: 'request' }
  const common = { ...nothing, basis: 'request_and_lake' as const, unit: 'sessions', operator: '>=', threshold: String(test.of) }
  const price = readingOf('close', subject)
  const sessions = subject.evidence.sessions.slice(-test.last)
  const subjectText = `a reverse merger: of the last ${test.last} sessions`
  if (price.high === null || sessions.length < test.last)
    return { ...common, status: 'watch', reason: `${subjectText} the closes are not all held; ${notEvaluated}` }
  const enough = sessions.filter(({ close }) => close !== null && compareDecimals(close, test.price) >= 0).length
  return {
    ...common,
    status: 'watch',
    reason: `${subjectText} ${enough} closed at or above $${test.price} (${test.of} are asked of a new listing); ${notEvaluated}`,
    value: String(enough),
    at: price.at,
  }
}
const notEvaluated = 'whether a year of reports was filed is not evaluated'
