// `/operator/keys`: API keys of all accounts and of the operator: make, revoke. `/operator/mail`: the outbox.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { oneOf, shaped, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { addressOf } from '../components/address.ts'
import { boxesField, choiceField, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { instant } from '../components/format.ts'
import { badge, notice } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { linkTabs, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { done, opened, operatorHead, relative } from './frame.ts'

const cursor = text('next rows', 1000, 'bm90IGEgcmVhbCBvbmU').optional()
type Key = AnswerOf<'list_admin_keys'>['keys'][number]

const keyStates = ['live', 'expired', 'revoked', 'all'] as const
const keyTones = { live: 'good', expired: 'plain', revoked: 'plain', halted: 'warn' } as const
const tiers = ['free', 'core', 'trader', 'alpha', 'apex', 'prime'] as const
const scopes = [
  ['data:read', 'data:read, every operation'],
  ['market:read', 'market:read, what a session reads'],
  ['mcp:research', 'mcp:research, the research tools of agents'],
  ['mcp:mineral', 'mcp:mineral, the mineral tools of agents'],
] as const
const expiries = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['never', 'never'],
] as const
const many = z.union([z.string().max(64), z.array(z.string().max(64)).max(8)]).default([])
const KeyFields = z.object({
  name: z.string().max(300).default(''),
  tier: z.string().max(20).default('core'),
  scopes: many,
  expires: z.string().max(20).default('365'),
  once: z.string().max(64).default(''),
})

export const operatorKeysPage = page('/operator/keys', 'API keys', {
  summary: 'API keys of all accounts and of the operator, with their use and expiry.',
  access: 'admin',
  question: question({
    state: oneOf('which keys', keyStates, 'live').default('live'),
    owner: shaped('keys of one account, or of the operator', /^[\w-]{1,64}$/, 'an id of an account, or operator', 'operator').optional(),
    cursor,
    done,
  }),
  operations: ['list_admin_keys', 'create_operator_key', 'revoke_admin_key'],
  async render({ ask, question: { state, owner, cursor: after, done: outcome }, token, returned, now }) {
    const filter: Readonly<Record<string, string>> = owner === undefined ? {} : { owner }
    const found = await ask('list_admin_keys', { state, ...filter, limit: 50, ...(after === undefined ? {} : { cursor: after }) })
    const address = addressOf('/operator/keys', { state, owner })
    return {
      main: html`${operatorHead('API keys', '/operator/keys', { lead: 'A revoked key is refused everywhere within 5 seconds. Accounts make their own keys.', done: outcome })}
${linkTabs(
  'Which keys',
  keyStates.map(each => ({ label: each, href: `/operator/keys?${new URLSearchParams({ state: each, ...filter })}`, current: each === state })),
)}
${owner !== undefined && html`<p>Only keys of ${owner === 'operator' ? 'the operator' : html`<code>${owner}</code>`}. <a href="${`/operator/keys?state=${state}`}">Show all</a></p>`}
${faultList('revoke', faultsIn(returned, 'revoke'))}
${section({
  id: 'keys',
  title: 'Keys',
  body: opened(found, 'API keys', ({ keys, next_cursor }) => [
    keysTable(keys, token, now),
    pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
  ]),
})}
${makeSection(token, returned)}`,
    }
  },
  forms: {
    make: pageForm(KeyFields, async ({ name, tier, scopes: chosen, expires, once: key }, { ask }) => {
      const days = expires === 'never' ? null : /^\d{1,5}$/.test(expires) ? Number(expires) : expires
      const body = { name: name.trim(), tier, scopes: typeof chosen === 'string' ? [chosen] : chosen, expires_in_days: days }
      const made = await ask('create_operator_key', {}, { body, ...onceOf(key) })
      if (!made.ok) return { faults: refusalFaults(made, ['name', 'tier', 'scopes', 'expires'], { expires_in_days: 'expires' }) }
      return { title: 'The key', main: madeKey(made.value) }
    }),
    revoke: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      if (!/^k_[\w-]{1,40}$/.test(id)) return { faults: { '': 'This is not the id of a key.' } }
      const revoked = await ask('revoke_admin_key', { key_id: id })
      return revoked.ok ? { redirect: '/operator/keys?done=key_revoked' } : { faults: refusalFaults(revoked, []) }
    }),
  },
})

const keysTable = (keys: readonly Key[], token: string | null, now: Date): Html =>
  table({
    caption: 'Keys, newest first',
    captionHidden: true,
    columns: ['Key', 'Account', 'Tier', 'State', 'Scopes', tight('Created'), tight('Expires'), tight('Last used'), 'Action'],
    rows: keys.map(key => [
      html`<span class="long">${key.name}</span><br><span class="small">ends in <code>${key.last4}</code></span>`,
      key.owner === null
        ? html`<a href="/operator/keys?state=all&amp;owner=operator">the operator</a>`
        : html`<a class="long" href="${`/operator/keys?state=all&owner=${key.owner}`}">${key.owner_email ?? key.owner}</a>`,
      key.tier,
      badge(key.state, keyTones[key.state]),
      key.scopes.join(', '),
      relative(key.created_at, now),
      key.expires_at === null ? 'never' : relative(key.expires_at, now),
      key.last_used_at === null ? 'never' : relative(key.last_used_at, now),
      key.revoked_at !== null
        ? instant(key.revoked_at)
        : html`<details><summary aria-label="Revoke ${key.name}, which ends in ${key.last4}">Revoke</summary><form method="post" action="/operator/keys/revoke">${formToken(token)}<input type="hidden" name="id" value="${key.key_id}"><button type="submit" class="danger">Revoke it permanently</button></form></details>`,
    ]),
    empty: 'There are no such keys.',
  })

