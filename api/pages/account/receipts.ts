// `/account/receipts`: the answers that the signed-in user watches, and what changed.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { integer, oneOf } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { shown } from '../components/notice.ts'
import { pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { table } from '../components/table.ts'
import { type Content, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { accountHead, doneWords } from './frame.ts'

type Watch = AnswerOf<'list_receipt_watches'>['watches'][number]
type Change = AnswerOf<'list_receipt_changes'>['changes'][number]

const path = '/account/receipts'
const changesOfPage = 50

const watchTable = (watches: readonly Watch[], token: string | null): Content =>
  table({
    caption: 'Watched answers, newest first',
    captionHidden: true,
    columns: [
      { label: 'Question' },
      { label: 'Channels' },
      { label: 'Changes', numeric: true },
      { label: 'Compared', tight: true },
      { label: 'Stop', tight: true },
    ],
    rows: watches.map(watch => [
      html`<code>${watch.question}</code><br><span class="small"><a href="/r/${watch.first_receipt_id}">first receipt</a>${watch.receipt_id !== watch.first_receipt_id && html`, <a href="/r/${watch.receipt_id}">newest receipt</a>, <a href="/r/${watch.first_receipt_id}/diff/${watch.receipt_id}">difference of the two</a>`}</span>${watch.problem !== null && html`<br><span class="small">No answer to compare: ${watch.problem}</span>`}`,
      watch.channels.join(', '),
      number(watch.changes),
      html`release ${number(watch.checked_release)}<br><span class="small">${instant(watch.checked_at)}</span>`,
      html`<form method="post" action="${path}/delete">${formToken(token)}<input type="hidden" name="id" value="${watch.id}"><button type="submit" class="danger" aria-label="Stop watching ${watch.question}">Delete</button></form>`,
    ]),
    empty: 'You watch no answer. The page of a receipt has the form.',
  })

const changeTable = (changes: readonly Change[]): Content =>
  table({
    caption: 'Changes, oldest first',
    captionHidden: true,
    columns: [{ label: 'Found', tight: true }, { label: 'Question' }, { label: 'Releases', tight: true }, { label: 'Values', numeric: true }],
    rows: changes.map(change => [
      instant(change.found_at),
      html`<code>${change.question}</code><br><span class="small">${change.changes.slice(0, 3).map(each => `${each.path} `)}</span>`,
      html`${number(change.before.release)} to ${number(change.after.release)}`,
      html`<a href="${change.page}">${change.reason === null ? number(change.count) : 'not compared'}</a>`,
    ]),
    empty: 'Nothing changed yet.',
    tall: true,
  })

export const watchedReceiptsPage = page({
  path,
  title: 'Watched answers',
  summary: 'The signed answers that the signed-in user watches, and each change with its difference.',
  access: 'user',
  question: question({
    since: integer('next_since of the page before', 0, Number.MAX_SAFE_INTEGER, { example: 0 }).default(0),
    done: oneOf('the action before', doneWords).optional(),
  }),
  operations: ['list_receipt_watches', 'list_receipt_changes', 'delete_receipt_watch'],
  sample: path,
  async render({ ask, question: { since, done }, token, returned }) {
    const [watches, changes] = await Promise.all([ask('list_receipt_watches'), ask('list_receipt_changes', { since, limit: changesOfPage })])
    return {
      main: html`${accountHead('Watched answers', path, 'A watch reports when the answer to the question of a receipt changes. The receipts stay valid.', done)}
${faultList('delete', faultsIn(returned, 'delete'))}
${section({
  id: 'watches',
  title: 'Watched',
  lead: watches.ok ? html`${number(watches.value.count)} of ${number(watches.value.limit)} that your tier allows` : null,
  wide: true,
  body: shown(watches, 'Watched answers', ({ watches: held }) => watchTable(held, token)),
})}
${section({
  id: 'changes',
  title: 'Changes',
  lead: 'Oldest first. The newest 100 of each watch are kept.',
  wide: true,
  body: shown(changes, 'Changes', ({ changes: found, next_since }) => [
    changeTable(found),
    pager({ first: since === 0 ? null : path, next: found.length < changesOfPage ? null : `${path}?since=${next_since}` }),
  ]),
})}`,
    }
  },
  forms: {
    delete: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const gone = await ask('delete_receipt_watch', { id })
      return gone.ok ? { redirect: `${path}?done=unwatched` } : { faults: refusalFaults(gone, []) }
    }),
  },
})
