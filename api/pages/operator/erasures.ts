// `/operator/erasures`: accounts that will be erased and when, erased accounts by hash, and what the command line does after a restore.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { done, jobPath, opened, operatorHead, relative } from './frame.ts'

type Erasures = AnswerOf<'list_erasures'>
const path = '/operator/erasures'
const job = 'erasure'

export const operatorErasuresPage = page(path, 'Erasures', {
  summary: 'Accounts whose erasure was requested, with the day of the erasure, and erased accounts by hash.',
  access: 'admin',
  question: question({ cursor: text('next rows', 1000, 'bm90IGEgcmVhbCBvbmU').optional(), done }),
  operations: ['list_erasures', 'run_job'],
  async render({ ask, question: { cursor, done: outcome }, token, returned, now }) {
    const found = await ask('list_erasures', { limit: 50, ...(cursor === undefined ? {} : { cursor }) })
    return {
      main: html`${operatorHead('Erasures', path, { lead: 'A user requests the erasure of their account. It is carried out after the grace period, in one transaction, and signing in cancels it until then.', done: outcome })}
${faultList('run', faultsIn(returned, 'run'))}
${opened(found, 'Erasures', value => [cursor === undefined && waitingSection(value, token, now), doneSection(value, cursor), cursor === undefined && afterRestore()])}`,
    }
  },
  forms: {
    run: pageForm(z.object({ once: z.string().max(64).default('') }), async ({ once }, { ask }) => {
      const sent = await ask('run_job', { name: job }, { body: {}, seconds: 12, ...onceOf(once) })
      if (!sent.ok) return { faults: refusalFaults(sent, []) }
      return { redirect: `${path}?done=${sent.value.joined ? 'joined' : 'sent'}` }
    }),
  },
})

function waitingSection({ waiting, waiting_count, grace_days }: Erasures, token: string | null, now: Date): Html {
  const run = html`<form method="post" action="${path}/run">${formToken(token)}${onceField()}<button type="submit" class="quiet small">Erase what is due now</button></form> <a href="${jobPath(job)}" aria-label="Runs of ${job}">Runs</a>`
  return section({
    id: 'waiting',
    title: 'Requested',
    tools: run,
    lead: `The grace period is ${grace_days} days. The job erasure runs each day; before its end no account is erased.`,
    body: [
      waiting.length < waiting_count && html`<p>The first ${number(waiting.length)} of ${number(waiting_count)}.</p>`,
      table({
        caption: 'Accounts that will be erased, the first ones in front',
        captionHidden: true,
        columns: ['Account', tight('Requested'), tight('Erased from'), 'State'],
        rows: waiting.map(each => [
          html`<a class="long" href="${`/operator/users?${new URLSearchParams({ q: each.email })}`}">${each.email}</a>`,
          instant(each.requested_at),
          html`${instant(each.erase_after)}<br><span class="small">${relative(each.erase_after, now)}</span>`,
          each.is_due ? badge('due', 'warn') : badge('within the grace period'),
        ]),
        empty: 'No account waits for its erasure. A user requests one on the page of their account.',
      }),
    ],
  })
}

const doneSection = ({ erasures, of, next_cursor }: Erasures, cursor: string | undefined): Html =>
  section({
    id: 'erased',
    title: 'Erased',
    lead: 'The proof of an erasure has no name: it is the SHA-256 of the id of the account. A person who kept their id can be shown the row.',
    body: [
      of > erasures.length && html`<p>${number(erasures.length)} of ${number(of)}.</p>`,
      table({
        caption: 'Erased accounts, newest first',
        captionHidden: true,
        columns: ['SHA-256 of the id', tight('Requested'), tight('Erased'), numeric('Rows deleted')],
        rows: erasures.map(each => [
          html`<code class="long">${each.subject_sha256}</code>`,
          instant(each.requested_at),
          instant(each.erased_at),
          each.rows === null ? null : number(each.rows),
        ]),
        empty: 'No account has been erased.',
      }),
      pager({
        first: cursor === undefined ? null : path,
        next: next_cursor === null ? null : `${path}?${new URLSearchParams({ cursor: next_cursor })}`,
      }),
    ],
  })

const afterRestore = (): Content =>
  section({
    id: 'restore',
    title: 'After a restore',
    body: html`<p>A restored database can contain accounts that were erased after its backup. The job erasure keeps the list above as <code>erasures.jsonl</code> in the data folder, and <code>crossfile restore</code> applies the lists of newer backups of the same place.</p>
<p>With a list that was kept elsewhere, run <code>crossfile erasures replay erasures.jsonl</code> before the API starts, so that no erased account can be read. This page does not offer it: when it can be opened, the API runs already.</p>`,
  })
