// The topic of a question: the best scored one, after the few rules that need more than words.
import type { Conversation } from '#schemas/assistant.ts'
import type { Topic } from './lexicon.ts'
import type { Scored } from './score-topics.ts'
import type { Token } from './tokens.ts'

export type TopicContext = {
  readonly tokens: readonly Token[]
  readonly wordSet: ReadonlySet<string>
  readonly followUp: boolean
  readonly otherLine: 'US' | 'CA' | null
  readonly conversation: Conversation | null
  readonly symbols: readonly string[]
  readonly names: readonly { readonly value: string }[]
  readonly found: { readonly countries: readonly string[] }
  readonly numbers: readonly string[]
  /** A period other than today or a time ahead is named. */
  readonly ranged: boolean
  /** The question asks for a price or an amount. */
  readonly requestsAmount: boolean
  readonly pronoun: boolean
  /** The question has words that may be a name and are in no directory. */
  readonly strangers: boolean
}
export type Decision = {
  readonly topic: Topic | null
  readonly score: number /** The topic was taken over from the question before. */
  readonly carried: boolean
}

/** Fields that are computed over fixed spans: with a period in the question, it is about daily bars. */
const spanFields: ReadonlySet<string> = new Set([
  'return_ytd_pct',
  'return_1m_pct',
  'return_1y_pct',
  'high_52w',
  'low_52w',
  'change_1d_pct',
  'volume',
])
/** Topics of a listing that words of macro series belong to as well. */
const ofListings: readonly Topic[] = ['price', 'history', 'statistic', 'line_item', 'worth', 'why_moved']
const superlatives = [
  'top',
  'highest',
  'lowest',
  'biggest',
  'largest',
  'smallest',
  'best',
  'worst',
  'cheapest',
  'gainer',
  'loser',
  'mover',
  'rank',
  'screen',
]
const many = ['stock', 'company', 'listing', 'name', 'etf', 'share', 'bank', 'miner', 'reit', 'issuer', 'ticker']

const officers = ['insider', 'director', 'officer', 'executive', 'ceo', 'cfo', 'chairman', 'president', 'founder']

export function decide(scored: readonly Scored[], context: TopicContext): Decision {
  const scores = new Map<Topic, number>()
  // A word that means a price or a move only if nothing else is asked.
  const isWeak = ({ entry }: Scored): boolean => (entry.bonus ?? 0) < 0
  const strong = scored.filter(each => !isWeak(each) && each.score >= 0.9)
  for (const { entry, score } of strong.length > 0 ? scored.filter(each => !isWeak(each)) : scored)
    scores.set(entry.topic, Math.max(scores.get(entry.topic) ?? 0, score))
  const { conversation, symbols, names, followUp, otherLine, tokens, ranged, wordSet } = context
  const scoreOf = (topic: Topic): number => scores.get(topic) ?? 0
  const raise = (topic: Topic, by: number): void => void scores.set(topic, scoreOf(topic) + by)
  const before = (conversation?.measure ?? null) as Topic | null
  // "same for its US line": the measure stays, the line changes.
  const [top] = [...scores.entries()].sort((a, b) => b[1] - a[1])
  if (
    before !== null &&
    followUp &&
    otherLine !== null &&
    (top === undefined || top[0] === 'other_line' || top[0] === 'listing' || top[0] === 'pairs')
  )
    return { topic: before, score: 1, carried: true }
  // "What would it cost if I buy …" asks; "buy …" orders.
  if (context.requestsAmount) scores.delete('write')
  const named = symbols.length > 0 || names.length > 0
  const about = named || (conversation?.subject?.kind === 'listing' && !many.some(each => wordSet.has(each)))
  const statistic = scoreOf('statistic')
  const fields = scored.filter(each => each.entry.topic === 'statistic').map(each => each.entry.inputs?.['field'] ?? '')
  // A superlative of no company in particular is a screen; of one company it is its highest and lowest price.
  if (named) raise('screen', -2)
  else if (
    statistic > 0 &&
    (scoreOf('screen') > 0 || (!about && many.some(each => wordSet.has(each)))) &&
    (!about || superlatives.some(each => wordSet.has(each)) || many.some(each => wordSet.has(each)))
  )
    raise('screen', statistic + 1)
  if (about && ranged && (scoreOf('history') > 0 || (statistic > 0 && fields.every(each => spanFields.has(each))))) {
    if (fields.every(each => spanFields.has(each))) scores.set('history', Math.max(scoreOf('history'), statistic) + 0.5)
  }
  // "cash" alone is a line of the balance sheet only where a company is meant.
  if (!named && conversation?.subject?.kind !== 'listing' && !context.found.countries.length) raise('line_item', -0.5)
  if (named && scoreOf('macro') > 0) raise('macro', context.found.countries.length === 0 ? -1 : -0.5)
  // "How high is inflation in America right now" asks for no listing.
  if (!about && scoreOf('macro') >= 1) for (const topic of ofListings) if (scoreOf(topic) > 0) raise(topic, -1.5)
  // "What does BRLX say about supply chain in its risk factors?" is about a report, not about a call.
  if (wordSet.has('risk') && wordSet.has('factor') && !wordSet.has('call')) scores.delete('concalls')
  // The shares of an officer are in Forms 3, 4 and 5, not in Form 13F.
  if (scoreOf('holders') > 0 && officers.some(each => wordSet.has(each))) raise('insiders', scoreOf('holders'))
  // "GLPR.TO close on 10 November" asks for no hours.
  if (symbols.length > 0) scores.delete('market_hours')
  if (named || context.strangers) {
    if (scoreOf('ipo_calendar') > 0) raise('offering', scoreOf('ipo_calendar') + (scoreOf('offering') > 0 ? 0.5 : 0.1))
    for (const topic of ['economic_calendar', 'market_hours'] as const) if (scoreOf(topic) > 0) raise(topic, -3)
    if (!many.some(each => wordSet.has(each)) && scoreOf('report_calendar') > 0) raise('report_date', scoreOf('report_calendar'))
  }
  if (
    conversation?.subject?.kind === 'manager' &&
    !named &&
    ['buy', 'bought', 'sell', 'sold', 'add', 'added', 'trim', 'trimmed', 'change'].some(each => wordSet.has(each))
  )
    raise('manager_changes', 3)
  const [best] = [...scores.entries()].filter(([, score]) => score > 0.6).sort((a, b) => b[1] - a[1])
  if (best === undefined) {
    // Only what continues the conversation takes over its topic, and a listing takes none that is about no listing.
    const fitting = !named || conversation?.subject?.kind === 'listing'
    if (before !== null && fitting && (followUp || context.pronoun || tokens.length <= 3)) return { topic: before, score: 0.5, carried: true }
    return named ? { topic: 'overview', score: 0.5, carried: false } : { topic: null, score: 0, carried: false }
  }
  // A word of another topic in a short follow-up does not change the topic: "and the prior year?".
  if (before !== null && followUp && best[1] <= 1.5 && tokens.length <= 5 && ['listing', 'screen', 'history', 'market_hours'].includes(best[0]))
    return { topic: before, score: best[1], carried: true }
  return { topic: best[0], score: best[1], carried: best[0] === before && followUp }
}
