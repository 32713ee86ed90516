// `/r/{receipt}/diff/{after}`: what changed between two answers to one question, and why.
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { causeText } from '#warehouse/answers/receipt-diff/cause-text.ts'
import { instant, number } from '../components/format.ts'
import { missing, notice, statusOf } from '../components/notice.ts'
import { pageHead, section } from '../components/parts.ts'
import { facts, table } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page } from '../page.ts'

type Difference = AnswerOf<'get_receipt_diff'>
type Listed = Pick<Difference, 'changes' | 'causes'>

/** Characters of a value in the table; the operation has it whole. */
const shownLength = 200
const sample = 'r1_kq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2akq3m7x2awz4a'

const value = (json: string | null): Content =>
  json === null ? html`<span class="soft">absent</span>` : html`<code>${json.length > shownLength ? `${json.slice(0, shownLength)}…` : json}</code>`

/** The differing values with their causes. */
const changedTable = ({ changes, causes }: Listed, caption: string): Html =>
  table({
    caption,
    captionHidden: true,
    columns: ['Place', 'Before', 'After', 'Cause'],
    rows: changes.map(change => [
      html`<code>${change.path}</code>`,
      value(change.before),
      value(change.after),
      change.causes.flatMap(at => causes[at] ?? []).map(cause => html`<span class="small">${causeText(cause)}</span> `),
    ]),
    empty: 'No value differs.',
    tall: true,
  })

const side = ({ receipt_id, release, as_of }: Difference['before']): Html =>
  html`release ${number(release)}, as of ${instant(as_of)}, <a href="/r/${receipt_id}"><code class="long">${receipt_id}</code></a>`

export const receiptDiffPage = page('/r/{receipt}/diff/{after}', 'What changed', {
  summary: 'What changed between two signed answers to one question, value by value, with the causes.',
  question: question({ receipt: text('receipt id of the first answer', 64, sample), after: text('receipt id of the second answer', 64, sample) }),
  operations: ['get_receipt_diff'],
  sample: `/r/${sample}/diff/${sample}`,
  async render({ question: { receipt, after }, ask }) {
    const found = await ask('get_receipt_diff', { a: receipt, b: after }, { seconds: 15 })
    if (!found.ok) return { main: html`${pageHead('What changed')}${missing(found, 'The difference')}`, status: statusOf(found) }
    const { question: name, before, after: now, equal, reason, count, changes, causes } = found.value
    const named = new Set(changes.flatMap(change => change.causes))
    const whole = causes.filter((_, at) => !named.has(at))
    return {
      main: html`${pageHead('What changed', html`<code>${name}</code>`)}
${reason === null ? notice('info', equal ? 'The answers are equal, byte for byte.' : `${number(count)} ${count === 1 ? 'value differs' : 'values differ'}.`) : notice('warn', `The values are not compared: ${reason}.`)}
${facts([
  ['First answer', side(before)],
  ['Second answer', side(now)],
])}
${section({
  id: 'values',
  title: count > changes.length ? html`Values: the first ${number(changes.length)}` : 'Values',
  wide: true,
  body: changedTable({ changes, causes }, 'Values that differ'),
})}
${
  whole.length > 0 &&
  section({
    id: 'causes',
    title: 'Causes that no single value names',
    body: html`<ul>${whole.map(cause => html`<li>${causeText(cause)}</li>`)}</ul>`,
  })
}`,
    }
  },
})
