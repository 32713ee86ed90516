// The figures that continued-listing rules compare: from the numbers of a request, from the lake, or from both. A missing figure stays
// unknown, with the reason.
import { productOf, shiftDecimal } from '#schemas/decimals.ts'
import { decimalOf, over, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { DelistingRules, Measure } from '../../rulesets/delisting/rules.ts'
import { type Averages, averageState, splitFactor } from './clocks.ts'
import type { Float } from './float.ts'
import type { Basis, Evidence, Figure, Reading, Session } from './types.ts'

/** Everything that a test may read; built once per evaluation. */
export type Subject = {
  readonly evidence: Evidence
  readonly float: Float
  readonly rules: DelistingRules
  /** The last session with a close; null if none is stored. */
  readonly last: (Session & { readonly close: string }) | null
  readonly average: (sessions: number, limit: string) => Averages
}

export function subjectOf(evidence: Evidence, float: Float, rules: DelistingRules): Subject {
  const last = evidence.sessions.findLast((session): session is Session & { close: string } => session.close !== null) ?? null
  return { evidence, float, rules, last, average: (sessions, limit) => averageState(evidence.sessions, evidence.splits, limit, sessions) }
}

const missing = (reason: string, basis: Basis = 'none'): Reading => ({ high: null, low: null, at: null, basis, documents: [], reason })
const exact = (value: string, at: string | null, basis: Basis, documents: readonly string[] = []): Reading => ({
  high: value,
  low: value,
  at,
  basis,
  documents,
  reason: null,
})

export const noPrices = ({ evidence }: Subject): string => evidence.no_prices ?? 'no closing price is held'
const upperBound =
  'the float is an upper bound: holders who are not public may be in it (the request has no insider_shares, or holders above a tenth may be insiders)'
const noShares = 'the request has no total_shares, and no stored filing states the shares outstanding'
/** An average of a third of a dollar has no finite decimal form. */
const averageDecimals = 6

export function readingOf(measure: Measure, subject: Subject): Reading {
  const unmeasured = subject.rules.unmeasured.find(each => each.measure === measure)
  if (unmeasured) return missing(unmeasured.reason)
  switch (measure) {
    case 'close':
      return subject.last ? exact(subject.last.close, subject.last.date, 'lake') : missing(noPrices(subject))
    case 'publicly_held_shares':
      return heldShares(subject)
    case 'mvphs':
      return heldValue(subject)
    case 'mvls':
      return listedValue(subject)
    case 'average_market_cap':
      return averageCap(subject)
    case 'equity':
      return subject.evidence.equity
        ? dollars(subject.evidence.equity)
        : missing(subject.evidence.no_figures ?? "no filing that is held states stockholders' equity")
    default:
      return missing('nothing that is read here states it')
  }
}

/** A figure in US dollars; one in another currency is not converted. */
export const dollars = ({ value, unit, at, documents }: Figure): Reading =>
  unit === 'USD'
    ? exact(value, at, 'lake', documents)
    : { ...missing(`the filing states it in ${unit}, which is not converted`, 'lake'), at, documents }

function heldShares({ float, evidence }: Subject): Reading {
  if (float.public_float_shares === null) return missing('the request has no total_shares: the public float is not known')
  const documents = evidence.large_holders.flatMap(({ accession }) => accession ?? [])
  const low = float.publicly_held_least
  return {
    high: float.public_float_shares,
    low,
    at: null,
    basis: documents.length > 0 ? 'request_and_lake' : 'request',
    documents,
    reason: low === float.public_float_shares ? null : upperBound,
  }
}

function heldValue(subject: Subject): Reading {
  const held = heldShares(subject)
  if (held.high === null) return held
  if (!subject.last) return missing(noPrices(subject))
  const { close, date } = subject.last
  return {
    ...held,
    high: plainProduct(held.high, close),
    low: held.low === null ? null : plainProduct(held.low, close),
    at: date,
    basis: 'request_and_lake',
  }
}

/** The exact product, without zeros at its end. */
const plainProduct = (left: string, right: string): string => shiftDecimal(productOf(left, right), 0)

/** Shares outstanding: from the request, else as a filing counts them, adjusted for the splits since. */
function sharesOf(subject: Subject): { readonly shares: Ratio; readonly basis: Basis; readonly documents: readonly string[] } | null {
  const { float, evidence, last } = subject
  if (float.total_shares !== null) return { shares: ratioOf(float.total_shares), basis: 'request_and_lake', documents: [] }
  const counted = evidence.shares_outstanding
  if (!counted || !last) return null
  return { shares: times(ratioOf(counted.value), splitFactor(evidence.splits, counted.at, last.date)), basis: 'lake', documents: counted.documents }
}

function listedValue(subject: Subject): Reading {
  if (!subject.last) return missing(noPrices(subject))
  const held = sharesOf(subject)
  if (!held) return missing(noShares)
  return exact(decimalOf(times(held.shares, ratioOf(subject.last.close)), averageDecimals), subject.last.date, held.basis, held.documents)
}

function averageCap(subject: Subject): Reading {
  if (!subject.last) return missing(noPrices(subject))
  const held = sharesOf(subject)
  if (!held) return missing(noShares)
  const window = subject.rules.evidence.average_sessions
  const { last } = subject.average(window, '0')
  if (last === null) return missing(`closes of ${window} sessions in a row are not held`, 'lake')
  return exact(decimalOf(times(held.shares, last), averageDecimals), subject.last.date, held.basis, held.documents)
}

/** The measure on a session as a multiple of its close: shares adjusted back for the splits after it. Null if it is no multiple. */
export function perClose(measure: Measure, subject: Subject): ((date: string) => Ratio) | null {
  const { evidence, float, last } = subject
  if (!last) return null
  if (measure === 'close') return () => ratioOf('1')
  const held =
    measure === 'mvls'
      ? sharesOf(subject)?.shares
      : measure === 'mvphs' && float.public_float_shares !== null
        ? ratioOf(float.public_float_shares)
        : undefined
  return held ? date => over(held, splitFactor(evidence.splits, date, last.date)) : null
}
