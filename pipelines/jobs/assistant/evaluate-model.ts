// Evaluates a language model over the corpus: each question as the worker asks it, with its time and token limits, and by rules if the
// model does not answer.
import type { LanguageModel } from 'ai'
import { type AssistantAnswer, emptyProfile } from '#schemas/assistant.ts'
import type { AssistantCase } from '#schemas/assistant-cases.ts'
import type { ModelConfig } from '#schemas/config.ts'
import { CrossfileError } from '#schemas/errors.ts'
import type { AssistantQuestion } from '#warehouse/assistant/answer-question.ts'
import { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { type Evaluation, type EvaluationSettings, evaluateCases, type Turn } from '#warehouse/assistant/evaluate.ts'
import { Refusal } from '#warehouse/assistant/refusal.ts'
import type { Tokens } from '#warehouse/people/chats/model-use.ts'
import { costOf } from './answer-run.ts'
import { answerWithModel } from './model-answer.ts'

export type ModelEvaluation = Evaluation & {
  readonly tokens: Tokens
  /** US dollars with six decimals; null without configured prices. */
  readonly cost_usd: string | null
  /** Questions that the model did not answer, with the reason; the rules did. */
  readonly by_rules: readonly { readonly question: string; readonly reason: string }[]
}

type Settings = Omit<EvaluationSettings, 'answering' | 'planned'> & { readonly config: ModelConfig; readonly model: LanguageModel }

/** Cost: up to `config.tokens` for each question, and never more than `config.dailyTokens` for all. */
export async function evaluateModel(cases: readonly AssistantCase[], { config, model, ...settings }: Settings): Promise<ModelEvaluation> {
  const tokens = { input: 0, output: 0 }
  const by_rules: { question: string; reason: string }[] = []

  async function answering(requested: AssistantQuestion, turns: readonly Turn[]): Promise<AssistantAnswer> {
    const left = config.dailyTokens - tokens.input - tokens.output
    try {
      if (left <= 0) throw new Refusal('unavailable', `the budget of ${config.dailyTokens} tokens is used up`)
      return await answerWithModel(model, {
        request: {
          content: requested.question,
          quality: 'deep',
          alts: [],
          conversation: requested.conversation,
          profile: emptyProfile,
          turns: turns.flatMap(({ question, answer }) => [
            { role: 'user' as const, content: question },
            { role: 'assistant' as const, content: answer },
          ]),
        },
        image: null,
        call: requested.call,
        now: requested.now,
        signal: AbortSignal.any([requested.signal, AbortSignal.timeout(config.seconds * 1000)]),
        onEvent: () => undefined,
        monotonic: settings.monotonic,
        tokens: Math.min(config.tokens, left),
        name: config.name,
        onTokens: ({ input, output }) => {
          tokens.input += input
          tokens.output += output
        },
      })
    } catch (error) {
      requested.signal.throwIfAborted()
      by_rules.push({ question: requested.question, reason: reasonOf(error) })
      return await answerQuestion(requested)
    }
  }
  const evaluation = await evaluateCases(cases, { ...settings, answering, planned: false })
  return { ...evaluation, tokens, cost_usd: costOf(config, tokens), by_rules }
}

/** Without the message of the provider, as in the log of the worker. */
function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  if (error instanceof CrossfileError) return error.cause instanceof Error ? `${error.message} (${error.cause.name})` : error.message
  return error instanceof Error ? error.name : 'unknown'
}
