// Sharia screens of a symbol: a verdict under each of the five standards, and one edition with its months and its history.
import { BadRequest } from '#schemas/errors.ts'
import type { Built, ReleaseContext } from '../context/answer.ts'
import { historyOf } from '../rules/sharia/history.ts'
import { evaluateSubject } from '../rules/sharia/screen.ts'
import { type Prior, verdictsOf } from '../rules/sharia/verdicts.ts'
import {
  currentRuleset,
  rulesetNamed,
  type ShariaMode,
  type ShariaRuleset,
  shariaInputs,
  shariaRulesets,
  sicPrior,
} from '../rulesets/sharia/rules.ts'
import { type FiledAt, printedAverage, printedValued, printedVerdict } from './sharia-print.ts'
import { obstacles, type Screened, screenedOf, shariaDatasets } from './sharia-subject.ts'
import type { Answers, QuestionOf } from './types.ts'

export const filedAtOf = ({ subject }: Screened): FiledAt => new Map(subject.facts.map(({ accession, known_from }) => [accession, known_from]))
const inputRulesets = { inputs: shariaInputs.ruleset, sic_prior: sicPrior.ruleset }

/** A company that does not file with the SEC is not covered, unless its known business already decides. */
function uncovered({ issuer }: Screened, printed: object): object {
  const { verdict } = printed as { verdict: string }
  return issuer === null && verdict === 'unknown'
    ? { ...printed, verdict: 'not_covered', reason: 'its issuer is not known to file with the SEC' }
    : printed
}

/** The fields about the company that both screens print before any standard. */
function headOf(screened: Screened): object {
  const { symbol, issuer, company, subject, coverage, state, industry, line } = screened
  const { balance, year } = state.figures
  const review = state.review
  return {
    symbol,
    cik: issuer?.cik ?? null,
    cik_basis: issuer?.basis ?? null,
    company,
    type: subject.type,
    coverage,
    rulesets: inputRulesets,
    review: review && {
      symbol: review.symbol,
      status: review.status,
      categories: review.categories,
      impermissible_revenue_pct: review.impermissible_revenue_pct === null ? null : JSON.rawJSON(review.impermissible_revenue_pct),
      quote: review.quote,
      source_url: review.source_url,
      accession: review.accession,
      reviewed_at: review.reviewed_at,
      reviewer: review.reviewer,
    },
    industry: industry && { sic: industry.sic, title: industry.title },
    position: balance && {
      period_end: balance.period_end,
      currency: balance.currency,
      fiscal_year: year?.fiscal_year ?? null,
      fiscal_year_start: year?.period_start ?? null,
      fiscal_year_end: year?.period_end ?? null,
    },
    market_value: {
      symbol: line.symbol,
      currency: state.currency,
      obstacle: line.obstacle === null ? null : obstacles[line.obstacle],
      spot: state.spot && printedValued(state.spot),
      averages: [24, 36].flatMap(months => {
        const average = state.average(months)
        return average ? [printedAverage(average)] : []
      }),
    },
  }
}

/** The five standards' current editions side by side, never merged. */
async function buildShariaScreenAll(context: ReleaseContext, question: QuestionOf<'get_sharia_screen_all'>): Promise<Built> {
  const screened = await screenedOf(context, question.symbol, question.as_of ?? null, 'screen')
  const { subject, state } = screened
  const filedAt = filedAtOf(screened)
  const { type, industry } = subject
  const verdicts = verdictsOf(state.plain, { type, review: state.review, industry }).map(assessment =>
    uncovered(screened, printedVerdict(assessment, state, filedAt, null)),
  )
  return {
    body: { ...headOf(screened), count: verdicts.length, verdicts },
    sources: screened.sources(),
    origins: screened.origins,
    datasets: shariaDatasets,
  }
}

/** The requested edition, by name or as the current one of a standard. */
function editionOf({ standard, ruleset }: QuestionOf<'get_sharia_screen'>): ShariaRuleset {
  const known = shariaRulesets.map(each => each.ruleset).join(', ')
  if (ruleset === undefined) {
    if (standard !== undefined) return currentRuleset(standard)
    throw new BadRequest('neither standard nor ruleset is given', { hint: 'standard=aaoifi, djim, ftse, msci or sp; or ruleset= one edition' })
  }
  const found = rulesetNamed(ruleset)
  if (!found) throw new BadRequest(`no ruleset ${ruleset} is known`, { hint: `one of ${known}` })
  if (standard !== undefined && standard !== found.standard)
    throw new BadRequest(`ruleset ${ruleset} is of ${found.standard}, not of ${standard}`, {
      hint: `leave standard out, or say standard=${found.standard}`,
    })
  return found
}

/** The mode of a request. `index` needs the previous verdict; the stateless default of an index of two limits is entry. */
function modeOf(ruleset: ShariaRuleset, question: QuestionOf<'get_sharia_screen'>): { mode: ShariaMode; prior: Prior | null } {
  const requested =
    question.mode === 'point_in_time' && !ruleset.modes.includes('point_in_time') ? ruleset.default_mode : (question.mode ?? ruleset.default_mode)
  const { prior_verdict: verdict, prior_evaluations: evaluations } = question
  if (!ruleset.modes.includes(requested))
    throw new BadRequest(`${ruleset.ruleset} has no mode ${requested}`, { hint: `its modes are ${ruleset.modes.join(', ')}` })
  if (requested !== 'index') {
    if (verdict !== undefined || evaluations !== undefined)
      throw new BadRequest(`prior_verdict and prior_evaluations belong to mode=index, not to ${requested}`, {
        hint: 'leave them out, or ask with mode=index',
      })
    return { mode: requested, prior: null }
  }
  if (verdict === undefined)
    throw new BadRequest('mode=index requires the verdict of the previous evaluation', {
      hint: 'prior_verdict=compliant or non_compliant; with prior_evaluations, the number of consecutive previous evaluations on the other side of the limit',
    })
  return { mode: 'index', prior: { verdict, evaluations: evaluations ?? 0 } }
}

/** One edition with every month of its market value, and the history of the verdict. */
async function buildShariaScreen(context: ReleaseContext, question: QuestionOf<'get_sharia_screen'>): Promise<Built> {
  const ruleset = editionOf(question)
  const { mode, prior } = modeOf(ruleset, question)
  const screened = await screenedOf(context, question.symbol, question.as_of ?? null, 'history')
  const { subject, state, issuer } = screened
  const assessment = evaluateSubject(state, subject, ruleset, mode, prior)
  const window = Math.max(0, ...ruleset.tests.map(test => test.window_months ?? 0))
  const average = window > 0 ? state.average(window) : null
  const past = issuer === null || mode === 'index' ? null : historyOf(subject, ruleset, mode, state.at)
  return {
    body: {
      ...headOf(screened),
      prior: prior && { verdict: prior.verdict, evaluations: prior.evaluations },
      ...uncovered(screened, printedVerdict(assessment, state, filedAtOf(screened), prior)),
      months: (average?.months ?? []).map(printedValued),
      history: past && {
        from: past.from,
        to: state.at.slice(0, 10),
        evaluations: past.evaluations,
        basis: 'this edition applied again when a filing or a review became known and when a month was over; a close counts as known from its day',
        truncated: past.truncated,
        changes: past.changes,
      },
    },
    sources: screened.sources(),
    origins: screened.origins,
    datasets: shariaDatasets,
  }
}

export const shariaAnswers = {
  get_sharia_screen_all: { build: buildShariaScreenAll },
  get_sharia_screen: { build: buildShariaScreen },
} satisfies Answers
