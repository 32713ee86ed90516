// An interpretation of drill results as an answer. It reads no dataset: it depends only on its request and a dated ruleset, and its day is
// the publication day of the ruleset.
import { midnight } from '#schemas/days.ts'
import { roundedDecimal } from '#schemas/decimals.ts'
import { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest } from '#schemas/errors.ts'
import { inputSha256 } from '#schemas/operations/canonical.ts'
import { type Built, digits, type ReleaseContext } from '../context/answer.ts'
import { equivalentFactor } from '../rules/drill/equivalents.ts'
import { characterPlaces } from '../rules/drill/fold.ts'
import { interpretInWorker } from '../rules/drill/in-thread.ts'
import type { EvaluatedTree, Interpretation } from '../rules/drill/interpret.ts'
import type { Grade, Span } from '../rules/drill/types.ts'
import { gradeName, normalGrade, tidy } from '../rules/drill/units.ts'
import { type DrillRules, drillRules, drillRulesOf } from '../rulesets/drill/rules.ts'
import { underRuleset } from './complete.ts'
import type { Answers, QuestionOf } from './types.ts'

/** Limit for lists of texts that are not results. */
const mostUnread = 500

/** `request`: the validated body of the request. */
async function buildDrill(_context: ReleaseContext, question: QuestionOf<'interpret_drill'> & { readonly body?: unknown }): Promise<Built> {
  const rules = drillRulesOf(question.ruleset)
  const request = DrillInterpretRequest.safeParse(question.body)
  if (!request.success) throw new BadRequest('the request body is missing', { status: 422, code: 'validation_error', hint: 'POST {"text": "…"}' })
  return {
    body: drillBody(request.data, await interpretInWorker(request.data, rules), rules),
    sources: rules.sources.map(({ id, name, url }) => ({ name: `${id}: ${name}`, accession: null, url, retrieved_at: null, sha256: null })),
    origins: [],
    datasets: [],
    as_of: midnight(rules.published),
  }
}

/** The body of the answer, also printed by the command line. */
export function drillBody(request: DrillInterpretRequest, read: Interpretation, rules: DrillRules) {
  const place = characterPlaces(request.text)
  const span = ({ start, end }: Span) => ({ start: place(start), end: place(end) })
  return {
    ruleset: rules.ruleset,
    ruleset_valid_from: rules.valid_from,
    ruleset_valid_to: rules.valid_to,
    input_sha256: inputSha256(request),
    deposit_type: request.deposit_type,
    count: read.count,
    intervals: read.intervals.map(each => intervalOnWire(each, rules, span)),
    flags: read.flags.map(flag => ({ ...flag, evidence: flag.evidence.map(span) })),
    checklist: read.checklist.map(item => ({ ...item, evidence: item.evidence.map(span) })),
    unread_count: read.unread.length,
    unread: read.unread
      .slice(0, mostUnread)
      .map(each => ({ reason: each.reason, detail: each.detail, evidence: each.span ? [span(each.span)] : [] })),
    disagreements: read.disagreements.map(each => ({ ...each })),
    units_normalised_to: { length: 'm', precious_metals: 'g/t', other_metals: '%' },
    equivalents_reckoned_with: deckOnWire(read, rules),
    true_width_statement: widthStatement(read, span),
    assumptions: [
      ...rules.assumptions,
      ...(read.style === 'comma' ? ['a comma is the decimal mark of this text'] : []),
      ...(request.deposit_type === 'default'
        ? [`deposit type: ${rules.default_depth.shallow} above ${rules.default_depth.metres} m of depth, ${rules.default_depth.deep} below`]
        : []),
    ],
    not_covered: rules.not_covered,
    reading_guide: rules.reading.note,
    rounding: rules.rounding,
    not_advice: true,
  }
}

