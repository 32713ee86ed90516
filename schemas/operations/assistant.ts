// The assistant: chats, streams of events, shared copies, profile, feedback, and checks of texts.
import type { z } from 'zod'
import { OwnChats } from '../assistant.ts'
import {
  AskAnswer,
  AskIn,
  AssistantCheckAnswer,
  AssistantCheckRequest,
  AssistantFeedbackAnswer,
  AssistantFeedbackRequest,
  AssistantProfileAnswer,
  AssistantProfileRequest,
  ChatAnswer,
  ChatRequest,
  ChatShared,
  ChatShareRequest,
  ChatTicket,
  GeoChatMessageRequest,
  maxContent,
  SharedChat,
} from '../chat.ts'
import { operation, question } from './operation.ts'
import { oneOf, shaped, text } from './parameters.ts'

const shared = { tag: 'Assistant', access: 'user', curated: false, cache: 'live', served_from: 'pg' } as const
/** A question: it makes several look-ups in the warehouse. */
const questionDefaults = { ...shared, limit_class: 'queries', cost: 5, freshness: 'computed when it is requested' } as const
const withImage = 24 * 1024 * 1024

const counting =
  'Counts one query of the daily cap of the tier (GET /api/v1/data/plans); it is given back if nothing was answered: 429 at the cap, with Retry-After until the day in UTC ends.'
const bound =
  'Each figure, date and name of the answer is a claim in the envelope: the operation, the place in its answer, and its receipt if that answer is signed. Nothing is recommended or predicted.'

const chatId = shaped('id of your chat', /^[\w.:-]{1,64}$/, 'at most 64 letters, digits and _ . : -', 'c_k3J0q2mXv1ZpT8aR')
const shareId = (description: string) =>
  shaped(description, /^[A-Za-z0-9_-]{24}$/, 'an id of 24 letters, digits, - and _', 'mYw1k6Zq0aTJ4u8RrXvB2cDe')

