// A case of the assistant's corpus: a question with the expected properties of its answer.
import { z } from 'zod'
import { RefusalCode } from './assistant.ts'

export const AssistantCase = z.strictObject({
  id: z.string(),
  group: z.string(),
  question: z.string(),
  after: z.array(z.string()).default([]).describe('questions of the same conversation before it'),
  operations: z.array(z.string()).default([]).describe('operations that the plan must call with success'),
  subject: z.string().nullable().default(null).describe('symbol that the answer is about'),
  facts: z.array(z.string()).default([]).describe('texts that the answer must state; = begins a reference to the truth of the universe'),
  absent: z.array(z.string()).default([]).describe('words that the answer must not use'),
  refused: RefusalCode.nullable().default(null),
  why: z.string().default('').describe('the source of the facts, or how they were computed by hand'),
  needs: z.enum(['service']).nullable().default(null).describe('service: only a running service answers it'),
})
export type AssistantCase = z.infer<typeof AssistantCase>
export const AssistantCorpus = z.array(AssistantCase)
