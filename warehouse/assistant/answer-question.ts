// Answers a question in English; the figures of the answer are claims. Rules plan and write it, without a language model: understand
// (words), topic (calls), writer (parts), then Markdown, claims and citations.

import {
  type AnswerEvent,
  type AssistantAnswer,
  assistantRuleset,
  type Candidate,
  type Citation,
  type Conversation,
  type Envelope,
  emptyConversation,
  emptyProfile,
  type Profile,
  type RefusalCode,
  rulesModel,
} from '#schemas/assistant.ts'
import { utcDay } from '#schemas/days.ts'
import type { CallOperation } from '#schemas/operation-calls.ts'
import { type Calls, createCalls, maxCalls } from './calls.ts'
import { claimsOf, given, plain, word } from './claims.ts'
import { lengthAt } from './json-values.ts'
import { locateNames } from './locate-names.ts'
import { Refusal } from './refusal.ts'
import { scaledIn } from './scales.ts'
import { topics } from './topics/index.ts'
import type { Ask, Continuation } from './topics/topic.ts'
import { type Understanding, understand } from './understand.ts'
import { createWriter, type Part, type Prose, renderParts, renderSources, t, type Writer, words } from './writer.ts'

/** Maximum characters of a question; a text with drill results may be longer. */
const maxQuestion = 2000

export type AssistantQuestion = {
  readonly question: string
  /** `envelope.subject` of the previous answer; null or empty at the start. */
  readonly conversation: Conversation | null
  readonly profile: Profile | null
  /** Calls one operation with the rights of the user. */
  readonly call: CallOperation
  /** The data clock's instant, from which "yesterday" and "this year" are counted. */
  readonly now: Date
  readonly signal: AbortSignal
  readonly onEvent?: (event: AnswerEvent) => void
  /** Request a receipt of every call whose values are printed (default true). Without a worker that signs, answers have no receipts. */
  readonly signed?: boolean
  /** Milliseconds of a clock that never goes back, for the `ms` of events. */
  readonly monotonic?: () => number
}

/**
 * Answers one question. A question that cannot be answered gets an answer too: it states why, and `envelope.refused` has the code. Throws
 * the reason of an aborted signal, and the errors of `call`.
 */
export async function answerQuestion(requested: AssistantQuestion): Promise<AssistantAnswer> {
  const { signal, conversation, now, call, signed = true, monotonic = () => performance.now() } = requested
  const onEvent = requested.onEvent ?? (() => undefined)
  signal.throwIfAborted()
  const calls = createCalls({ call, signal, signed, onEvent, monotonic })
  const writer = createWriter()
  const held = conversation?.measure || conversation?.subject ? conversation : null
  const text = (confirmed(requested) ?? requested.question).slice(0, maxQuestion)
  let understood = understand(text, now, held)
  let refused: Envelope['refused'] = null
  let parts: readonly Part[] = []
  let candidates: readonly Candidate[] = []
  let continuation: Continuation = { subject: held?.subject ?? null }
  try {
    if (requested.question.length > maxQuestion && understood.topic !== 'drill') {
      throw new Refusal('not_understood', `the question has ${requested.question.length} characters; at most ${maxQuestion} are read`, {
        parts: words('The question is too long to be planned by rules. Please ask one thing at a time.').parts,
      })
    }
    const located = await locateNames(calls, understood)
    if (located.length > 0) understood = understand(text, now, held, located)
    const { topic, badPeriod } = understood
    if (badPeriod !== null && topic !== 'drill') {
      throw new Refusal('incomplete', `no calendar has ${badPeriod}, or no data here reach it`, {
        parts: (/\//.test(badPeriod)
          ? t`${given(badPeriod, word)} can be read as more than one day. Please write the day as year, month and day, separated by dashes.`
          : t`No calendar has ${given(badPeriod, word)}, or no data here reach it. Please name another period.`
        ).parts,
      })
    }
    if (topic === null) throw notUnderstood
    onEvent({ event: 'thinking', text: `topic: ${topic.replaceAll('_', ' ')}` })
    const ask = { calls, understood, conversation: held, profile: requested.profile ?? emptyProfile, today: utcDay(now), writer }
    continuation = await topics[topic](ask).catch(async (error: unknown) => await asManager(error, ask))
    for (const sentence of notUsed(understood, calls, writer)) writer.say(sentence)
    parts = writer.parts
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    refused = { code: error.code, reason: error.message }
    parts = error.parts.length > 0 ? error.parts : words(sentenceOf(error.code)).parts
    candidates = error.candidates
  }
  return finish({
    parts,
    citations: refused === null ? writer.citations : [],
    calls,
    refused,
    candidates,
    subject: nextOf(understood, continuation, held, refused === null ? null : { candidates }),
    model: rulesModel,
    onEvent,
  })
}

