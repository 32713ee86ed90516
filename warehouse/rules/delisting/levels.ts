// Tests of figures: a measure against its threshold, several measures together, fiscal years, losses. Three-valued: an unknown value
// never passes.
import { addDays, daysBetween } from '#schemas/days.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import { compare, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { AnnualMeasure, RuleOf } from '../../rulesets/delisting/rules.ts'
import { type Closed, runsOver } from './clocks.ts'
import { dollars, perClose, readingOf, type Subject } from './measures.ts'
import type { Clock, FiscalYear, Outcome, Reading } from './types.ts'

export const nothing: Outcome = {
  status: 'unknown',
  reason: null,
  value: null,
  value_low: null,
  unit: null,
  operator: null,
  threshold: null,
  clock: null,
  at: null,
  basis: 'none',
  documents: [],
}

/** Compares a reading with a minimum: an upper bound can fail and never passes. */
function compared({ high, low }: Pick<Reading, 'high' | 'low'>, least: string): 'pass' | 'fail' | 'unknown' {
  if (high === null) return 'unknown'
  if (compareDecimals(high, least) < 0) return 'fail'
  return low !== null && compareDecimals(low, least) >= 0 ? 'pass' : 'unknown'
}

export function evaluateLevel({ test }: RuleOf<'level'>, subject: Subject): Outcome {
  const reading = readingOf(test.measure, subject)
  const status = compared(reading, test.threshold)
  const clock = levelClock(test, subject)
  return {
    ...nothing,
    status,
    reason: status === 'unknown' ? reading.reason : status === 'pass' && clock ? 'met again, but the deficiency is not cured yet' : null,
    value: reading.high,
    value_low: reading.low === reading.high ? null : reading.low,
    unit: test.unit,
    operator: '>=',
    threshold: test.threshold,
    clock,
    at: reading.at,
    basis: reading.basis,
    documents: reading.documents,
  }
}

const isExempt = (
  { measure, at_least }: { readonly measure: Parameters<typeof readingOf>[0]; readonly at_least: string },
  subject: Subject,
): boolean => compared(readingOf(measure, subject), at_least) !== 'fail'

/** Consecutive sessions below the threshold, out of those that make a deficiency; then the days to cure the deficiency that they made. */
function levelClock(test: RuleOf<'level'>['test'], subject: Subject): Clock | null {
  const factor = perClose(test.measure, subject)
  if (test.deficiency === null || factor === null) return null
  const { sessions, mended_sessions, days } = test.deficiency
  const least = ratioOf(test.threshold)
  const isUnder = ({ date, close }: Closed): boolean => compare(times(ratioOf(close), factor(date)), least) < 0
  const { below, above, deficiency } = runsOver(subject.evidence.sessions, isUnder, sessions, mended_sessions)
  if (deficiency) {
    const elapsed = Math.max(0, daysBetween(deficiency.since, subject.evidence.day))
    const until = days === null ? null : addDays(deficiency.since, days)
    return {
      stage: days !== null && elapsed <= days ? 'period' : 'over',
      unit: 'calendar_days',
      from: deficiency.since,
      until,
      days: days ?? 0,
      days_elapsed: elapsed,
      days_left: Math.max(0, (days ?? 0) - elapsed),
      mended_sessions: above?.count ?? 0,
      mended_after: mended_sessions,
      gaps: deficiency.run.gaps,
      sentence: `a deficiency since ${deficiency.since}, the session that made ${sessions} in a row${until === null ? ': no cure period' : `: until ${until} to cure it on ${mended_sessions} sessions in a row`}`,
    }
  }
  if (below === null) return null
  const left = sessions - below.count
  return {
    stage: 'counting',
    unit: 'sessions',
    from: below.from,
    until: null,
    days: sessions,
    days_elapsed: below.count,
    days_left: left,
    mended_sessions: null,
    mended_after: null,
    gaps: below.gaps,
    sentence: `${below.count} of ${sessions} sessions in a row below: a deficiency after ${left} more`,
  }
}

/** Fails if every term is below; passes if one is not. */
export function evaluateAllBelow({ test }: RuleOf<'all_below'>, subject: Subject): Outcome {
  const terms = test.terms.map(term => ({ ...term, reading: readingOf(term.measure, subject) }))
  const statuses = terms.map(({ reading, threshold }) => compared(reading, threshold))
  const status = statuses.includes('pass') ? 'pass' : statuses.every(each => each === 'fail') ? 'fail' : 'unknown'
  const readings = terms.map(
    ({ measure, reading, threshold }, at) => `${measure} ${reading.high ?? 'not known'} (${statuses[at]}, at least ${threshold})`,
  )
  return {
    ...nothing,
    status,
    reason: readings.join('; '),
    operator: 'one of >=',
    at: terms.map(({ reading }) => reading.at).reduce((a, b) => (a !== null && (b === null || a > b) ? a : b), null),
    basis: terms.every(({ reading }) => reading.basis === 'none') ? 'none' : 'lake',
    documents: terms.flatMap(({ reading }) => reading.documents),
  }
}

