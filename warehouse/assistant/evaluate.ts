// Runs the corpus: each case through the assistant, its conversation first, and compares the answer with the case.
import type { AssistantAnswer, Conversation } from '#schemas/assistant.ts'
import type { AssistantCase } from '#schemas/assistant-cases.ts'
import type { CallOperation } from '#schemas/operation-calls.ts'
import { type AssistantQuestion, answerQuestion } from './answer-question.ts'
import { recordCalls, verifyClaims } from './verify-claims.ts'

/** A question of the same conversation and its answer. */
export type Turn = { readonly question: string; readonly answer: string }
type Answering = (question: AssistantQuestion, turns: readonly Turn[]) => Promise<AssistantAnswer>
type CaseResult = {
  readonly id: string
  readonly group: string
  readonly question: string
  /** The differences from the case, a sentence each. */
  readonly problems: readonly string[]
  /** Claims that are wrong, and figures without a claim. */
  readonly unsupported: readonly string[]
  readonly refused: string | null
  readonly expected: string | null
  readonly ms: number
  readonly answer: string
}
export type Evaluation = {
  readonly results: readonly CaseResult[]
  readonly answered: number
  readonly answerable: number
  readonly refused_rightly: number
  readonly refusable: number
  readonly unsupported: number
  readonly ms: number
}
export type EvaluationSettings = {
  readonly call: CallOperation
  readonly now: Date
  readonly signal: AbortSignal
  /** A fact of a case as an answer prints it. */
  readonly factText: (fact: string) => string
  readonly monotonic: () => number
  /** The rules unless another writer of answers is given. */
  readonly answering?: Answering
  /**
   * Whether operations, subject and the code of a refusal are compared too (default). A model may read other operations, and refuses in
   * words: then an answer without a claim counts as a refusal.
   */
  readonly planned?: boolean
}

/** Cost: one conversation per case, one after another. */
export async function evaluateCases(cases: readonly AssistantCase[], settings: EvaluationSettings): Promise<Evaluation> {
  const results: CaseResult[] = []
  for (const each of cases) results.push(await evaluateCase(each, settings))
  const [toAnswer, toRefuse] = [results.filter(each => each.expected === null), results.filter(each => each.expected !== null)]
  return {
    results,
    answered: toAnswer.filter(each => each.problems.length === 0).length,
    answerable: toAnswer.length,
    refused_rightly: toRefuse.filter(each => each.problems.length === 0).length,
    refusable: toRefuse.length,
    unsupported: results.reduce((sum, each) => sum + each.unsupported.length, 0),
    ms: results.reduce((sum, each) => sum + each.ms, 0),
  }
}

async function evaluateCase(
  each: AssistantCase,
  { call, now, signal, factText, monotonic, answering = answerQuestion, planned = true }: EvaluationSettings,
): Promise<CaseResult> {
  const recorded = recordCalls(call)
  let conversation: Conversation | null = null
  const turns: Turn[] = []
  const ask = async (question: string, reading: CallOperation): Promise<AssistantAnswer> => {
    const answer = await answering({ question, conversation, profile: null, call: reading, now, signal, signed: false, monotonic }, [...turns])
    turns.push({ question, answer: answer.answer })
    conversation = answer.envelope.subject
    return answer
  }
  for (const question of each.after) await ask(question, call)
  const started = monotonic()
  const answer = await ask(each.question, recorded.call).catch((error: unknown) => {
    signal.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  })
  const ms = monotonic() - started
  if (answer instanceof Error)
    return {
      id: each.id,
      group: each.group,
      question: each.question,
      problems: [`failed: ${answer.message}`],
      unsupported: [],
      refused: null,
      expected: each.refused,
      ms,
      answer: '',
    }
  return {
    id: each.id,
    group: each.group,
    question: each.question,
    problems: problemsOf(each, answer, factText, planned),
    unsupported: verifyClaims(answer, recorded.outcomesOf(answer), [...each.after, each.question]),
    refused: refusalOf(answer, planned),
    expected: each.refused,
    ms,
    answer: answer.answer,
  }
}

const refusalOf = ({ envelope }: AssistantAnswer, planned: boolean): string | null =>
  envelope.refused?.code ?? (!planned && envelope.claims.length === 0 ? 'without a claim' : null)

function problemsOf(each: AssistantCase, found: AssistantAnswer, factText: (fact: string) => string, planned: boolean): string[] {
  const { answer, envelope } = found
  const code = refusalOf(found, planned)
  if (planned ? code !== each.refused : (code === null) !== (each.refused === null))
    return [`refused: ${code ?? 'no'} (${envelope.refused?.reason ?? ''}), expected ${each.refused ?? 'an answer'}`]
  const called = new Set(envelope.calls.filter(call => call.ok).map(call => call.operation))
  const plain = answer.replaceAll(/\\(?=[\p{P}\p{S}])/gu, '')
  return [
    ...(planned ? each.operations : [])
      .filter(operation => !called.has(operation))
      .map(operation => `${operation} was not called; calls: ${[...called].join(', ')}`),
    ...(planned && each.subject !== null && envelope.subject?.subject?.symbol !== each.subject
      ? [`subject ${envelope.subject?.subject?.symbol ?? 'none'}, expected ${each.subject}`]
      : []),
    ...each.facts.flatMap(fact =>
      states(plain, factText(fact)) ? [] : [`does not state ${factText(fact)}${fact.startsWith('=') ? ` (${fact.slice(1)})` : ''}`],
    ),
    ...each.absent.filter(word => new RegExp(`\\b${word}\\b`, 'i').test(plain)).map(word => `uses "${word}"`),
    ...(envelope.refused?.code === 'ambiguous' && envelope.candidates.length < 2 ? ['names fewer than two candidates'] : []),
  ]
}
/** The fact as a complete figure: 2.5 does not match 12.5 or 2.55; 0.37 matches 0.370. */
function states(answer: string, fact: string): boolean {
  const escaped = fact.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [before, after] = [
    /^\d/.test(fact) ? '(?<![\\d.,])' : '',
    /\d$/.test(fact) ? (fact.includes('.') ? '(?!0*[1-9])' : '(?:\\.0+)?(?![\\d]|[.,]\\d)') : '',
  ]
  return new RegExp(`${before}${escaped}${after}`).test(answer)
}