export const assistantOperations = [
  operation('send_chat', 'POST /api/v1/chat/send', {
    ...questionDefaults,
    body_bytes: withImage,
    summary: 'Ask a question and get the whole answer',
    description: `${bound} With session_id the question continues a chat: "and in 2024?" is about the same company. ${counting} An image needs a model that takes images; without one the request is refused and not counted.`,
    body: ChatRequest,
    answer: ChatAnswer,
    example: { body: { content: 'What is the price of GLPR.TO?', session_id: 'c_8f2kq0' } },
  }),
  operation('create_chat_ticket', 'POST /api/v1/chat/tickets', {
    ...shared,
    success: 201,
    body_bytes: withImage,
    summary: 'Prepare a question for a stream',
    description:
      'For questions that do not fit into an address, for images, and for pages in a browser: the ticket opens GET /api/v1/chat/stream-thinking once, within a minute. Nothing is counted before.',
    body: ChatRequest,
    answer: ChatTicket,
    example: { body: { content: 'What is the price of GLPR.TO?', session_id: 'c_8f2kq0' } },
  }),
  operation('stream_chat', 'GET /api/v1/chat/stream-thinking', {
    ...questionDefaults,
    effects: true,
    media_type: 'text/event-stream; charset=utf-8',
    summary: 'Ask a question and follow the answer as server-sent events',
    description: `Send content (and quality, session_id), or the ticket of POST /api/v1/chat/tickets. Events: start, thinking, tool_call, tool_result, delta, citation, envelope, then exactly one done or error; each data line is one JSON object. A comment line arrives every 15 seconds at the latest. Events are kept for five minutes: reconnecting with Last-Event-ID continues after that event and is not counted again; after the last event it is answered 204. If the client does not come back within ten seconds, the work is cancelled and stays counted. A stream lasts ten minutes at most, then reconnect. ${counting}`,
    question: question({
      content: text(
        `the question, of at most ${maxContent} characters; an address holds about 8,000 bytes`,
        maxContent,
        'What is the price of GLPR.TO?',
      ).optional(),
      quality: oneOf('as in POST /api/v1/chat/send', ['fast', 'deep']).optional(),
      session_id: shaped('the chat to continue', /^[\w.:-]{1,64}$/, 'at most 64 letters, digits and _ . : -', 'c_8f2kq0').optional(),
      ticket: shaped('of POST /api/v1/chat/tickets', /^m_[A-Za-z0-9_-]{20}$/, 'a ticket: m_ and 20 characters', 'm_4T0c9kQ2xWm7Zr1yUeLs').optional(),
    }),
    can_be_missing: true,
    other_successes: [[204, 'The stream has ended, and Last-Event-ID is its last event']],
    example: '/api/v1/chat/stream-thinking?content=What%20is%20the%20price%20of%20GLPR.TO%3F',
  }),
  operation('share_chat', 'POST /api/v1/chat/share', {
    ...shared,
    success: 201,
    body_bytes: 1024 * 1024,
    cost: 5,
    summary: 'Publish a copy of messages under an address that cannot be guessed',
    description:
      'Each message is a message_id of one of your chats, or role and content. An answer that this service gave you is marked verified and keeps its sources; any other text is marked as yours. E-mail addresses and the keys and tokens of this service are removed, and nothing about you is in the copy. It ends after a year, or with DELETE /api/v1/chat/shared/{id}.',
    body: ChatShareRequest,
    answer: ChatShared,
    idempotency_key: true,
    example: {
      body: {
        messages: [
          { role: 'user', content: 'What is the price of GLPR.TO?' },
          { role: 'assistant', content: 'GLPR.TO: 112.40 CAD.' },
        ],
        title: 'GLPR.TO',
      },
    },
  }),
  operation('get_shared_chat', 'GET /api/v1/chat/shared/{id}', {
    ...shared,
    access: 'public',
    summary: 'Read a shared chat',
    description: 'Public for everyone who has the id. 404 after its owner ended it, and after a year.',
    question: question({ id: shareId('id of the shared chat') }),
    answer: SharedChat,
    rows: 'messages',
    example: '/api/v1/chat/shared/mYw1k6Zq0aTJ4u8RrXvB2cDe',
  }),
  operation('end_shared_chat', 'DELETE /api/v1/chat/shared/{id}', {
    ...shared,
    success: 204,
    summary: 'End a shared chat',
    description: 'From then on its address answers 404. 404 for a chat that you did not share.',
    question: question({ id: shareId('id of your shared chat') }),
    example: '/api/v1/chat/shared/mYw1k6Zq0aTJ4u8RrXvB2cDe',
  }),
  operation('list_chats', 'GET /api/v1/chat/sessions', {
    ...shared,
    summary: 'Your chats',
    description: 'The chats of the signed-in user that are kept, the one continued last first, at most 500, with the first question of each.',
    answer: OwnChats,
  }),
  operation('delete_chat', 'DELETE /api/v1/chat/sessions/{session_id}', {
    ...shared,
    success: 204,
    summary: 'Delete one of your chats',
    description: 'Its messages are deleted immediately. Copies that you shared stay until you end them. 404 for a chat that is not yours.',
    question: question({ session_id: chatId }),
    example: '/api/v1/chat/sessions/c_k3J0q2mXv1ZpT8aR',
  }),
  operation('ask_assistant', 'POST /api/v1/assistant/ask', {
    ...questionDefaults,
    summary: 'Ask one short question, without a chat',
    description: `${bound} last_ticker is what "it" means; alts are other wordings of the same question, used in their order if query is not understood. Neither question nor answer is kept. ${counting}`,
    body: AskIn,
    answer: AskAnswer,
    example: { body: { query: 'What is its price?', last_ticker: 'GLPR.TO', alts: ['What is the price of it?'] } },
  }),
  operation('give_assistant_feedback', 'POST /api/v1/assistant/feedback', {
    ...shared,
    success: 201,
    body_bytes: 256 * 1024,
    cost: 5,
    summary: 'Report whether an answer was right',
    description: 'Kept for 400 days with what you send, for the operator of this service; part of your export, and deleted with the account.',
    body: AssistantFeedbackRequest,
    answer: AssistantFeedbackAnswer,
    idempotency_key: true,
    example: {
      body: { vote: 'up', query: 'What is the price of GLPR.TO?', answer: 'GLPR.TO: 112.40 CAD.', model: 'rules', session_id: 'c_8f2kq0' },
    },
  }),
  operation('get_assistant_profile', 'GET /api/v1/assistant/profile', {
    ...shared,
    summary: 'What the assistant knows about you, and the queries of the day',
    description: 'Empty texts until PUT sets them.',
    answer: AssistantProfileAnswer,
  }),
  operation('put_assistant_profile', 'PUT /api/v1/assistant/profile', {
    ...shared,
    summary: 'Set what the assistant knows about you',
    description: 'Replaces all of it: an omitted member becomes empty. It chooses defaults, such as a Sharia standard, and never changes a figure.',
    body: AssistantProfileRequest,
    answer: AssistantProfileAnswer,
    example: {
      body: {
        about_me: 'I hold dividend stocks in an RRSP.',
        my_voice: 'Short sentences.',
        my_rules: '',
        sharia_standard: 'aaoifi',
        jurisdiction: 'ON',
        sectors: ['Utilities'],
      },
    },
  }),
  operation('send_geochat', 'POST /api/v1/geochat/message', {
    ...questionDefaults,
    summary: 'Ask about mining issuers, metals and drilling',
    description: `${bound} The text of a drill release is interpreted: intervals, grades, AuEq with its assumptions. Neither question nor answer is kept. ${counting}`,
    body: GeoChatMessageRequest,
    answer: AskAnswer,
    example: { body: { content: 'What is the price of GLPR.TO?' } },
  }),
  operation('check_assistant_text', 'POST /api/v1/assistant/check', {
    ...shared,
    access: 'session',
    cost: 5,
    summary: 'Check the figures of a text against signed answers',
    description:
      'Finds each number, amount, percentage, date and identifier of the text and looks it up in the answers of the receipts, by value and by the field that holds it. It costs no assistant query, and nothing is kept.',
    body: AssistantCheckRequest,
    answer: AssistantCheckAnswer,
    can_be_missing: true,
    example: {
      body: { text: 'Glacier Rail paid a dividend of 0.55 CAD.', receipts: ['r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a'] },
    },
  }),
] as const

/** The question of a stream, as its handler gets it. */
export type StreamQuestion = z.output<(typeof assistantOperations)[2]['question']>
