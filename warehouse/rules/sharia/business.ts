// The verdict of a standard on a company's business: from its newest review, otherwise from its industry code, which can only fail it. A
// company without a review is unknown.
import type { z } from 'zod'
import type { BusinessActivity } from '#schemas/business-activities.ts'
import type { InstrumentType } from '#schemas/symbols.ts'
import { type Ratio, ratioOf, zero } from '../../datasets/prices/ratio.ts'
import { type ShariaRuleset, shariaInputs, sicPrior } from '../../rulesets/sharia/rules.ts'

export type Review = Pick<
  BusinessActivity,
  'symbol' | 'reviewed_at' | 'status' | 'categories' | 'impermissible_revenue_pct' | 'quote' | 'source_url' | 'accession' | 'reviewer'
>
export type Industry = { readonly sic: string; readonly title: string | null }
type BusinessStatus = 'clean' | 'prohibited' | 'questionable' | 'unknown' | 'not_covered'
export type Business = {
  readonly status: BusinessStatus
  readonly basis: 'review' | 'sic' | 'instrument' | 'none'
  readonly sentence: string
  /** The findings that count under this standard, each with its rule. */
  readonly categories: readonly {
    readonly category: string
    readonly treatment: 'excluded' | 'varies'
    readonly source: string
    readonly confidence: string
  }[]
  /** Percent of revenue from activities that the standard excludes, as a range; `high` null: not measured. */
  readonly share: { readonly low: Ratio; readonly high: Ratio | null }
}

const unmeasured = { low: zero, high: null }

type Query = { readonly type: z.infer<typeof InstrumentType>; readonly review: Review | null; readonly industry: Industry | null }

/** The standard's verdict on the business; a pure function of the rulesets. */
export function evaluateBusiness(ruleset: ShariaRuleset, { type, review, industry }: Query): Business {
  if (!shariaInputs.equity_types.includes(type))
    return {
      status: 'not_covered',
      basis: 'instrument',
      sentence: `the standards screen companies by their shares; this is of type ${type}`,
      categories: [],
      share: unmeasured,
    }
  const instrument = ruleset.instruments.find(each => each.type === type)
  if (instrument) {
    const { source, confidence } = instrument
    const categories = [{ category: `${type}_shares`, treatment: 'excluded' as const, source, confidence }]
    return { status: 'prohibited', basis: 'instrument', sentence: `the standard excludes ${type} shares`, categories, share: unmeasured }
  }
  return review ? byReview(ruleset, review) : byIndustry(ruleset, industry)
}

function byReview(ruleset: ShariaRuleset, review: Review): Business {
  const counting = findings(ruleset, review.categories)
  const measured = review.impermissible_revenue_pct === null ? null : ratioOf(review.impermissible_revenue_pct)
  const excluded = counting.filter(each => each.treatment === 'excluded')
  const reviewText = `${review.reviewer} on ${review.reviewed_at}: ${review.status}`
  // A share covers all findings together: if only some of them are certainly excluded, it is their upper bound.
  const all = excluded.length === review.categories.length
  const share = measured === null ? unmeasured : { low: all ? measured : zero, high: counting.length === 0 ? zero : measured }
  const base = { basis: 'review' as const, categories: counting, share }
  if (review.status === 'clean')
    return { ...base, status: 'clean', sentence: reviewText, share: measured === null ? unmeasured : { low: measured, high: measured } }
  if (counting.length === 0) {
    const sentence = `${reviewText}, of what the standard does not exclude (${review.categories.join(', ')})`
    return { ...base, status: 'clean', sentence, share: { low: zero, high: zero } }
  }
  const prohibited = review.status === 'prohibited' && excluded.length > 0
  return { ...base, status: prohibited ? 'prohibited' : 'questionable', sentence: reviewText }
}

function byIndustry(ruleset: ShariaRuleset, industry: Industry | null): Business {
  const row = industry ? sicPrior.rows.find(each => each.sic === industry.sic) : undefined
  const counting = row ? findings(ruleset, [row.category]).filter(each => each.treatment === 'excluded') : []
  if (row && counting.length > 0) {
    const sentence = `SIC ${row.sic} (${row.title}), which may only fail a company`
    return { status: 'prohibited', basis: 'sic', sentence, categories: counting, share: unmeasured }
  }
  return { status: 'unknown', basis: 'none', sentence: 'nobody reviewed it', categories: [], share: unmeasured }
}

const findings = (ruleset: ShariaRuleset, categories: readonly string[]): Business['categories'] =>
  ruleset.activities
    .filter(each => categories.includes(each.category))
    .map(({ category, treatment, source, confidence }) => ({ category, treatment, source, confidence }))