const managerTopics = new Set(['manager', 'manager_changes', 'managers'])
/** A name that is not a company may be that of a 13F manager: if one fits, the answer is about it. Otherwise throws `error`. */
async function asManager(error: unknown, ask: Ask): Promise<Continuation> {
  const { calls, understood, writer } = ask
  const [named] = understood.names
  if (!(error instanceof Refusal) || error.code !== 'unknown_subject' || named === undefined || writer.parts.length > 0) throw error
  if (understood.topic === null || managerTopics.has(understood.topic) || calls.made.length + 2 > maxCalls) throw error
  const found = await calls.try('list_13f_managers', { q: named.split(/\s+/).slice(0, 2).join(' ') }, { signed: false })
  if (!found.ok || lengthAt(found.tree, '/managers') !== 1) throw error
  const changes = ['buy', 'bought', 'sell', 'sold', 'add', 'added', 'trim', 'trimmed', 'change', 'changed', 'exit'].some(each =>
    understood.words.has(each),
  )
  const topic = changes ? 'manager_changes' : 'manager'
  return { ...(await topics[topic](ask)), topic }
}

/** Parts of the question that the answer does not use: a number, or a second period. */
function notUsed({ loose, periods, topic, question }: Understanding, calls: Calls, writer: Writer): Prose[] {
  if (topic === null || readsAllNumbers.has(topic)) return []
  const requested = calls.made.map(({ parameters }) => JSON.stringify(parameters)).join(' ')
  const values = new Set(writer.parts.flatMap(part => ('figure' in part ? [part.figure.value ?? ''] : [])))
  const isRequested = (number: string): boolean => new RegExp(`(?<![\\d.])${number.replaceAll('.', '\\.')}(?![\\d.])`).test(requested)
  const numbers = loose
    .map(each => each.replaceAll(/[,\s]|%|percent|per cent|x$/g, ''))
    .filter(each => each !== '' && ![each, ...scaledIn(question, each)].some(number => values.has(number) || isRequested(number)))
  const isCompared = (topic === 'line_item' || topic === 'dividends') && periods.filter(each => each.kind === 'year').length > 1
  const more = onePeriod.has(topic) && !isCompared ? periods.slice(1).filter(each => each.words !== periods[0]?.words) : []
  const [second] = more
  return [
    ...(numbers[0] === undefined ? [] : [t`Not used from the question: the number ${given(numbers[0], plain)}.`]),
    ...(second === undefined || periods[0] === undefined
      ? []
      : [t`Only one period is answered at a time: “${given(question.slice(second.start, second.end), word)}” was not used.`]),
  ]
}
/** Topics that use every number of the question, or none of them as a figure. */
const readsAllNumbers: ReadonlySet<string> = new Set([
  'drill',
  'flow_through',
  'blue_sky',
  'worth',
  'purification',
  'help',
  'definition',
  'status',
  'filings',
  'concalls',
])
const onePeriod: ReadonlySet<string> = new Set([
  'price',
  'history',
  'dividends',
  'line_item',
  'insiders',
  'holders',
  'why_moved',
  'manager',
  'statistic',
])

