// `/account/receipts`: the answers that the signed-in user watches, and what changed.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { integer } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { boxesField, faultList, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { shown } from '../components/notice.ts'
import { pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { numeric, table, tight } from '../components/table.ts'
import { channelLabels, channelsOf, sentChannels } from '../components/watch-channels.ts'
import { type Content, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { accountHead, done } from './frame.ts'

type Watch = AnswerOf<'list_receipt_watches'>['watches'][number]
type Change = AnswerOf<'list_receipt_changes'>['changes'][number]

const path = '/account/receipts'
const changesOfPage = 50

const watchTable = (watches: readonly Watch[], token: string | null): Content =>
  table({
    caption: 'Watched answers, newest first',
    captionHidden: true,
    columns: ['Question', 'Channels', numeric('Changes'), tight('Compared'), tight('Stop')],
    rows: watches.map(watch => [
      html`<code>${watch.question}</code><br><span class="small"><a href="/r/${watch.first_receipt_id}">first receipt</a>${watch.receipt_id !== watch.first_receipt_id && html`, <a href="/r/${watch.receipt_id}">newest receipt</a>, <a href="/r/${watch.first_receipt_id}/diff/${watch.receipt_id}">difference of the two</a>`}</span>${watch.problem !== null && html`<br><span class="small">No answer to compare: ${watch.problem}</span>`}`,
      html`${watch.channels.join(', ')}<details><summary aria-label="Change how ${watch.question} reports">Change</summary><form method="post" action="${path}/channels">${formToken(token)}<input type="hidden" name="id" value="${watch.id}">${boxesField({ form: watch.id, name: 'channels', label: 'By', faults: {} }, Object.entries(channelLabels), watch.channels)}<button type="submit" class="quiet small">Save</button></form></details>`,
      number(watch.changes),
      html`release ${number(watch.checked_release)}<br><span class="small">${instant(watch.checked_at)}</span>`,
      html`<form method="post" action="${path}/delete">${formToken(token)}<input type="hidden" name="id" value="${watch.id}"><button type="submit" class="danger" aria-label="Stop watching ${watch.question}">Delete</button></form>`,
    ]),
    empty: 'You watch no answer. The page of a receipt has the form.',
  })

const changeTable = (changes: readonly Change[]): Content =>
  table({
    caption: 'Changes, newest first',
    captionHidden: true,
    columns: [tight('Found'), 'Question', tight('Releases'), numeric('Values')],
    rows: changes.map(change => [
      instant(change.found_at),
      html`<code>${change.question}</code><br><span class="small">${change.changes.slice(0, 3).map(each => `${each.path} `)}</span>`,
      html`${number(change.before.release)} to ${number(change.after.release)}`,
      html`<a href="${change.page}">${change.reason === null ? number(change.count) : 'not compared'}</a>`,
    ]),
    empty: 'Nothing changed yet.',
    tall: true,
  })

export const watchedReceiptsPage = page(path, 'Watched answers', {
  summary: 'The signed answers that the signed-in user watches, and each change with its difference.',
  access: 'user',
  question: question({
    before: integer('next_before of the page before', 1, Number.MAX_SAFE_INTEGER).optional(),
    done,
  }),
  operations: ['list_receipt_watches', 'list_receipt_changes', 'update_receipt_watch', 'delete_receipt_watch'],
  async render({ ask, question: { before, done }, token, returned }) {
    const [watches, changes] = await Promise.all([
      ask('list_receipt_watches'),
      ask('list_receipt_changes', { order: 'newest', limit: changesOfPage, ...(before === undefined ? {} : { before }) }),
    ])
    return {
      main: html`${accountHead('Watched answers', path, 'A watch reports when the answer to the question of a receipt changes. The receipts stay valid.', done)}
${['delete', 'channels'].map(form => faultList(form, faultsIn(returned, form)))}
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
  lead: 'Newest first. The newest 100 of each watch are kept.',
  wide: true,
  body: shown(changes, 'Changes', ({ changes: found, next_before }) => [
    changeTable(found),
    pager({ first: before === undefined ? null : path, next: next_before === null ? null : `${path}?before=${next_before}` }),
  ]),
})}`,
    }
  },
  forms: {
    channels: pageForm(z.object({ id: z.string().max(64).default(''), channels: sentChannels }), async ({ id, channels }, { ask }) => {
      const changed = await ask('update_receipt_watch', { id }, { body: { channels: channelsOf(channels) } })
      return changed.ok ? { redirect: `${path}?done=channels` } : { faults: refusalFaults(changed, []) }
    }),
    delete: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const gone = await ask('delete_receipt_watch', { id })
      return gone.ok ? { redirect: `${path}?done=unwatched` } : { faults: refusalFaults(gone, []) }
    }),
  },
})
