// The worker's part of the assistant: answers one run with the model, within its time and budget, and by rules if the model cannot answer.
import { performance } from 'node:perf_hooks'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import { type AnswerEvent, assistantRuleset } from '#schemas/assistant.ts'
import type { ModelConfig } from '#schemas/config.ts'
import { productOf, quotientOf, roundedDecimal, sumOf } from '#schemas/decimals.ts'
import { CrossfileError, Upstream } from '#schemas/errors.ts'
import type { CallOperation } from '#schemas/operation-calls.ts'
import { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { Refusal } from '#warehouse/assistant/refusal.ts'
import { answeredEnd, failedEnd, Stopping, type Usage } from '#warehouse/people/chats/ends.ts'
import { createEventWriter } from '#warehouse/people/chats/event-writer.ts'
import { addTokens, tokensToday } from '#warehouse/people/chats/model-use.ts'
import type { RunAnswer } from '#warehouse/people/chats/run-records.ts'
import { endRun, findProgress, findRun, keepAlive, type Run } from '#warehouse/people/chats/runs.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { openModel } from './model.ts'
import { answerWithModel } from './model-answer.ts'

export const AnswerRequest = z.object({ run_id: z.string() })

export type AnswerTools = {
  readonly db: Db
  readonly log: Log
  readonly model: ModelConfig | null
  readonly call: CallOperation
  /** The clock that all processes share. */
  readonly now: () => Date
  /** The data clock's instant. */
  readonly dataNow: () => Date
  /** Opens the model; tests pass another one. */
  readonly open?: (config: ModelConfig) => Promise<{ readonly model: LanguageModel; readonly close: () => Promise<void> }>
  /** Milliseconds between two heartbeats. */
  readonly watchMs?: number
}

class Left extends Error {}
class TooLate extends Error {}

/** Answers a run and ends it. Errors are reported to the client and not thrown. A run that has ended is not changed. */
export async function answerRun(tools: AnswerTools, runId: string, stop: AbortSignal): Promise<{ readonly state: string }> {
  const { db, log, now } = tools
  const found = await findRun(db, runId)
  if (!found || !(await keepAlive(db, found, now()))) return { state: 'ended before' }
  const { image, ...run } = found
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, stop])
  const writer = createEventWriter(db, run, true, now)
  const watch = async (): Promise<void> => {
    const alive = await keepAlive(db, run, now())
    if (!alive || (await findProgress(db, run, now()))?.followed === false) left.abort(new Left())
  }
  const watching = setInterval(() => void watch().catch(error => log('warn', `assistant: ${String(error)}`)), tools.watchMs ?? 1_000)
  const tokens = { input: 0, output: 0 }
  let model = tools.model?.name ?? 'rules'
  try {
    writer.write({ event: 'start', message_id: run.run_id, session_id: run.session_id ?? '', model, ruleset: assistantRuleset })
    const answer = await answered(tools, { run, image, signal, onEvent: writer.write, tokens })
    model = answer.envelope.model
    await writer.flushed()
    await endRun(db, run, answeredEnd(run, answer, usageOf(tools.model, tokens)), writer.next(), now())
    return { state: 'answered' }
  } catch (error) {
    await writer.flushed().catch(() => undefined)
    const stopping = stop.aborted && !left.signal.aborted
    const how = failedEnd(error, stopping ? AbortSignal.abort(new Stopping()) : left.signal, tokens.input + tokens.output > 0)
    if (how.state === 'failed' && !stopping) log('warn', `assistant: a question was not answered: ${reasonOf(error)}`)
    await endRun(db, run, how, writer.next(), now())
    return { state: how.state }
  } finally {
    clearInterval(watching)
    if (tools.model !== null && tokens.input + tokens.output > 0)
      await addTokens(db, tools.model.name, tokens, now()).catch(error => log('warn', `assistant: tokens were not counted: ${String(error)}`))
  }
}

type Spent = { input: number; output: number }
type RunInput = {
  readonly run: Run
  readonly image: Buffer | null
  readonly signal: AbortSignal
  readonly onEvent: (event: AnswerEvent) => void
  /** Counts the tokens that were used. */
  readonly tokens: Spent
}
/** The model's answer; the answer by rules if the model cannot be reached, is too slow, exceeds its budget, or writes figures without references. */
async function answered(tools: AnswerTools, input: RunInput): Promise<RunAnswer> {
  const { call, dataNow, log } = tools
  const { run, image, signal, onEvent } = input
  const monotonic = (): number => performance.now()
  try {
    return await byModel(tools, input)
  } catch (error) {
    signal.throwIfAborted()
    log('warn', `assistant: the model did not answer: ${reasonOf(error)}`)
    if (image !== null) throw error instanceof CrossfileError ? error : new Upstream('the model did not answer', { cause: error })
    onEvent({ event: 'thinking', text: 'the model did not answer: the question is answered by rules' })
    const { content, conversation, profile } = run.request
    const found = await answerQuestion({ question: content, conversation, profile, call, now: dataNow(), signal, onEvent, monotonic })
    return { ...found, query: content }
  }
}

async function byModel(
  { db, model: config, open = openModel, call, now, dataNow }: AnswerTools,
  { run, image, signal, onEvent, tokens }: RunInput,
): Promise<RunAnswer> {
  if (config === null) throw new Upstream('this worker has no model: CROSSFILE_MODEL is not set')
  if (image !== null && !config.images) throw new Upstream('the model of this installation takes no images')
  const used = await tokensToday(db, now())
  if (used >= config.dailyTokens) throw new Upstream(`the daily budget of ${config.dailyTokens} tokens is used up`)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new TooLate(`no answer within ${config.seconds} s`)), config.seconds * 1000)
  const opened = await open(config)
  try {
    return await answerWithModel(opened.model, {
      request: run.request,
      image,
      call,
      now: dataNow(),
      signal: AbortSignal.any([signal, deadline.signal]),
      onEvent,
      monotonic: () => performance.now(),
      tokens: Math.min(config.tokens, config.dailyTokens - used),
      name: config.name,
      onTokens: ({ input, output }) => {
        tokens.input += input
        tokens.output += output
      },
    })
  } finally {
    clearTimeout(timer)
    await opened.close()
  }
}

/** Tokens and, if prices are configured, the cost in US dollars with six decimals. */
function usageOf(config: ModelConfig | null, { input, output }: Spent): Usage {
  if (config === null || input + output === 0) return { input_tokens: null, output_tokens: null, cost_usd: null }
  return { input_tokens: input, output_tokens: output, cost_usd: costOf(config, { input, output }) }
}
export function costOf({ prices }: Pick<ModelConfig, 'prices'>, { input, output }: Spent): string | null {
  if (prices === null) return null
  return roundedDecimal(quotientOf(sumOf([productOf(prices.input, String(input)), productOf(prices.output, String(output))]), '1000000', 9), 6)
}

/** Without the message of the provider, which may quote the question. The name of the cause distinguishes refusals, timeouts and lost connections. */
const reasonOf = (error: unknown): string => {
  const cause =
    error instanceof Error && error.cause instanceof Error
      ? ` (${error.cause.name}${'statusCode' in error.cause ? ` ${String(error.cause.statusCode)}` : ''})`
      : ''
  return `${factOf(error)}${cause}`
}
const factOf = (error: unknown): string =>
  error instanceof Refusal || error instanceof CrossfileError || error instanceof TooLate
    ? error.message
    : error instanceof Error
      ? error.name
      : 'unknown'
