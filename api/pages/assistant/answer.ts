// An answer of the assistant as HTML: its text, every figure with its receipt, and the look-ups behind it.
import type { AnswerOf } from '#schemas/operations.ts'
import { badge, notice } from '../components/notice.ts'
import { receiptPath } from '../components/parts.ts'
import { table, tight } from '../components/table.ts'
import { renderMarkdown } from '../docs/markdown.ts'
import { type Content, type Html, html } from '../html.ts'

type Envelope = Omit<AnswerOf<'send_chat'>['envelope'], 'subject' | 'candidates'>
type Claim = Envelope['claims'][number]

/** Links of an answer lead to documents at their source and to this service. */
const resolve = (target: string): string | null => (/^https:\/\/|^\/(?!\/)/.test(target) ? target : null)

/** `text`: Markdown as the assistant writes it. */
export const answerOf = (text: string, envelope: Envelope | null): Html =>
  html`${envelope !== null && envelope.refused !== null && notice('info', 'This question is not answered.')}
<div class="prose">${renderMarkdown(text, resolve)}</div>
${envelope !== null && envelope.claims.length > 0 && figuresOf(envelope)}
${envelope !== null && envelope.calls.length > 0 && callsOf(envelope)}`

const figuresOf = ({ claims, calls }: Envelope): Html =>
  html`<details class="listed"><summary>Figures and where they are from (${claims.length})</summary>${table({
    caption: 'Figures of the answer',
    captionHidden: true,
    columns: ['In the answer', 'Value', tight('Unit'), 'From', tight('Receipt')],
    rows: claims.map(claim => [claim.text, claim.value ?? 'not known', claim.unit ?? '', originOf(claim, calls), receiptOf(claim.receipt_id)]),
  })}</details>`

/** The place of a value in an answer, or how it was computed. */
function originOf({ call, pointer, rule, operands }: Claim, calls: Envelope['calls']): Content {
  const made = calls.find(({ n }) => n === call)
  if (made !== undefined) {
    const name = html`<code>${made.operation}</code>`
    return html`${made.url === null ? name : html`<a href="${made.url}">${name}</a>`} <code>${pointer ?? ''}</code>`
  }
  return operands.length > 0 ? `${(rule ?? 'computed').replaceAll('_', ' ')} of ${operands.length} figures` : (rule ?? '').replaceAll('_', ' ')
}
const receiptOf = (id: string | null): Content =>
  id === null ? 'not signed' : html`<a href="${receiptPath(id)}" aria-label="Receipt ${id}">receipt</a>`

const callsOf = ({ calls, model, ruleset }: Envelope): Html =>
  html`<details class="listed"><summary>Look-ups (${calls.length})</summary>${table({
    caption: 'Operations that were called',
    captionHidden: true,
    columns: ['Operation', 'Parameters', 'Result', tight('Receipt')],
    rows: calls.map(each => [
      each.url === null ? html`<code>${each.operation}</code>` : html`<a href="${each.url}"><code>${each.operation}</code></a>`,
      html`<code>${JSON.stringify(each.parameters)}</code>`,
      each.ok ? badge('answered', 'good') : (each.detail ?? 'failed'),
      receiptOf(each.receipt_id),
    ]),
  })}<p class="small">Written by ${model === 'rules' ? `rules (${ruleset})` : model}.</p></details>`
