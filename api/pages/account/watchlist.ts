// `/account/watchlist`: the listings that the signed-in user follows.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { oneOf } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken, inputField } from '../components/form.ts'
import { day } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { companyLink, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { table } from '../components/table.ts'
import { type Content, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { accountHead, doneWords } from './frame.ts'

type Item = AnswerOf<'list_watchlist'>['items'][number]
const fields = ['ticker', 'tags', 'note']

export const watchlistPage = page({
  path: '/account/watchlist',
  title: 'Watchlist',
  summary: 'The listings that the signed-in user follows, with tags and notes.',
  access: 'user',
  question: question({ done: oneOf('the action before', doneWords).optional() }),
  operations: ['list_watchlist', 'add_watchlist_item', 'remove_watchlist_item'],
  sample: '/account/watchlist',
  async render({ ask, question: { done }, token, returned }) {
    const found = await ask('list_watchlist')
    const faults = faultsIn(returned, 'add')
    const typed = (name: string): string => typedIn(returned, 'add', name)
    return {
      main: html`${accountHead('Watchlist', '/account/watchlist', 'The listings that you follow. An alert can be evaluated for all of them.', done)}
<form class="panel" method="post" action="/account/watchlist/add" aria-label="Add a listing">${formToken(token)}${faultList('add', faults)}
<div class="calculator-fields">${inputField({ form: 'add', name: 'ticker', label: 'Symbol', help: 'In any usual spelling: RY.TO, TSX:RY.', faults, attributes: html` required maxlength="16" autocomplete="off"` }, typed('ticker'))}
${inputField({ form: 'add', name: 'tags', label: 'Tags', help: 'Separated by commas. May be empty.', faults, attributes: html` maxlength="700" autocomplete="off"` }, typed('tags'))}
${inputField({ form: 'add', name: 'note', label: 'Note', faults, attributes: html` maxlength="500" autocomplete="off"` }, typed('note'))}</div>
<p><button type="submit">Add</button></p></form>
${faultList('remove', faultsIn(returned, 'remove'))}
${section({ id: 'items', title: 'Listings', body: shown(found, 'The watchlist', ({ items }) => itemTable(items, token)) })}`,
    }
  },
  forms: {
    add: pageForm(
      z.object({ ticker: z.string().default(''), tags: z.string().default(''), note: z.string().default('') }),
      async ({ ticker, tags, note }, { ask }) => {
        const separate = tags
          .split(',')
          .map(tag => tag.trim())
          .filter(tag => tag !== '')
        const body = { ticker: ticker.trim(), tags: separate, note: note.trim() === '' ? null : note.trim() }
        const added = await ask('add_watchlist_item', {}, { body })
        if (added.ok) return { redirect: '/account/watchlist?done=added' }
        // An unknown symbol and one that is there already belong to the field of the symbol.
        const faults = refusalFaults(added, fields)
        return { faults: [404, 409].includes(added.status) ? { ticker: faults[''] ?? '' } : faults }
      },
    ),
    remove: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const removed = await ask('remove_watchlist_item', { id })
      return removed.ok ? { redirect: '/account/watchlist?done=removed' } : { faults: refusalFaults(removed, []) }
    }),
  },
})

const itemTable = (items: readonly Item[], token: string | null): Content =>
  table({
    caption: 'Listings in your order',
    captionHidden: true,
    columns: [
      { label: 'Symbol', tight: true },
      { label: 'Tags' },
      { label: 'Note' },
      { label: 'Since', tight: true },
      { label: 'Remove', tight: true },
    ],
    rows: items.map(item => [
      companyLink(item.ticker),
      html`${item.tags.map(tag => html`${badge(tag)} `)}`,
      item.note ?? '',
      day(item.created_at.slice(0, 10)),
      html`<form method="post" action="/account/watchlist/remove">${formToken(token)}<input type="hidden" name="id" value="${item.id}"><button type="submit" class="quiet small" aria-label="Remove ${item.ticker}">Remove</button></form>`,
    ]),
    empty: 'The watchlist is empty.',
  })
