// Delisting risk of one listing: a request, the lake's evidence and a ruleset in; every check, the float, the auditor, the words of a
// press release and the score out. Pure: the same three give the same answer.
import type { DelistingRiskRequest } from '#schemas/compliance.ts'
import type { DelistingRules, Exchange } from '../../rulesets/delisting/rules.ts'
import { type AuditorVerdict, evaluateAuditor, type Flag } from './auditor.ts'
import { type Check, evaluateChecks } from './checks.ts'
import { type FoundCue, readCues } from './cues.ts'
import { exchangeOf, otherExchange } from './exchange.ts'
import { type Float, floatOf } from './float.ts'
import { subjectOf } from './measures.ts'
import { type Contribution, type Score, scoreOf } from './score.ts'
import type { Evidence } from './types.ts'

export type DelistingAssessment = {
  readonly exchange: Exchange
  readonly other_exchange: string | null
  readonly checks: readonly Check[]
  readonly float: Float
  readonly auditor: AuditorVerdict
  readonly cues: readonly FoundCue[]
  readonly score: Score
}

/** Evaluates a listing as of `evidence.day`. Throws `BadRequest`: 422 for an unknown exchange or country, 400 for contradictory share numbers. */
export function evaluateDelisting(request: DelistingRiskRequest, evidence: Evidence, rules: DelistingRules): DelistingAssessment {
  const exchange = exchangeOf(request.exchange, evidence, rules)
  const float = floatOf(request, evidence.large_holders, rules)
  const cues = readCues(request.press_release_text, rules)
  const checks = evaluateChecks(subjectOf(evidence, float, rules), exchange, request)
  const vie = cues.find(({ cue }) => cue.cue === 'vie_structure')
  const changed = checks.find(({ row }) => row.id === 'auditor_recently_changed')?.status
  const auditor = evaluateAuditor(request, rules, {
    // A release that does not mention the structure is no evidence about it.
    vie: vie === undefined ? 'unknown' : vie.status === 'raised' ? 'raised' : 'clear',
    changed: changed === 'watch' ? 'raised' : changed === 'pass' ? 'clear' : 'unknown',
  } satisfies { vie: Flag['status']; changed: Flag['status'] })
  const hasText = request.press_release_text.trim() !== ''
  // If the exchange has no rules here, only the auditor and the words would count: no score of a listing.
  const contributions = exchange.coverage === 'covered' ? contributionsOf(checks, auditor, cues, hasText, rules) : []
  return {
    exchange,
    other_exchange: otherExchange(exchange, evidence, rules),
    checks,
    float,
    auditor,
    cues,
    score: scoreOf(contributions, [rules.signals.component], rules),
  }
}

function contributionsOf(
  checks: readonly Check[],
  auditor: AuditorVerdict,
  cues: readonly FoundCue[],
  hasText: boolean,
  { auditor: { weights }, signals }: DelistingRules,
): Contribution[] {
  const own = checks.flatMap(({ row, status }): Contribution[] =>
    row.component === null || status === 'proposed'
      ? []
      : [
          {
            component: row.component,
            from: row.id,
            share_pct: status === 'unknown' ? null : status === 'fail' || status === 'watch' ? row.severity_pct : 0,
            unsaid: status === 'not_applicable',
          },
        ],
  )
  const share = { breach: weights.identified_pct, watch: weights.watch_pct, clear: 0 }[auditor.status]
  return [
    ...own,
    { component: weights.component, from: 'auditor_jurisdiction', share_pct: share },
    { component: signals.component, from: 'press_release_text', share_pct: hasText ? 0 : null },
    ...cues.filter(({ status }) => status === 'raised').map(({ cue }) => ({ component: signals.component, from: cue.cue, share_pct: cue.points })),
  ]
}