const figureOf = (year: FiscalYear, measure: AnnualMeasure): Reading | null => {
  const figure = year[measure]
  return figure && dollars(figure)
}

/** All conditions in the latest fiscal year, or in `of` of the last `last`. Years that a filing does not state are unknown. */
export function evaluateAnnual({ test }: RuleOf<'annual'>, subject: Subject): Outcome {
  const years = recentYears(subject, test.last)
  const met = years.map(year => {
    const each = test.conditions.map(({ measure, threshold }) => compared((year && figureOf(year, measure)) ?? { high: null, low: null }, threshold))
    return each.includes('fail') ? 'fail' : each.includes('unknown') ? 'unknown' : 'pass'
  })
  const counted = (status: string): number => met.filter(each => each === status).length
  const passes = met[0] === 'pass' || counted('pass') >= test.of
  const open = met[0] === 'unknown' || counted('pass') + counted('unknown') >= test.of
  const [first] = test.conditions
  const latest = years[0]
  const figures = years.flatMap(year => (year ? test.conditions.flatMap(({ measure }) => year[measure] ?? []) : []))
  const single = test.conditions.length === 1 && first && latest ? figureOf(latest, first.measure) : null
  return {
    ...nothing,
    status: passes ? 'pass' : open ? 'unknown' : 'fail',
    reason:
      figures.length === 0
        ? (subject.evidence.no_figures ?? 'no filing that is held states fiscal years')
        : years
            .flatMap((year, at) =>
              year ? [`${year.end}: ${test.conditions.map(({ measure }) => `${measure} ${shown(year, measure)}`).join(', ')} (${met[at]})`] : [],
            )
            .join('; '),
    value: single?.high ?? null,
    unit: 'USD',
    operator: '>=',
    threshold: first?.threshold ?? null,
    at: latest?.end ?? null,
    basis: figures.length === 0 ? 'none' : 'lake',
    documents: figures.flatMap(({ documents }) => documents),
  }
}
const shown = (year: FiscalYear, measure: AnnualMeasure): string => {
  const figure = year[measure]
  return figure ? `${figure.value} ${figure.unit}` : 'not stated'
}

/** The last fiscal years, newest first; null for one that no filing states between two others or before them. */
function recentYears({ evidence }: Subject, last: number): (FiscalYear | null)[] {
  const [newest] = evidence.years
  return Array.from({ length: last }, (_, back) => {
    if (!newest) return null
    const about = addDays(newest.end, -Math.round(365.25 * back))
    return evidence.years.find(({ end }) => Math.abs(daysBetween(end, about)) <= 60) ?? null
  })
}

/** Equity below its threshold fails if enough of the last fiscal years closed with a loss. */
export function evaluateLosses({ test }: RuleOf<'losses'>, subject: Subject): Outcome {
  const reading = readingOf('equity', subject)
  const equity = compared(reading, test.threshold)
  const years = recentYears(subject, test.last).map(year => (year ? (figureOf(year, 'net_income')?.high ?? null) : null))
  const losses = years.filter(income => income?.startsWith('-')).length
  const unknown = years.filter(income => income === null).length
  const enough = losses >= test.losses ? 'fail' : losses + unknown >= test.losses ? 'unknown' : 'pass'
  const both = equity === 'pass' || enough === 'pass' ? 'pass' : equity === 'fail' && enough === 'fail' ? 'fail' : 'unknown'
  const exempt = both === 'fail' && test.unless !== null && isExempt(test.unless, subject)
  const readings = `losses in ${losses} of the last ${test.last} fiscal years${unknown > 0 ? `, ${unknown} not known` : ''}`
  return {
    ...nothing,
    status: exempt ? 'unknown' : both,
    reason: exempt ? `${readings}; ${test.unless?.reason}` : reading.high === null ? `${readings}; ${reading.reason}` : readings,
    value: reading.high,
    unit: 'USD',
    operator: '>=',
    threshold: test.threshold,
    at: reading.at,
    basis: reading.basis,
    documents: reading.documents,
  }
}
