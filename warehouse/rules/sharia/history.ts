// The history of a verdict: the rules of one edition applied at every instant at which an input became known. It is the history of the
// company under these rules, not of the rules.
import { addDays, midnight } from '#schemas/days.ts'
import type { ShariaMode, ShariaRuleset } from '../../rulesets/sharia/rules.ts'
import { shariaInputs } from '../../rulesets/sharia/rules.ts'
import { figuresOver } from './figures.ts'
import { monthEndsBefore } from './market-value.ts'
import { evaluateSubject, type Subject, subjectState } from './screen.ts'
import type { Verdict } from './verdicts.ts'

type Change = {
  readonly date: string
  readonly known_from: string
  readonly verdict: Verdict
  readonly reason: string
  readonly cause: 'start' | 'filing' | 'review' | 'month_end'
}
export type History = { readonly from: string; readonly evaluations: number; readonly changes: readonly Change[]; readonly truncated: boolean }

/** The same day this many years before. */
const yearsBefore = (day: string, years: number): string => {
  const shifted = `${String(Number(day.slice(0, 4)) - years).padStart(4, '0')}${day.slice(4)}`
  return shifted.endsWith('-02-29') ? `${shifted.slice(0, 8)}28` : shifted
}

type Instant = { readonly at: string; readonly cause: Change['cause'] }
/** The distinct instants of the last years at which a filing or a review became known or a month ended, oldest first. */
function instantsOf(subject: Subject, from: string, until: string): Instant[] {
  const found = new Map<string, Instant['cause']>([[from, 'start']])
  const add = (at: string, cause: Instant['cause']): void => {
    if (Date.parse(at) > Date.parse(from) && Date.parse(at) <= Date.parse(until) && !found.has(at)) found.set(at, cause)
  }
  for (const { known_from } of subject.reviews) add(known_from, 'review')
  for (const { known_from } of subject.facts) add(known_from, 'filing')
  for (const end of monthEndsBefore(until.slice(0, 10), 12 * shariaInputs.history_years)) add(`${addDays(end, 1)}T12:00:00Z`, 'month_end')
  return [...found].map(([at, cause]) => ({ at, cause })).sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** Changes of the verdict over the last three years up to `until`, newest first. Cost: one evaluation per filing, review and month. */
export function historyOf(subject: Subject, ruleset: ShariaRuleset, mode: ShariaMode, until: string): History {
  const from = midnight(yearsBefore(until.slice(0, 10), shariaInputs.history_years))
  const instants = instantsOf(subject, from, until)
  const changes: Change[] = []
  const figuresAt = figuresOver(subject.facts)
  for (const { at, cause } of instants) {
    const { verdict, reason } = evaluateSubject(subjectState(subject, at, figuresAt(at)), subject, ruleset, mode)
    if (changes.at(-1)?.verdict !== verdict) changes.push({ date: at.slice(0, 10), known_from: at, verdict, reason, cause })
  }
  const { history_most } = shariaInputs
  return {
    from: from.slice(0, 10),
    evaluations: instants.length,
    changes: changes.toReversed().slice(0, history_most),
    truncated: changes.length > history_most,
  }
}
