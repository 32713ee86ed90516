// Requests to the assistant and their answers. assistant.ts describes the answer itself.
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { AssistantAnswer, Envelope, Profile, TextCheck } from './assistant.ts'
import { plainText } from './plain-text.ts'
import { shariaStandards } from './sharia.ts'
import { Count, Flag, Instant, Text } from './values.ts'

export const maxContent = 16_000
const maxQuery = 400
/** Maximum base64 characters of an image: about 12 MiB of image. */
const maxImage = 16 * 1024 * 1024
/** Maximum messages of one shared chat. */
const maxShared = 50

/** `fast`: by rules. `deep`: by the model of this installation; without one, or if it does not answer, by rules. */
export const Quality = z.enum(['fast', 'deep'])
export type Quality = z.infer<typeof Quality>

const blank = (text: string): boolean => text.trim() === ''
const SessionId = z
  .string()
  .max(64)
  .regex(/^[\w.:-]*$/, 'expected letters, digits and _ . : -')
  .describe('the chat to continue, of at most 64 characters; a new name begins a new chat, and null gets one')

export const ChatRequest = z
  .strictObject({
    content: plainText(maxContent).describe(`the question, of at most ${maxContent} characters`),
    image_base64: z.string().max(maxImage).nullable().default(null).describe('a PNG, JPEG, GIF or WebP image; needs a model that takes images'),
    quality: Quality.nullable()
      .default('fast')
      .describe('fast: planned and written by rules; deep: by the model of this installation, by rules if there is none'),
    session_id: SessionId.nullable().default(null),
  })
  .superRefine(({ content }, context) => {
    if (blank(content)) context.addIssue({ code: 'custom', path: ['content'], message: 'expected a question, found no text' })
  })
export type ChatRequest = z.infer<typeof ChatRequest>

const counted = {
  queries_today: Count.describe('questions of the day in UTC that count, this one included if it was answered'),
  queries_per_day: Count.describe('the daily cap of the tier'),
}
export const ChatAnswer = z.strictObject({
  session_id: Text.describe('send it with the next question of this chat'),
  message_id: Text,
  ...AssistantAnswer.shape,
  ...counted,
})
export type ChatAnswer = z.infer<typeof ChatAnswer>

export const ChatTicket = z.strictObject({
  ticket: Text,
  url: Text.describe('GET it within a minute, once'),
  expires_at: Instant,
})

/** A message of the caller's chats by its id, or a text with its author. */
const SharedMessage = z
  .object({
    message_id: z.string().min(1).max(64).nullable().optional().describe('of a message of one of your chats: its text is taken as it is stored'),
    role: z.enum(['user', 'assistant']).optional(),
    content: plainText(maxContent * 4).optional(),
  })
  .superRefine((message, context) => {
    const named = typeof message.message_id === 'string'
    if (named || (message.role !== undefined && message.content !== undefined)) return
    context.addIssue({ code: 'custom', message: 'expected message_id, or role and content' })
  })
export const ChatShareRequest = z.strictObject({
  messages: z.array(SharedMessage).min(1).max(maxShared),
  title: plainText(200).nullable().default(null),
})
export type ChatShareRequest = z.infer<typeof ChatShareRequest>

/** The part of an envelope that a reader of a shared chat sees: the sources of the figures, and no data about the user. */
export const SharedEnvelope = Envelope.omit({ subject: true, candidates: true })
export type SharedEnvelope = z.infer<typeof SharedEnvelope>
export const SharedChatMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: Text,
  verified: Flag.describe('true: this service gave this answer, and envelope shows its sources; false: a text that the person who shares it sent'),
  envelope: SharedEnvelope.nullable(),
})
export type SharedChatMessage = z.infer<typeof SharedChatMessage>
export const ChatShared = z.strictObject({
  id: Text,
  url: Text.describe('anyone with this URL can read the copy'),
  created_at: Instant,
  expires_at: Instant,
  redacted: Count.describe('e-mail addresses, keys and tokens that were removed from the copy'),
})
export const SharedChat = z.strictObject({
  id: Text,
  title: Text.nullable(),
  created_at: Instant,
  expires_at: Instant,
  messages: z.array(SharedChatMessage),
  note: Text,
})

export const AskIn = z.strictObject({
  query: plainText(maxQuery)
    .min(1)
    .refine(text => !blank(text), 'expected a question, found no text'),
  last_ticker: z.string().max(12).nullable().default(null).describe('the symbol of the question before: what "it" and "its" mean'),
  alts: z
    .array(plainText(maxQuery))
    .max(5)
    .nullable()
    .default(null)
    .describe('other wordings of the same question, such as further results of a speech recognizer: used in their order if query is not understood'),
})
export type AskIn = z.infer<typeof AskIn>
export const AskAnswer = z.strictObject({
  ...AssistantAnswer.shape,
  query: Text.describe('the wording that was answered'),
  ...counted,
})

export const GeoChatMessageRequest = z.strictObject({
  content: plainText(maxContent)
    .min(1)
    .refine(text => !blank(text), 'expected a question, found no text')
    .describe('a question about mining issuers, metals and drilling, or the text of a drill release'),
})
export type GeoChatMessageRequest = z.infer<typeof GeoChatMessageRequest>

const remark = (max: number) => plainText(max).default('')
export const AssistantFeedbackRequest = z.strictObject({
  vote: remark(32).describe('such as up or down'),
  query: remark(maxContent),
  answer: remark(maxContent * 2),
  model: remark(128),
  session_id: remark(64),
})
export type AssistantFeedbackRequest = z.infer<typeof AssistantFeedbackRequest>
export const AssistantFeedbackAnswer = z.strictObject({ id: Text, created_at: Instant })

const setting = (max: number) =>
  plainText(max)
    .nullable()
    .default('')
    .transform(text => text ?? '')
export const AssistantProfileRequest = z.strictObject({
  about_me: setting(4000),
  my_voice: setting(4000).describe('how answers shall be worded; a model reads it, rules do not'),
  my_rules: setting(4000).describe('what a model shall heed; it never changes a figure'),
  sharia_standard: setting(64)
    .transform(text => text.trim().toLowerCase())
    .refine(text => text === '' || (shariaStandards as readonly string[]).includes(text), `expected one of ${shariaStandards.join(', ')}, or nothing`)
    .describe(`the standard of questions that name none: ${shariaStandards.join(', ')}`),
  jurisdiction: setting(64).describe('such as ON or Quebec: used where a question needs one and names none'),
  sectors: z
    .array(plainText(64))
    .max(50)
    .nullable()
    .default([])
    .transform(list => list ?? []),
})
export type AssistantProfileRequest = z.infer<typeof AssistantProfileRequest>
export const AssistantProfileAnswer = z.strictObject({
  ...Profile.shape,
  updated_at: Instant.nullable().describe('null: never set'),
  ...counted,
  resets_at: Instant.describe('when the day in UTC ends'),
})

export const AssistantCheckRequest = z.strictObject({
  text: plainText(maxContent).min(1),
  receipts: z.array(ReceiptId).min(1).max(10).describe('ids of the signed answers that the text may take figures from'),
})
export type AssistantCheckRequest = z.infer<typeof AssistantCheckRequest>
export const AssistantCheckAnswer = z.strictObject({
  ...TextCheck.shape,
  receipts: z.array(
    z.strictObject({
      answer: z.int().min(1).describe('the number by which matches name it'),
      receipt_id: ReceiptId,
      question: Text.describe('the question of the signed answer'),
      release: Count,
    }),
  ),
})
