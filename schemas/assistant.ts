// Answers of the assistant: text whose figures are claims. A claim is a value of an answer of this service, or computed from such values.
// Also the state that a follow-up question continues from.
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { AccessionNumber, Cik, Instant, IsoDate, Release, Text } from './values.ts'

/** The version of the planner's rules. It increases when the same question would be planned or written differently. */
export const assistantRuleset = 'assistant@2'
/** The model of an answer that rules planned and wrote. */
export const rulesModel = 'rules'

/** RFC 6901; an empty text is the whole answer. */
export const JsonPointer = z.string().regex(/^(\/([^~/]|~[01])*)*$/, 'expected a JSON pointer such as /quotes/0/price')

/**
 * One figure, date or name of an answer. `value` is the printed value of the source; `text` is the form in the answer. A claim is read
 * (`call` and `pointer`), computed by `rule` from the claims in `operands`, or taken from another place (`rule` is `question` or `clock`).
 */
export const Claim = z.strictObject({
  n: z.int().min(1).describe('number of the claim, from 1; the answer does not print it'),
  text: z.string().describe('as the answer prints it'),
  call: z.int().min(1).nullable().describe('n of the call whose answer holds the value; null if it is computed or taken over'),
  pointer: JsonPointer.nullable().describe('where in that answer (RFC 6901)'),
  value: z.string().nullable().describe('digits and letters as the source prints them; null if the source has null'),
  unit: z.string().nullable().describe('currency, %, shares, date, name and the like'),
  release: Release.nullable(),
  receipt_id: ReceiptId.nullable().describe('the signed answer that holds the value'),
  operands: z.array(z.int().min(1)).describe('claims that it was computed from'),
  rule: z
    .string()
    .nullable()
    .describe('how it was computed: sum, difference, growth_pct, ratio, product, count; question, clock or definition if taken over'),
})
export type Claim = z.infer<typeof Claim>

export const AssistantCall = z.strictObject({
  n: z.int().min(1),
  operation: z.string(),
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  url: z.string().nullable().describe('path and query of the same request; null if it failed'),
  ok: z.boolean(),
  release: Release.nullable(),
  as_of: Instant.nullable(),
  receipt_id: ReceiptId.nullable(),
  detail: z.string().nullable().describe('why it failed'),
})
export type AssistantCall = z.infer<typeof AssistantCall>

export const Citation = z.strictObject({
  n: z.int().min(1).describe('number of the citation, as [1] in the answer'),
  accession: AccessionNumber.nullable(),
  url: z.string().nullable(),
  span: z.string().nullable().describe('place in the document, such as Item 1A'),
  source: Text.describe('upstream or document'),
})
export type Citation = z.infer<typeof Citation>

/** The subject of a question. Members that do not apply to its kind are null. */
export const Subject = z.strictObject({
  kind: z.enum(['listing', 'pair', 'manager', 'country', 'series', 'receipt', 'filing', 'market']),
  symbol: z.string().nullable().describe('canonical symbol; the Toronto line of a pair'),
  us_symbol: z.string().nullable().describe('the United States line of a pair'),
  name: z.string().nullable(),
  cik: Cik.nullable(),
  country: z.string().nullable(),
  indicator: z.string().nullable(),
  id: z.string().nullable().describe('receipt id or accession number'),
})
export type Subject = z.infer<typeof Subject>

/** Both days included; null is open. `words` is the form in the answer. */
export const Period = z.strictObject({ from: IsoDate.nullable(), to: IsoDate.nullable(), words: z.string() })
export type Period = z.infer<typeof Period>

/** The state for a follow-up: an answer's `envelope.subject`, sent with the next question. */
export const Conversation = z.strictObject({
  subject: Subject.nullable(),
  measure: z.string().nullable().describe('the requested measure of the subject'),
  period: Period.nullable(),
  inputs: z.record(z.string(), z.string()).describe('further inputs by name: account type, standard, amounts'),
})
export type Conversation = z.infer<typeof Conversation>
export const emptyConversation: Conversation = { subject: null, measure: null, period: null, inputs: {} }

/** The user's settings. They choose defaults (standard, jurisdiction); they never change a figure. */
export const Profile = z.strictObject({
  about_me: z.string().max(4000),
  my_voice: z.string().max(4000),
  my_rules: z.string().max(4000),
  sharia_standard: z.string().max(64),
  jurisdiction: z.string().max(64),
  sectors: z.array(z.string().max(64)).max(50),
})
export type Profile = z.infer<typeof Profile>
export const emptyProfile: Profile = { about_me: '', my_voice: '', my_rules: '', sharia_standard: '', jurisdiction: '', sectors: [] }

/**
 * `ambiguous` several subjects fit (see candidates); `unknown_subject` none fits; `no_subject` none was named; `no_data` no data is stored;
 * `incomplete` a required input is missing; `advice`, `forecast`, `cause`, `personal`, `write` are refused by rule; `out_of_scope` the
 * service has no such data; `not_understood` no rule fits; `unavailable` an operation failed.
 */
