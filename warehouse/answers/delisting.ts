// Delisting risk as an answer: the lake's data about the ticker, evaluated by a dated ruleset. Not signed and not stored, because the
// numbers of the request belong to the client.

import type { Source } from '#schemas/answer.ts'
import type { DelistingRiskRequest } from '#schemas/compliance.ts'
import { midnight } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { symbolReadings } from '#schemas/spelling.ts'
import { digits, type ReleaseContext, sourceTitle, upstreamSources } from '../context/answer.ts'
import { isCanadian, issuerOf } from '../context/cross-listing.ts'
import { interlisted } from '../datasets/symbols/interlisted.ts'
import type { Check } from '../rules/delisting/checks.ts'
import { type DelistingAssessment, evaluateDelisting } from '../rules/delisting/evaluate.ts'
import { evidenceDatasets, findEvidence, type Gathered, noEvidence } from '../rules/delisting/evidence.ts'
import type { Evidence } from '../rules/delisting/types.ts'
import { characterPlaces } from '../rules/drill/fold.ts'
import { type DelistingRules, delistingRules } from '../rulesets/delisting/rules.ts'
import { leastSure } from '../rulesets/editions.ts'

export type DelistingAnswer = {
  readonly body: ReturnType<typeof delistingBody>
  readonly as_of: string
  readonly release: number | null
  readonly sources: readonly Source[]
}

/** Evaluates a request by the named edition (the newest by default). If `context` is null, there is no lake, and checks that need one are unknown. */
export async function buildDelisting(
  context: ReleaseContext | null,
  request: DelistingRiskRequest,
  ruleset: string | undefined,
): Promise<DelistingAnswer> {
  const rules = delistingRules(ruleset)
  const { gathered, coverage, head } = await gather(context, request.ticker, rules)
  const verdict = evaluateDelisting(request, gathered.evidence, rules)
  return {
    body: delistingBody(request, verdict, gathered, coverage, rules),
    as_of: head?.as_of ?? midnight(rules.published),
    release: head?.release ?? null,
    sources: sourcesOf(verdict, gathered),
  }
}

type Gathering = {
  readonly gathered: Gathered
  readonly coverage: string
  readonly head: { readonly as_of: string; readonly release: number } | null
}

async function gather(context: ReleaseContext | null, ticker: string, rules: DelistingRules): Promise<Gathering> {
  const readings = symbolReadings(ticker)
  const [likeliest] = readings
  if (!likeliest) throw noSymbol(ticker)
  const nothing = (symbol: string, reason: string): Gathering => ({
    gathered: { evidence: noEvidence(symbol, rules.published, reason), filings: [], prices: [], corrected: {} },
    coverage: reason,
    head: null,
  })
  if (context === null) return nothing(likeliest.symbol, 'no data are held here: what needs prices, filings or figures is unknown')
  const symbol = readings.find(each => context.symbols.find(each.symbol))?.symbol ?? likeliest.symbol
  const listing = context.symbols.find(symbol)
  const known = listing !== null || context.issuers.cikOf(symbol) !== null
  const issuer = known ? await issuerOf(context, symbol) : null
  const { release, committed_at } = context.lake.versionOf(evidenceDatasets)
  const requested = { symbol, listing, cik: issuer?.cik ?? null, committed: committed_at.slice(0, 10) }
  const gathered = await findEvidence(context.lake, context.symbols, requested, rules)
  if (!known && gathered.evidence.no_prices !== null)
    return nothing(symbol, `${symbol} is in no directory that is held: what needs prices, filings or figures is unknown`)
  return { gathered, coverage: coverageOf(gathered.evidence, context, rules), head: { as_of: committed_at, release } }
}

const noSymbol = (ticker: string): BadRequest =>
  new BadRequest(`ticker ${JSON.stringify(ticker)} is no symbol`, {
    status: 422,
    code: 'validation_error',
    hint: 'US symbols are bare (AAPL, BRK-B), Toronto ends in .TO, TSX Venture in .V',
    items: [{ loc: ['body', 'ticker'], msg: 'expected a symbol such as AAPL, BRK-B or RY.TO', type: 'not_valid' }],
  })

/** The data stored for the ticker, one sentence per part. */
function coverageOf(evidence: Evidence, { symbols }: ReleaseContext, rules: DelistingRules): string {
  const { sessions, no_prices, no_figures, no_filings, listing, symbol } = evidence
  const [first, last] = [sessions[0], sessions.at(-1)]
  const abroad = isCanadian(symbol) ? interlisted(symbols, symbol).filter(each => !isCanadian(each)) : []
  const parts = [
    no_prices ?? `closes of ${sessions.length} sessions from ${first?.date} to ${last?.date}`,
    ...(abroad.length > 0 ? [`its line in the United States is ${abroad.join(', ')}`] : []),
    ...(listing && !rules.evidence.share_types.includes(listing.type)
      ? [`${symbol} is listed as ${listing.type}: these rules are of primary equity securities`]
      : []),
    no_figures ?? 'figures of XBRL facts as filed',
    no_filings ?? 'filings of the issuer',
  ]
  return [...new Set(parts)].join('; ')
}

