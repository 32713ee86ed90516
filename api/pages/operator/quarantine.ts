// `/operator/quarantine`: data that was refused, by dataset and reason. `/operator/quarantine/{id}`: one finding with its document next to the
// reasons, and the decision.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { integer, oneOf, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { addressOf } from '../components/address.ts'
import { areaField, faultList, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge, statusOf } from '../components/notice.ts'
import { columns, filingPath, linkTabs, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { emptyState, facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { done, opened, operatorHead, refused, relative, size } from './frame.ts'

type Listed = AnswerOf<'list_quarantine'>
type Finding = AnswerOf<'get_quarantine_finding'>
const states = ['held', 'released', 'rejected', 'all'] as const
const tones = { held: 'warn', released: 'good', rejected: 'plain' } as const

export const operatorQuarantinePage = page('/operator/quarantine', 'Quarantine', {
  summary: 'Data that was refused, with the reason, and the decisions on it.',
  access: 'admin',
  question: question({
    state: oneOf('which findings', states, 'held').default('held'),
    dataset: text('one dataset', 64, 'bars').optional(),
    reason: text('one reason', 64, 'truncated').optional(),
    cursor: text('next findings', 1000, 'bm90IGEgcmVhbCBvbmU').optional(),
  }),
  operations: ['list_quarantine'],
  async render({ ask, question: { state, dataset, reason, cursor }, now }) {
    const filter = { ...(dataset === undefined ? {} : { dataset }), ...(reason === undefined ? {} : { reason }) }
    const found = await ask('list_quarantine', { state, ...filter, limit: 50, ...(cursor === undefined ? {} : { cursor }) })
    const address = addressOf('/operator/quarantine', { state, dataset, reason })
    return {
      main: html`${operatorHead('Quarantine', '/operator/quarantine', { lead: 'Data that was refused and changes nothing until it is released.' })}
${linkTabs(
  'Which findings',
  states.map(each => ({ label: each, href: `/operator/quarantine?${new URLSearchParams({ state: each, ...filter })}`, current: each === state })),
)}
${(dataset !== undefined || reason !== undefined) && html`<p>Only ${[dataset, reason].filter(each => each !== undefined).join(', ')}. <a href="${`/operator/quarantine?state=${state}`}">Show all</a></p>`}
${opened(found, 'The quarantine', value => [
  value.groups.length > 0 && groupsSection(value, state),
  section({
    id: 'findings',
    title: 'Findings',
    body: [
      value.findings.length === 0
        ? emptyState(state === 'held' ? 'Nothing is held back.' : 'There are no such findings.')
        : html`<ul class="entries">${value.findings.map(
            each => html`<li><div class="panel-head"><h3><a href="/operator/quarantine/${each.id}">${each.subject}</a></h3><span>${badge(each.dataset)} ${badge(each.state, tones[each.state])}</span></div>
<p>${each.detail}</p><p>${each.reason} · ${each.source} · ${relative(each.held_at, now)}${each.note !== null && html` · ${each.note}`}</p></li>`,
          )}</ul>`,
      pager({ first: cursor === undefined ? null : address({}), next: value.next_cursor === null ? null : address({ cursor: value.next_cursor }) }),
    ],
  }),
])}`,
    }
  },
})

const groupsSection = ({ groups }: Listed, state: string): Html =>
  section({
    id: 'groups',
    title: 'By reason',
    body: table({
      caption: 'Findings by dataset and reason',
      captionHidden: true,
      columns: ['Reason', 'Dataset', 'State', numeric('Findings'), tight('Newest')],
      rows: groups.map(each => [
        html`<a href="${`/operator/quarantine?${new URLSearchParams({ state, dataset: each.dataset, reason: each.reason })}`}">${each.reason}</a>`,
        each.dataset,
        each.state,
        number(each.count),
        instant(each.newest),
      ]),
    }),
  })

const findingPath = (id: number): string => `/operator/quarantine/${id}`
const Decision = z.object({ note: z.string().max(2000).default('') })
const findingQuestion = question({
  id: integer('id of the finding', 1, 999_999_999_999, { example: 1 }),
  done,
})

type FindingOperation = 'get_quarantine_finding' | 'decide_quarantine_finding'
const decisionForm = (decision: 'released' | 'rejected') =>
  pageForm<typeof Decision, typeof findingQuestion, FindingOperation>(Decision, async ({ note }, { ask, question: { id } }) => {
    const body = { decision, note: note.trim() === '' ? null : note.trim() }
    const decided = await ask('decide_quarantine_finding', { id }, { body, seconds: 12 })
    if (!decided.ok) return { faults: refusalFaults(decided, ['note']) }
    return { redirect: `${findingPath(id)}?done=${decided.value.state === 'applied' ? 'applied' : 'decided'}` }
  })

export const operatorFindingPage = page('/operator/quarantine/{id}', 'Finding', {
  summary: 'One finding of the quarantine: the reason, the refused row, its document, and the decision.',
  access: 'admin',
  question: findingQuestion,
  operations: ['get_quarantine_finding', 'decide_quarantine_finding'],
  sample: '/operator/quarantine/1',
  async render({ ask, question: { id, done }, token, returned, now }) {
    const found = await ask('get_quarantine_finding', { id })
    if (!found.ok) return { main: html`${operatorHead('Finding', '/operator/quarantine')}${refused(found, 'This finding')}`, status: statusOf(found) }
    const { subject } = found.value
    return {
      title: `Finding ${id}`,
      main: html`${operatorHead(html`Finding ${id}`, '/operator/quarantine', { lead: subject, done })}
${columns([reasonSection(found.value, now), decisionSection(found.value, token, returned)], documentSection(found.value))}`,
    }
  },
  forms: { release: decisionForm('released'), reject: decisionForm('rejected') },
})

const reasonSection = ({ dataset, reason, detail, source, held_at, state, decided_at, note, record }: Finding, now: Date): Html =>
  section({
    id: 'reason',
    title: 'Why it is held',
    tools: badge(state, tones[state]),
    body: [
      html`<p><strong>${detail}</strong></p>`,
      facts([
        ['Dataset', dataset],
        ['Rule', reason],
        ['Source', source],
        ['Held', relative(held_at, now)],
        ...(decided_at === null ? [] : ([['Decided', html`${instant(decided_at)}${note !== null && html`: ${note}`}`]] as const)),
      ]),
      record !== null &&
        table({
          caption: 'The row as it was read',
          columns: ['Field', 'Value'],
          rows: Object.entries(record).map(([name, value]) => [
            name,
            value === null ? null : html`<span class="long">${typeof value === 'string' ? value : JSON.stringify(value)}</span>`,
          ]),
        }),
    ],
  })

/** Two buttons of one form: the note belongs to either decision. */
function decisionSection({ id, state }: Finding, token: string | null, returned: Returned | null): Html {
  const form = returned?.form ?? 'release'
  const faults = faultsIn(returned, form)
  return section({
    id: 'decision',
    title: 'Decision',
    lead: 'It is written to the journal next to the raw documents, and the document is read again. It can be changed later.',
    body: html`<form method="post" action="${findingPath(id)}/release" novalidate>${formToken(token)}${faultList(form, faults)}
${areaField({ form, name: 'note', label: 'Why (optional)', faults, help: 'Kept with the decision and in the audit chain', attributes: html` maxlength="900"` }, typedIn(returned, form, 'note'))}
<p class="actions">${state !== 'released' && html`<button type="submit">Release</button>`} ${state !== 'rejected' && html`<button type="submit" class="quiet" formaction="${findingPath(id)}/reject">Reject</button>`}</p></form>`,
  })
}

function documentSection({ document, url, raw_sha256 }: Finding): Html {
  const accession = /\b(\d{10}-\d{2}-\d{6})\b/.exec(url)?.[1]
  const body: Content =
    document === null
      ? emptyState('No document with this hash is stored.')
      : [
          facts([
            ['Address', html`<span class="long">${document.url}</span>`],
            ['Received', instant(document.retrieved_at)],
            ['Size', size(document.bytes)],
            ['Read by', document.reader],
            ['Release', document.release === null ? null : number(document.release)],
            ['SHA-256', html`<code>${raw_sha256.slice(0, 16)}…</code>`],
          ]),
          document.text === null
            ? emptyState('The document is not text, or its bytes cannot be read.')
            : html`<pre class="document" tabindex="0" role="group" aria-label="The document as it was received"><code>${document.text}</code></pre>${!document.whole && html`<p class="small">Only the beginning is shown.</p>`}`,
        ]
  return section({
    id: 'document',
    title: 'Document',
    tools: accession !== undefined && html`<a href="${filingPath(accession)}">Filing ${accession}</a>`,
    body,
  })
}
