// `crossfile ask`: the assistant's rules answer a question in words from the lake of this installation. No model is called.
import { BadRequest } from '#schemas/errors.ts'
import { answerQuestion } from '#warehouse/assistant/answer-question.ts'
import { lakeCalls } from '#warehouse/assistant/lake-calls.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'
import { withContext } from './warehouse-contexts.ts'

const longest = 400

/** Runs the command; 0: answered, 1: the question was refused, with the reason printed. */
export async function ask(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('ask', commands.ask.options, argv, { least: 1, most: 100, what: 'a question in words' })
  const question = rest.join(' ').trim()
  if (question.length > longest)
    throw new BadRequest(`ask: the question has ${question.length} characters, the limit is ${longest}`, { hint: 'ask one thing at a time' })
  const answered = await withContext(io, async (context, now) =>
    context === null
      ? null
      : await answerQuestion({
          question,
          conversation: null,
          profile: null,
          call: lakeCalls(context, now),
          now,
          signal: io.interrupted(),
          onEvent: () => {},
        }),
  )
  if (answered === null)
    throw new BadRequest('ask: no data is loaded', {
      hint: 'crossfile start without settings loads the bundled universe',
    })
  if (values.json === true) printJson(io, answered)
  else io.out(answered.answer)
  return answered.envelope.refused === null ? 0 : 1
}