/** The body of the answer, also used by the command line. */
export function delistingBody(
  request: DelistingRiskRequest,
  evaluated: DelistingAssessment,
  { evidence, corrected }: Gathered,
  coverage: string,
  rules: DelistingRules,
) {
  const { exchange, checks, float, auditor, score } = evaluated
  const place = characterPlaces(request.press_release_text)
  const failing = checks.filter(check => check.status === 'fail' && check.role === 'required')
  return {
    ruleset: rules.ruleset,
    ruleset_valid_from: rules.valid_from,
    ruleset_valid_to: rules.valid_to,
    ticker: evidence.symbol,
    exchange: exchange.name,
    exchange_id: exchange.id,
    exchange_coverage: { status: exchange.coverage, sentence: exchange.sentence },
    listed_elsewhere: evaluated.other_exchange,
    day: evidence.day,
    coverage,
    score: digits(score.score),
    score_coverage_pct: digits(score.coverage_pct),
    score_sufficient: score.sufficient,
    failing: failing.map(({ row }) => row.id),
    watching: checks.filter(({ status }) => status === 'watch').map(({ row }) => row.id),
    unknown: checks.filter(check => check.status === 'unknown' && check.role === 'required').map(({ row }) => row.id),
    count: checks.length,
    checks: checks.map(checkOnWire),
    float: {
      total_shares: digits(float.total_shares),
      public_float_shares: digits(float.public_float_shares),
      publicly_held_shares_least: digits(float.publicly_held_least),
      retail_float_shares: digits(float.retail_float_shares),
      public_float_pct: digits(float.public_float_pct),
      insider_pct: digits(float.insider_pct),
      institutional_pct: digits(float.institutional_pct),
      restricted_pct: digits(float.restricted_pct),
      retail_pct: digits(float.retail_pct),
      band: float.band,
      flags: float.flags,
      large_holders: evidence.large_holders.map(({ shares, percent, ...rest }) => ({ ...rest, shares: digits(shares), percent: digits(percent) })),
      ...corrected,
    },
    auditor,
    press_release: evaluated.cues.map(({ cue, status, count, places }) => ({
      cue: cue.cue,
      title: cue.title,
      status,
      count,
      points_pct: cue.points,
      evidence: places.map(({ start, end, status: cueStatus }) => ({ start: place(start), end: place(end), status: cueStatus })),
    })),
    score_breakdown: score.parts.map(({ share_pct, points, from, unknown, ...part }) => ({
      ...part,
      share_pct: digits(share_pct),
      points: digits(points),
      from,
      not_known: unknown,
    })),
    confidence: leastSure([exchange.confidence, ...checks.map(({ row }) => row.confidence)]),
    rules_sources: rulesSources(evaluated, rules),
    assumptions: rules.assumptions,
    not_covered: rules.not_covered,
    rounding: rules.rounding,
    not_advice: true as const,
  }
}

function checkOnWire({ row, ...check }: Check) {
  return {
    id: row.id,
    rule: row.rule,
    title: row.title,
    tiers: row.tiers,
    role: check.role,
    standards: row.standards,
    status: check.status,
    would_be: check.would_be,
    reason: check.reason,
    value: digits(check.value),
    value_at_least: digits(check.value_low),
    unit: check.unit,
    operator: check.operator,
    threshold: digits(check.threshold),
    distance_to_breach: digits(check.distance),
    distance_to_breach_pct: digits(check.distance_pct),
    value_as_of: check.at,
    from: check.basis,
    documents: [...new Set(check.documents)],
    clock: check.clock,
    consequence: row.consequence,
    rule_status: row.status,
    effective_from: row.effective_from,
    valid_from: row.valid_from,
    confidence: row.confidence,
    source_ids: row.source,
    note: row.note,
  }
}

/** The sources that the used rows of the ruleset name. */
function rulesSources({ exchange, checks }: DelistingAssessment, rules: DelistingRules) {
  const used = new Set([...exchange.source, ...rules.auditor.source, ...checks.flatMap(({ row }) => row.source)])
  return rules.sources.filter(({ id }) => used.has(id))
}

/** The filings that checks cite, then the upstreams of the prices. */
function sourcesOf({ checks, float }: DelistingAssessment, { evidence, filings, prices }: Gathered): Source[] {
  const holders = float.public_float_shares === null ? [] : evidence.large_holders.flatMap(({ accession }) => accession ?? [])
  const used = new Set([...checks.flatMap(({ documents }) => documents), ...holders])
  const byAccession = new Map(filings.flatMap(row => (row.accession === null ? [] : [[row.accession, row] as const])))
  const named = [...used].sort().flatMap(accession => {
    const row = byAccession.get(accession)
    return row ? [{ name: sourceTitle(row.source), accession, url: row.url, retrieved_at: null, sha256: row.raw_sha256 }] : []
  })
  return [...named, ...upstreamSources(prices)]
}
