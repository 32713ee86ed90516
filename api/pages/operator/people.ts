// `/operator/users`: accounts and the administrator role. `/operator/requests`: requested changes of tiers. `/operator/audit`: the audit chain.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { oneOf, shaped, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { addressOf, given } from '../components/address.ts'
import { faultList, formToken, inputField } from '../components/form.ts'
import { instant } from '../components/format.ts'
import { badge, notice } from '../components/notice.ts'
import { linkTabs, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { counted } from '../words.ts'
import { done, opened, operatorHead } from './frame.ts'

const cursor = text('next rows', 1000, 'bm90IGEgcmVhbCBvbmU').optional()
const accountId = z.string().max(64).default('')
type User = AnswerOf<'list_admin_users'>['users'][number]

export const operatorUsersPage = page('/operator/users', 'Users', {
  summary: 'Accounts with tier and state, and the administrator role.',
  access: 'admin',
  question: question({ q: text('beginning of an address', 254, 'jane').optional(), cursor, done }),
  operations: ['list_admin_users', 'set_admin', 'set_user_active', 'remove_user_factor', 'set_reviewer'],
  async render({ ask, question: { q, cursor: after, done: outcome }, token, returned, session }) {
    const found = await ask('list_admin_users', { limit: 50, ...given({ query: q, cursor: after }) })
    const address = addressOf('/operator/users', { q })
    return {
      main: html`${operatorHead('Users', '/operator/users', { lead: 'Newest first. Every change is in the audit chain.', done: outcome })}
<form class="inline-form" method="get" action="/operator/users">${inputField({ form: 'users', name: 'q', label: 'Beginning of the address', faults: {}, attributes: html` maxlength="254" autocomplete="off"` }, q ?? '', 'search')}<button type="submit" class="quiet">Find</button></form>
${['role', 'active', 'factor', 'reviewer'].map(form => faultList(form, faultsIn(returned, form)))}
${section({
  id: 'users',
  title: 'Accounts',
  body: opened(found, 'Accounts', ({ users, next_cursor }) => [
    table({
      caption: 'Accounts, newest first',
      captionHidden: true,
      columns: ['Address', 'Tier', 'State', tight('Created'), tight('Last sign-in'), 'Role', 'Account'],
      rows: users.map(user => [
        html`<span class="long">${user.email}</span>${user.full_name !== null && html`<br><span class="small">${user.full_name}</span>`}`,
        html`${user.tier}${user.billing_status !== 'none' && html`<br><span class="small">${user.billing_status}</span>`}`,
        states(user),
        instant(user.created_at),
        user.last_login_at === null ? 'never' : instant(user.last_login_at),
        role(user, token, user.id === session?.user_id),
        actions(user, token, user.id === session?.user_id),
      ]),
      empty: 'No account matches.',
    }),
    pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
  ]),
})}`,
    }
  },
  forms: {
    role: pageForm(z.object({ id: z.string().max(64).default(''), is_admin: z.string().default('') }), async ({ id, is_admin }, { ask }) => {
      const changed = await ask('set_admin', { id }, { body: { is_admin: is_admin === 'yes' } })
      return changed.ok ? { redirect: '/operator/users?done=granted' } : { faults: refusalFaults(changed, []) }
    }),
    active: pageForm(z.object({ id: accountId, is_active: z.string().default('') }), async ({ id, is_active }, { ask }) => {
      const active = is_active === 'yes'
      const changed = await ask('set_user_active', { id }, { body: { is_active: active } })
      return changed.ok ? { redirect: `/operator/users?done=${active ? 'enabled' : 'disabled'}` } : { faults: refusalFaults(changed, []) }
    }),
    factor: pageForm(z.object({ id: accountId }), async ({ id }, { ask }) => {
      const removed = await ask('remove_user_factor', { id })
      return removed.ok ? { redirect: '/operator/users?done=factor_removed' } : { faults: refusalFaults(removed, []) }
    }),
    reviewer: pageForm(z.object({ id: accountId, is_reviewer: z.string().default('') }), async ({ id, is_reviewer }, { ask }) => {
      const changed = await ask('set_reviewer', { id }, { body: { is_reviewer: is_reviewer === 'yes' } })
      return changed.ok ? { redirect: '/operator/users?done=reviewer' } : { faults: refusalFaults(changed, []) }
    }),
  },
})

/** What an administrator may do with another account, each behind a summary, so that one press changes nothing. */
function actions(user: User, token: string | null, self: boolean): Content {
  const form = (name: string, fields: Content, label: string, danger = false): Html =>
    html`<form method="post" action="/operator/users/${name}">${formToken(token)}<input type="hidden" name="id" value="${user.id}">${fields}<button type="submit" class="${danger ? 'danger' : 'quiet small'}">${label}</button></form>`
  const more = html`<p><a href="${`/operator/keys?state=all&owner=${user.id}`}">API keys</a></p><p><a href="${`/operator/audit?user=${user.id}`}">Audit rows</a></p>`
  return html`<details><summary aria-label="More about ${user.email}">More</summary>${more}${
    !self && [
      user.is_active
        ? !user.is_admin && form('active', html`<input type="hidden" name="is_active" value="no">`, 'Disable the account', true)
        : form('active', html`<input type="hidden" name="is_active" value="yes">`, 'Enable the account'),
      user.totp_enrolled && !user.is_admin && form('factor', null, 'Remove the second factor', true),
      user.is_reviewer
        ? form('reviewer', html`<input type="hidden" name="is_reviewer" value="no">`, 'Withdraw expert reviews')
        : form('reviewer', html`<input type="hidden" name="is_reviewer" value="yes">`, 'Allow expert reviews'),
    ]
  }</details>`
}

const states = (user: User) => [
  user.is_active ? null : badge('disabled', 'bad'),
  user.email_verified ? null : badge('not confirmed', 'warn'),
  user.erasure_requested_at === null ? null : badge('erasure queued', 'bad'),
  user.totp_enrolled ? badge('second factor', 'good') : null,
  user.is_reviewer ? badge('reviewer', 'info') : null,
]

const role = (user: User, token: string | null, self: boolean) =>
  self
    ? 'you'
    : html`${user.is_admin && badge('administrator', 'info')} <details><summary aria-label="Change the role of ${user.email}">Change</summary><form method="post" action="/operator/users/role">${formToken(token)}<input type="hidden" name="id" value="${user.id}"><input type="hidden" name="is_admin" value="${user.is_admin ? 'no' : 'yes'}"><button type="submit" class="${user.is_admin ? 'danger' : 'quiet small'}">${user.is_admin ? 'Remove the role' : 'Make administrator'}</button></form></details>`

export const operatorRequestsPage = page('/operator/requests', 'Requests of accounts', {
  summary: 'Changes of tiers and cancellations that users requested.',
  access: 'admin',
  question: question({ state: oneOf('which requests', ['open', 'fulfilled', 'all'], 'open').default('open'), cursor, done }),
  operations: ['list_account_requests', 'fulfil_account_request'],
  async render({ ask, question: { state, cursor: after, done: outcome }, token, returned }) {
    const found = await ask('list_account_requests', { state, limit: 50, ...(after === undefined ? {} : { cursor: after }) })
    return {
      main: html`${operatorHead('Requests', '/operator/requests', { lead: 'Changes of tiers and cancellations. Fulfilling one changes the tier of the account and of its keys, and notifies the user by mail.', done: outcome })}
${linkTabs(
  'Which requests',
  (['open', 'fulfilled', 'all'] as const).map(each => ({ label: each, href: `/operator/requests?state=${each}`, current: each === state })),
)}
${faultList('fulfil', faultsIn(returned, 'fulfil'))}
${section({
  id: 'requests',
  title: 'Requests',
  body: opened(found, 'Requests', ({ requests, next_cursor }) => [
    table({
      caption: 'Requests, newest first',
      captionHidden: true,
      columns: ['Account', 'Request', tight('Received'), 'Note', 'State'],
      rows: requests.map(each => [
        html`<span class="long">${each.email}</span>`,
        `${each.kind.replaceAll('_', ' ')}${each.target_tier === null ? '' : ` to ${each.target_tier}`}`,
        instant(each.received_at),
        each.note ?? '',
        each.fulfilled_at !== null
          ? html`${badge('fulfilled', 'good')} ${instant(each.fulfilled_at)}`
          : (each.days_until_eligible ?? 0) > 0
            ? `possible in ${each.days_until_eligible} days`
            : html`<form method="post" action="/operator/requests/fulfil">${formToken(token)}<input type="hidden" name="id" value="${each.id}"><button type="submit" class="quiet small" aria-label="Fulfil the request of ${each.email}">Fulfil</button></form>`,
      ]),
      empty: 'There are no such requests.',
    }),
    pager({
      first: after === undefined ? null : `/operator/requests?state=${state}`,
      next: next_cursor === null ? null : `/operator/requests?${new URLSearchParams({ state, cursor: next_cursor })}`,
    }),
  ]),
})}`,
    }
  },
  forms: {
    fulfil: pageForm(z.object({ id: z.string().max(20).default('') }), async ({ id }, { ask }) => {
      const fulfilled = await ask('fulfil_account_request', { id })
      return fulfilled.ok ? { redirect: '/operator/requests?done=fulfilled' } : { faults: refusalFaults(fulfilled, []) }
    }),
  },
})

export const operatorAuditPage = page('/operator/audit', 'Audit chain', {
  summary: 'Every action of administrators and users on accounts and on the service, newest first.',
  access: 'admin',
  question: question({
    user: shaped('about or by this account', /^[\w-]{1,64}$/, 'an id of an account', 'u_k3J0q2mXv1Zp').optional(),
    cursor,
    verify: oneOf('check the whole chain', ['yes']).optional(),
  }),
  operations: ['list_audit', 'verify_audit'],
  async render({ ask, question: { user, cursor: after, verify } }) {
    const checked = verify === undefined ? null : await ask('verify_audit', {}, { seconds: 20 })
    const found = await ask('list_audit', { limit: 50, ...given({ user_id: user, cursor: after }) })
    const address = addressOf('/operator/audit', { user })
    return {
      main: html`${operatorHead('Audit chain', '/operator/audit', { lead: html`The hash of each row covers the row before it. Users appear under pseudonyms. <a href="/operator/audit?verify=yes">Check the whole chain</a>` })}
${checked !== null && opened(checked, 'The check of the chain', chainNotice)}
${section({
  id: 'audit',
  title: 'Rows',
  body: opened(found, 'The audit chain', ({ entries, next_cursor }) => [
    table({
      caption: 'Actions, newest first',
      captionHidden: true,
      columns: [numeric('Row'), tight('At'), tight('Action'), 'By', 'About', 'Details'],
      rows: entries.map(each => [
        String(each.seq),
        instant(each.at),
        each.act,
        each.actor_user_id === null
          ? html`<code>${each.actor.slice(0, 16)}</code>`
          : html`<a href="${`/operator/audit?user=${each.actor_user_id}`}"><code>${each.actor.slice(0, 16)}</code></a>`,
        html`<code>${each.subject.slice(0, 40)}</code>`,
        Object.entries(each.details)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name} ${String(value)}`)
          .join(', '),
      ]),
      empty: 'There are no rows.',
    }),
    pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
  ]),
})}`,
    }
  },
})

const chainNotice = ({ intact, broken_at, entries, head }: AnswerOf<'verify_audit'>): Html =>
  intact
    ? notice(
        'good',
        html`<p>${head === null ? 'The chain is empty.' : html`The chain is intact: ${counted(entries, 'row')}, the newest from ${instant(head.at)}.`}</p>${head !== null && html`<p>Head <code class="long">${head.hash}</code>. Note it: rows that are removed at the end leave a shorter chain that is intact.</p>`}`,
        { live: true },
      )
    : notice('bad', html`<p><strong>The chain is broken at row ${broken_at}:</strong> this row or an earlier one was changed.</p>`, { live: true })
