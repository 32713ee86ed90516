// Screens one company at one instant: the figures known then, its market value, and a verdict under each requested edition. Pure; the reads
// are in sharia.ts.
import type { z } from 'zod'
import type { InstrumentType } from '#schemas/symbols.ts'
import type { KnownFact } from '../../datasets/fundamentals/fundamentals.ts'
import type { Ratio } from '../../datasets/prices/ratio.ts'
import type { ShariaMode, ShariaRuleset } from '../../rulesets/sharia/rules.ts'
import type { Industry, Review } from './business.ts'
import { type Figures, figureOf, figuresAt } from './figures.ts'
import { type Average, averageValue, type Market, type Missing, type Valued, valueOn } from './market-value.ts'
import { type Assessment, evaluate, type PlainFigures, type Prior } from './verdicts.ts'

export type KnownReview = Review & { readonly known_from: string; readonly source: string; readonly raw_sha256: string }
/** Everything that a screen of one symbol reads, at the release and the request's as_of. */
export type Subject = {
  readonly type: z.infer<typeof InstrumentType>
  readonly facts: readonly KnownFact[]
  readonly market: Omit<Market, 'counts'>
  /** Oldest first. */
  readonly reviews: readonly KnownReview[]
  readonly industry: Industry | null
}
/** A subject as of an instant. */
export type SubjectState = {
  readonly at: string
  readonly figures: Figures
  readonly currency: string | null
  readonly review: KnownReview | null
  readonly plain: PlainFigures
  /** The market value used by a test: 0 at the position, otherwise the average over this many months; null without statements. */
  readonly spot: Valued | Missing | null
  readonly average: (windowMonths: number) => Average | null
}

/** What was known about the subject at `at`. Averages are calculated once, on first use. */
export function subjectState(subject: Subject, at: string, figures = figuresAt(subject.facts, at)): SubjectState {
  const { balance, year } = figures
  const currency = balance?.currency ?? null
  const market: Market = { ...subject.market, counts: figures.counts }
  const averages = new Map<number, Average | null>()
  const average = (windowMonths: number): Average | null => {
    const held = averages.get(windowMonths)
    if (held !== undefined) return held
    const made = currency === null ? null : averageValue(market, at.slice(0, 10), windowMonths, currency)
    averages.set(windowMonths, made)
    return made
  }
  const spot = balance && currency !== null ? valueOn(market, balance.period_end, currency, balance.period_end) : null
  const marketValue = (windowMonths: number): Ratio | null =>
    windowMonths > 0 ? (average(windowMonths)?.value ?? null) : spot && 'value' in spot ? spot.value : null
  const of = (name: Parameters<typeof figureOf>[1]): string | null => figureOf(balance, name)?.value ?? null
  const flow = (name: Parameters<typeof figureOf>[1]): string | null => figureOf(year, name)?.value ?? null
  return {
    at,
    figures,
    currency,
    review: subject.reviews.findLast(each => Date.parse(each.known_from) <= Date.parse(at)) ?? null,
    plain: {
      debt: of('debt'),
      interest_bearing_assets: of('interest_bearing_assets'),
      cash: of('cash'),
      receivables: of('receivables'),
      total_assets: of('total_assets'),
      revenue: flow('revenue'),
      interest_income: flow('interest_income'),
      marketValue,
    },
    spot,
    average,
  }
}

/** The verdict of one edition on a subject at an instant. */
export const evaluateSubject = (
  state: SubjectState,
  subject: Pick<Subject, 'type' | 'industry'>,
  ruleset: ShariaRuleset,
  mode: ShariaMode,
  prior: Prior | null = null,
): Assessment => evaluate(ruleset, mode, state.plain, { type: subject.type, review: state.review, industry: subject.industry }, prior)