export const RefusalCode = z.enum([
  'ambiguous',
  'unknown_subject',
  'no_subject',
  'no_data',
  'incomplete',
  'advice',
  'forecast',
  'cause',
  'personal',
  'write',
  'out_of_scope',
  'not_understood',
  'unavailable',
  'unsupported_figure',
])
export type RefusalCode = z.infer<typeof RefusalCode>

export const Candidate = z.strictObject({
  kind: z.enum(['listing', 'manager', 'series']),
  symbol: z.string().nullable(),
  cik: Cik.nullable(),
  name: z.string(),
  exchange: z.string().nullable(),
  question: z.string().describe('the question to send for this candidate'),
})
export type Candidate = z.infer<typeof Candidate>

export const Envelope = z.strictObject({
  claims: z.array(Claim),
  calls: z.array(AssistantCall),
  citations: z.array(Citation),
  model: z.string().describe('rules, or the model that wrote the prose'),
  ruleset: z.string(),
  as_of: Instant.nullable().describe('instant of the newest call'),
  release: Release.nullable().describe('newest release among the calls'),
  refused: z.strictObject({ code: RefusalCode, reason: z.string() }).nullable(),
  candidates: z.array(Candidate),
  subject: Conversation.nullable().describe('pass it back as the conversation of a follow-up'),
})
export type Envelope = z.infer<typeof Envelope>

/** `answer` is Markdown without images; its links lead only to this service and sec.gov. */
export const AssistantAnswer = z.strictObject({ answer: z.string(), envelope: Envelope })
export type AssistantAnswer = z.infer<typeof AssistantAnswer>

/** Progress reports of `answerQuestion`. The HTTP layer adds `start`, `error` and `done`. */
export const AnswerEvent = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('thinking'), text: z.string() }),
  z.strictObject({ event: z.literal('tool_call'), call_id: z.int(), name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    event: z.literal('tool_result'),
    call_id: z.int(),
    ok: z.boolean(),
    ms: z.number(),
    summary: z.string(),
    receipt_id: ReceiptId.nullable(),
  }),
  z.strictObject({ event: z.literal('delta'), text: z.string() }),
  z.strictObject({
    event: z.literal('citation'),
    n: z.int(),
    accession: AccessionNumber.nullable(),
    url: z.string().nullable(),
    span: z.string().nullable(),
  }),
  z.strictObject({ event: z.literal('envelope'), envelope: Envelope }),
])
export type AnswerEvent = z.infer<typeof AnswerEvent>

export const Usage = z.strictObject({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable(), cost_usd: z.string().nullable() })
/** The events of a stream: one `start`, any of `AnswerEvent`, then exactly one `error` or `done`. */
export const AssistantEvent = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('start'), message_id: z.string(), session_id: z.string(), model: z.string(), ruleset: z.string() }),
  ...AnswerEvent.options,
  z.strictObject({ event: z.literal('error'), code: z.string(), detail: z.string(), hint: z.string().nullable(), retryable: z.boolean() }),
  z.strictObject({ event: z.literal('done'), message_id: z.string(), usage: Usage, finish_reason: z.string() }),
])
export type AssistantEvent = z.infer<typeof AssistantEvent>

/** One figure of a checked text. */
export const FigureCheck = z.strictObject({
  text: z.string().describe('the figure as the text prints it'),
  start: z.int().describe('offset of its first UTF-16 unit in the text'),
  end: z.int(),
  kind: z.enum(['number', 'amount', 'percent', 'date', 'identifier', 'multiple']),
  status: z
    .enum(['supported', 'ambiguous', 'unsupported'])
    .describe(
      'supported: a value of a receipt is this figure and its field fits the words around it; ambiguous: the value occurs, but no field that holds it fits the words; unsupported: no value is it',
    ),
  reason: z.string(),
  matches: z
    .array(
      z.strictObject({
        answer: z.int().min(1).describe('which of the given answers, from 1'),
        receipt_id: ReceiptId.nullable(),
        pointer: JsonPointer,
        value: z.string(),
      }),
    )
    .describe('the values that it may be, at most five'),
})
export type FigureCheck = z.infer<typeof FigureCheck>
export const TextCheck = z.strictObject({
  figures: z.array(FigureCheck),
  supported: z.int(),
  ambiguous: z.int(),
  unsupported: z.int(),
})
export type TextCheck = z.infer<typeof TextCheck>

/** The chats of a user, as GET /api/v1/chat/sessions lists them. */
export const OwnChats = z.object({
  count: z.int().min(0),
  chats: z.array(
    z.object({
      session_id: z.string(),
      created_at: Instant,
      last_at: Instant.describe('of its newest message'),
      messages: z.int().min(0),
      first_question: z.string().describe('its beginning, at most 200 characters'),
    }),
  ),
})
