// `/assistant`: asks the assistant, by a stream or without script, and shares an answer. `/assistant/shared/{id}`: a shared copy, for everybody.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Envelope } from '#schemas/assistant.ts'
import { question } from '#schemas/operations/operation.ts'
import { shaped } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { areaField, faultList, focusOf, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge, missing, statusOf } from '../components/notice.ts'
import { pageHead, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { type Html, html } from '../html.ts'
import { type Faults, page, pageForm } from '../page.ts'
import { answerOf } from './answer.ts'

type Answer = Pick<AnswerOf<'send_chat'>, 'answer' | 'envelope' | 'session_id' | 'message_id'>
/** The largest answer with its envelope as a form sends it. */
const maxAnswered = 2 * 1024 * 1024
const examples = [
  'What is the price of GLPR.TO?',
  'What changed in the risk factors of BRLX?',
  'Which TSX stocks yield more than 3 %?',
  'Dividends of GLPR.TO after tax in an RRSP?',
  'Who holds BRLX?',
]
const lead =
  'Answers questions about this service’s data. Every figure has the answer that it was read from, with its receipt. Nothing is recommended or predicted.'

const text = z.string().default('')
function envelopeIn(json: string): Envelope | null {
  try {
    return Envelope.safeParse(JSON.parse(json)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export const assistantPage = page('/assistant', 'Assistant', {
  summary: 'Questions in words; every figure of an answer opens its receipt.',
  access: 'user',
  navigation: 'Assistant',
  operations: ['send_chat', 'share_chat', 'get_me'],
  async render({ token, returned }) {
    const typed = typedIn(returned, 'ask', 'content')
    return {
      main: html`${pageHead('Assistant', lead)}
${faultList('share', faultsIn(returned, 'share'))}${faultList('answered', faultsIn(returned, 'answered'))}
${askForm(token, typedIn(returned, 'ask', 'session_id'), typed, faultsIn(returned, 'ask'))}
${progress}
${section({ id: 'examples', title: 'For example', body: suggestions(examples, token, '') })}`,
      modules: ['assistant'],
    }
  },
  forms: {
    ask: pageForm(
      z.object({ content: z.string().default(''), session_id: z.string().max(64).default('') }),
      async ({ content, session_id }, { ask, token }) => {
        const body = { content, session_id: session_id === '' ? null : session_id }
        const found = await ask('send_chat', {}, { body, seconds: 30 })
        if (!found.ok) return { faults: refusalFaults(found, ['content']) }
        const { queries_today, queries_per_day } = found.value
        const counted = `Questions today (UTC): ${number(queries_today)} of ${number(queries_per_day)}.`
        return { main: html`${pageHead('Assistant', lead)}${answered(content, found.value, token, counted)}`, modules: ['assistant'] }
      },
    ),
    // The answer of a stream, which the browser has received event by event. It is shown to the person who sends it, and is not kept.
    answered: pageForm(
      z.object({ content: text, answer: text, envelope: text, session_id: text, message_id: text }),
      async ({ content, envelope, ...answer }, { ask, token }) => {
        const read = envelopeIn(envelope)
        if (read === null) return { faults: { '': 'The answer was not received completely. Ask again.' } }
        const me = await ask('get_me')
        const counted = me.ok ? `Questions today (UTC): ${number(me.value.queries_today)}.` : ''
        const main = html`${pageHead('Assistant', lead)}${answered(content, { ...answer, envelope: read }, token, counted)}`
        return { main, modules: ['assistant'] }
      },
      { bytes: maxAnswered },
    ),
    share: pageForm(
      z.object({ question: z.string().default(''), message_id: z.string().max(64).default(''), key: z.string().max(64).default('') }),
      async ({ question: content, message_id, key }, { ask }) => {
        const body = { messages: [{ role: 'user', content }, { message_id }], title: content.slice(0, 200) }
        const shared = await ask('share_chat', {}, { body, ...(key === '' ? {} : { idempotency_key: key }) })
        return shared.ok ? { redirect: `/assistant/shared/${shared.value.id}` } : { faults: refusalFaults(shared, []) }
      },
    ),
  },
})

const askForm = (token: string | null, session: string, content: string, faults: Faults): Html =>
  html`<form class="panel" method="post" action="/assistant/ask" aria-label="Ask">${formToken(token)}<input type="hidden" name="session_id" value="${session}">
${faultList('ask', faults)}${areaField({ form: 'ask', name: 'content', label: 'Question', faults, focus: Object.keys(faults).length > 0 ? focusOf(faults, 'content') : null, attributes: html` required maxlength="16000"` }, content, 3)}
<p><button type="submit">Ask</button></p></form>`

/** What the module fills while an answer arrives. */
const progress = html`<section class="panel" data-assistant hidden aria-labelledby="progress-title"><h2 id="progress-title" data-question>Question</h2>
<p class="small" data-state aria-live="polite"></p>
<ol class="plain small" data-calls aria-label="Look-ups"></ol>
<p class="streamed" data-text></p></section>`

/** Questions that a button asks. */
const suggestions = (questions: readonly string[], token: string | null, session: string): Html =>
  html`<ul class="plain">${questions.map(
    each =>
      html`<li><form method="post" action="/assistant/ask">${formToken(token)}<input type="hidden" name="session_id" value="${session}"><input type="hidden" name="content" value="${each}"><button type="submit" class="quiet small">${each}</button></form></li>`,
  )}</ul>`

const answered = (content: string, answer: Answer, token: string | null, counted: string): Html =>
  html`${section({
    id: 'answer',
    title: content,
    body: html`${answerOf(answer.answer, answer.envelope)}
${
  answer.envelope.candidates.length > 0 &&
  html`<h3>Is one of these meant?</h3>${suggestions(
    answer.envelope.candidates.map(each => each.question),
    token,
    answer.session_id,
  )}`
}
<form class="inline-form" method="post" action="/assistant/share">${formToken(token)}<input type="hidden" name="question" value="${content}"><input type="hidden" name="message_id" value="${answer.message_id}"><input type="hidden" name="key" value="${randomUUID()}"><button type="submit" class="quiet small">Share this answer</button></form>
<p class="small">${counted} A shared copy has an address that cannot be guessed, and nothing about you.</p>`,
  })}
${section({ id: 'next', title: 'Go on', lead: '“And in 2024?” is about the same company.', body: askForm(token, answer.session_id, '', {}) })}
${progress}`

export const sharedChatPage = page('/assistant/shared/{id}', 'Shared answer', {
  summary: 'A copy of an answer of the assistant that a user shared.',
  question: question({
    id: shaped('of the shared copy', /^[A-Za-z0-9_-]{24}$/, 'an id of 24 letters, digits, - and _', 'mYw1k6Zq0aTJ4u8RrXvB2cDe'),
  }),
  operations: ['get_shared_chat'],
  sample: '/assistant/shared/mYw1k6Zq0aTJ4u8RrXvB2cDe',
  async render({ ask, question: { id } }) {
    const found = await ask('get_shared_chat', { id })
    if (!found.ok) return { main: html`${pageHead('Shared answer')}${missing(found, 'The shared answer')}`, status: statusOf(found) }
    const { title, created_at, expires_at, messages, note } = found.value
    return {
      title: title ?? 'Shared answer',
      main: html`${pageHead(title ?? 'Shared answer', html`Shared ${instant(created_at)}, until ${instant(expires_at)}. ${note}`)}
${messages.map((message, at) =>
  section({
    id: `message-${at + 1}`,
    title: html`${message.role === 'user' ? 'Question' : 'Answer'} ${message.role === 'assistant' && (message.verified ? badge('given by this service', 'good') : badge('text of the person who shared it', 'warn'))}`,
    body: message.role === 'user' ? html`<p>${message.content}</p>` : answerOf(message.content, message.envelope),
  }),
)}`,
    }
  },
})