function makeSection(token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'make')
  const form = { form: 'make', faults, focus: Object.keys(faults).length === 0 ? null : focusOf(faults, 'name') }
  const chosen = returned?.form === 'make' ? returned.typed['scopes'] : undefined
  return section({
    id: 'make',
    title: 'Make a key of the operator',
    lead: 'For programs that belong to no account. The key is shown once.',
    body: html`<form method="post" action="/operator/keys/make#make" novalidate>${formToken(token)}${onceField()}${faultList('make', faults)}
${inputField({ ...form, name: 'name', label: 'Name', help: 'What the key is for', attributes: html` maxlength="100" autocomplete="off" required` }, typedIn(returned, 'make', 'name'))}
<div class="pair">${choiceField(
      { ...form, name: 'tier', label: 'Tier' },
      tiers.map(each => [each, each] as const),
      typedIn(returned, 'make', 'tier', 'core'),
    )}
${choiceField({ ...form, name: 'expires', label: 'Expires after' }, expiries, typedIn(returned, 'make', 'expires', '365'))}</div>
${boxesField({ ...form, name: 'scopes', label: 'Scopes' }, scopes, chosen === undefined ? ['data:read', 'market:read'] : typeof chosen === 'string' ? [chosen] : chosen)}
<p><button type="submit">Make the key</button></p></form>`,
  })
}

const madeKey = ({ key, name, last4 }: AnswerOf<'create_operator_key'>): Html =>
  key === null
    ? html`${operatorHead('The key was made before', '/operator/keys')}
${notice('warn', html`<p>This form was sent twice. The key <strong>${name}</strong>, which ends in <code>${last4}</code>, was shown the first time. If you did not keep it, revoke it and make another one.</p>`, { live: true })}
<p><a class="button" href="/operator/keys">Back to the keys</a></p>`
    : html`${operatorHead('The key', '/operator/keys')}
${notice('good', html`<p>The key <strong>${name}</strong> works now. It is shown this once: only its hash is stored.</p>`, { live: true })}
<pre tabindex="0" role="group" aria-label="The text of the key"><code>${key}</code></pre>
<p><a class="button" href="/operator/keys">I have kept it: continue</a></p>`

const mailStates = ['all', 'waiting', 'sent', 'given_up'] as const
const mailTones = { waiting: 'info', sent: 'good', given_up: 'bad' } as const

export const operatorMailPage = page('/operator/mail', 'Mail', {
  summary: 'Mail that waits, was sent or was given up, with the reasons.',
  access: 'admin',
  question: question({ state: oneOf('which mail', mailStates, 'all').default('all'), cursor, done }),
  operations: ['list_admin_mail', 'retry_mail'],
  async render({ ask, question: { state, cursor: after, done: outcome }, token, returned, now }) {
    const found = await ask('list_admin_mail', { state, limit: 50, ...(after === undefined ? {} : { cursor: after }) })
    const address = addressOf('/operator/mail', { state })
    return {
      main: html`${operatorHead('Mail', '/operator/mail', { lead: html`Without the texts, because their links open accounts: <code>crossfile outbox show ID</code> prints one on the machine of the service.`, done: outcome })}
${linkTabs(
  'Which mail',
  mailStates.map(each => ({ label: each.replace('_', ' '), href: `/operator/mail?state=${each}`, current: each === state })),
)}
${faultList('retry', faultsIn(returned, 'retry'))}
${opened(found, 'Mail', ({ mails, sends, next_cursor }) => [
  !sends && notice('warn', html`<p>No mail server is set (<code>CROSSFILE_SMTP_URL</code>), so mail waits.</p>`),
  section({
    id: 'mails',
    title: 'Outbox',
    body: [
      table({
        caption: 'Mail, newest first',
        captionHidden: true,
        columns: [numeric('Mail'), 'State', 'To', 'Subject', tight('Written'), numeric('Attempts'), 'Last error', 'Action'],
        rows: mails.map(mail => [
          String(mail.mail_id),
          badge(mail.state.replace('_', ' '), mailTones[mail.state]),
          html`<span class="long">${mail.to_address}</span>`,
          mail.subject,
          relative(mail.created_at, now),
          String(mail.attempts),
          mail.error ?? '',
          mail.sent_at !== null
            ? instant(mail.sent_at)
            : html`<form method="post" action="/operator/mail/retry">${formToken(token)}<input type="hidden" name="id" value="${mail.mail_id}"><button type="submit" class="quiet small" aria-label="Send now: mail ${mail.mail_id}">Send now</button></form>`,
        ]),
        empty: 'There is no such mail.',
      }),
      pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
    ],
  }),
])}`,
    }
  },
  forms: {
    retry: pageForm(z.object({ id: z.string().max(20).default('') }), async ({ id }, { ask }) => {
      if (!/^[1-9]\d{0,8}$/.test(id)) return { faults: { '': 'This is not the id of a mail.' } }
      const retried = await ask('retry_mail', { mail_id: Number(id) })
      return retried.ok ? { redirect: '/operator/mail?done=mail_due' } : { faults: refusalFaults(retried, []) }
    }),
  },
})