const notUnderstood = new Refusal('not_understood', 'no rule fits this question', {
  parts: words(
    'I did not understand what is asked. I can answer about prices, dividends, filings, insiders, holders, figures of statements, calendars and macro series of listings of the United States and Canada; a ticker symbol helps.',
  ).parts,
})
const sentences: Readonly<Partial<Record<RefusalCode, string>>> = {
  no_data: 'Nothing is held that answers this question.',
  unavailable: 'The answer is not available just now. Please ask again later.',
  unknown_subject: 'No listing that is known here fits the name in the question.',
  not_understood: 'I did not understand what is asked.',
}
const sentenceOf = (code: RefusalCode): string => sentences[code] ?? 'This question cannot be answered.'

/** The suggested question of the previous answer, if this question confirms it. */
function confirmed({ question, conversation }: AssistantQuestion): string | null {
  const suggested = conversation?.inputs['suggestion']
  return suggested !== undefined &&
    /^\s*(?:yes|yep|yeah|yup|sure|correct|right|exactly|ok(?:ay)?|that one|that(?:'s| is) (?:it|right|the one))(?:[ ,]+(?:please|thanks|that one))?[\s.!]*$/i.test(
      question,
    )
    ? suggested
    : null
}
/** The state for a follow-up: a refused question keeps the previous state and adds the question that it suggests. */
function nextOf(
  understood: Understanding,
  { subject, inputs, topic: answered }: Continuation,
  held: Conversation | null,
  refused: { readonly candidates: readonly Candidate[] } | null,
): Conversation | null {
  if (refused !== null) {
    const [only, ...others] = refused.candidates
    const { suggestion: _before, ...kept } = held?.inputs ?? {}
    if (only === undefined || others.length > 0) return held === null ? null : { ...held, inputs: kept }
    return { ...(held ?? emptyConversation), inputs: { ...kept, suggestion: only.question } }
  }
  const { period, carried } = understood
  const topic = answered ?? understood.topic
  if (topic === 'definition') return held
  if (topic === 'help' || topic === 'status') return held ?? { ...emptyConversation, measure: topic }
  const kept = period === null ? (carried ? (held?.period ?? null) : null) : { from: period.from, to: period.to, words: period.words }
  return { subject, measure: topic, period: kept, inputs: definedOf({ ...(held?.inputs ?? {}), ...(inputs ?? {}), suggestion: undefined }) }
}

const definedOf = (inputs: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(inputs).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

export type Finished = {
  readonly parts: readonly Part[]
  readonly citations: readonly Citation[]
  readonly calls: Pick<Calls, 'made'>
  readonly refused: Envelope['refused']
  readonly candidates: readonly Candidate[]
  readonly subject: Conversation | null
  readonly model: string
  readonly onEvent: (event: AnswerEvent) => void
}
/** Converts parts to Markdown with claims and the envelope; also for the text of a model. */
export function finish({ parts, citations, calls, refused, candidates, subject, model, onEvent }: Finished): AssistantAnswer {
  const { text, figures } = renderParts(parts)
  const answer = `${text.trim()}${renderSources(citations)}`
  const newest = calls.made
    .filter(each => each.ok)
    .reduce<(typeof calls.made)[number] | null>((best, each) => (best === null || (each.release ?? 0) > (best.release ?? 0) ? each : best), null)
  const envelope: Envelope = {
    claims: claimsOf(figures),
    calls: [...calls.made],
    citations: [...citations],
    model,
    ruleset: assistantRuleset,
    as_of: newest?.as_of ?? null,
    release: newest?.release ?? null,
    refused,
    candidates: [...candidates],
    subject,
  }
  for (const piece of answer.split(/(?<=\n\n)/)) onEvent({ event: 'delta', text: piece })
  for (const { n, accession, url, span } of citations) onEvent({ event: 'citation', n, accession, url, span })
  onEvent({ event: 'envelope', envelope })
  return { answer, envelope }
}