/** An interval as it is printed; its parts are the same. */
type OnWire = ReturnType<typeof wholeOnWire> & { readonly including: readonly OnWire[] }
const intervalOnWire = (evaluated: EvaluatedTree, rules: DrillRules, span: (span: Span) => object): OnWire => ({
  ...wholeOnWire(evaluated, rules, span),
  including: evaluated.parts.map(part => intervalOnWire(part, rules, span)),
})
function wholeOnWire(evaluated: EvaluatedTree, rules: DrillRules, span: (span: Span) => object) {
  const { node, width, band } = evaluated
  const { raw } = node
  return {
    ref: evaluated.ref,
    hole: raw.hole ?? evaluated.parent?.node.raw.hole ?? null,
    origin: evaluated.origin,
    length_m: digits(tidy(node.length)),
    length_as_printed: raw.length && `${raw.length.value} ${raw.length.unit}`,
    length_basis: raw.isTrueWidth ? 'true_width' : 'core_length',
    from_m: digits(node.from && tidy(node.from)),
    to_m: digits(node.to && tidy(node.to)),
    true_width: width && { basis: width.basis, low_m: digits(tidy(width.low)), high_m: digits(tidy(width.high)) },
    grades: raw.grades.map(grade => gradeOnWire(grade, evaluated, rules)),
    derived: {
      grade_thickness: evaluated.thickness.map(({ value, ...rest }) => ({
        metal: rest.metal,
        value: digits(value),
        unit: rest.unit,
        basis: rest.basis,
        reading: rest.reading,
      })),
      residual: evaluated.residuals.map(each => ({
        metal: each.metal,
        grade: digits(each.grade),
        unit: each.unit,
        length_m: digits(each.length_m),
        share: digits(each.share),
        consistent: each.consistent,
      })),
      equivalents: evaluated.equivalents.map(each => ({
        ...each,
        value: digits(each.value),
        stated: digits(each.stated),
        difference_pct: digits(each.difference_pct),
      })),
    },
    band: { ...band, grade: digits(band.grade), low_below: digits(band.low_below), high_from: digits(band.high_from) },
    evidence: [...(raw.span ? [raw.span] : []), ...node.mentions].map(span),
  }
}

function gradeOnWire(grade: Grade, { node }: EvaluatedTree, rules: DrillRules) {
  const normal = normalGrade(grade, node.raw.length?.unit ?? 'm', rules)
  return {
    metal: gradeName(grade),
    value: digits(grade.value),
    unit: grade.unit,
    qualifier: grade.qualifier,
    capped: grade.capped,
    normalised_value: digits(normal && tidy(normal.value)),
    normalised_unit: normal?.unit ?? null,
  }
}

/** Prices and recoveries of the metals that were read, and the gold value of a unit of each. */
function deckOnWire(read: Interpretation, rules: DrillRules): object[] {
  const named = new Set<string>()
  const look = (trees: readonly EvaluatedTree[]): void => {
    for (const tree of trees) {
      for (const grade of tree.node.raw.grades) if (grade.metal) named.add(grade.metal)
      look(tree.parts)
    }
  }
  look(read.intervals)
  const stated = new Set(read.stated.prices.map(price => price.metal))
  return rules.metals
    .filter(({ metal }) => named.has(metal))
    .map(({ metal, unit, price }) => {
      const used = read.deck.prices.get(metal)
      const factor = equivalentFactor('Au', metal, read.deck, rules)
      return {
        metal,
        price_usd: digits(used?.value ?? null),
        per: used?.per ?? null,
        price_from: used === undefined ? null : stated.has(metal) ? 'text' : `${rules.ruleset} (${price?.date}, ${price?.source})`,
        recovery_pct: digits(read.deck.recoveries.get(metal) ?? '100'),
        recovery_from: read.deck.recoveries.has(metal) ? 'text' : 'assumed',
        gold_factor: digits(factor && roundedDecimal(factor, 6)),
        gold_factor_per: unit,
      }
    })
}

function widthStatement(read: Interpretation, span: (span: Span) => object): object | null {
  const { share, places } = read.statement
  if (share) return { status: 'share_of_core_length', low_pct: digits(share.low), high_pct: digits(share.high), evidence: [span(share)] }
  if (places.true_width_unknown.length > 0) return { status: 'unknown', low_pct: null, high_pct: null, evidence: places.true_width_unknown.map(span) }
  return places.true_width.length > 0 ? { status: 'stated', low_pct: null, high_pct: null, evidence: places.true_width.map(span) } : null
}

export const drillAnswers = {
  interpret_drill: { build: buildDrill, complete: underRuleset(drillRules.ruleset) },
} satisfies Answers
