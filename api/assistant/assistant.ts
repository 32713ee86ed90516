// The assistant over HTTP: questions with their daily cap, streams, chats, profile, feedback, and checks of texts.
import type { AssistantCheckRequest } from '#schemas/chat.ts'
import type { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { assistantCheckOf } from '#warehouse/assistant/check-text.ts'
import { type Handler, partyOf } from '../handler.ts'
import { checkTextOf } from '../receipts/check.ts'
import { jsonAnswer, type UserTools } from '../users/tools.ts'
import { chatHandlers } from './chats.ts'
import { profileHandlers } from './profile.ts'
import { questionHandlers } from './questions.ts'
import { createRunner, type RunTimes, runTimes } from './runs.ts'
import { createStreams } from './stream.ts'
import { streamHandlers } from './stream-handlers.ts'

export type AssistantTools = Pick<UserTools, 'db' | 'queue' | 'config' | 'serving' | 'baseUrl' | 'warn'> & {
  readonly answer?: typeof answerQuestion
  readonly times?: Partial<RunTimes>
  readonly monotonic?: () => number
}

/** Loads the assistant with its first question. */
const answerByRules: typeof answerQuestion = async requested => (await import('#warehouse/assistant/answer-question.ts')).answerQuestion(requested)

export function openAssistant(tools: AssistantTools) {
  const { db, config } = tools
  const times = { ...runTimes, ...tools.times }
  const closing = new AbortController()
  const runner = createRunner({ ...tools, answer: tools.answer ?? answerByRules, times })
  const monotonic = tools.monotonic ?? (() => performance.now())
  const streams = createStreams({ db, runner, times, monotonic, closing: closing.signal })
  const questions = { db, runner, takesImages: config.model?.images === true }

  const check: Handler<'check_assistant_text'> = async (_question, context) => {
    const { text, receipts } = context.body as AssistantCheckRequest
    return jsonAnswer(assistantCheckOf(await checkTextOf(tools.serving, text, receipts, partyOf(context), context.client.gone)))
  }

  return {
    handlers: {
      ...questionHandlers(questions),
      ...streamHandlers({ ...questions, streams }),
      ...chatHandlers(tools),
      ...profileHandlers(tools),
      check_assistant_text: check,
    },
    /** Ends the streams, which clients continue at another process, and the questions of this process. */
    async close(): Promise<void> {
      closing.abort()
      await runner.close()
    },
  }
}
