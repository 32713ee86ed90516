// The developer page as HTML: two forms for signed-out visitors, and the keys with a form to make one for signed-in users.
import { type KeyMade, type KeyRecord, maxKeys } from '#schemas/keys.ts'
import type { Notice } from '#schemas/operations/developer.ts'
import { operationOf, type Scope } from '#schemas/operations.ts'
import { Tier } from '#schemas/plans.ts'
import { cornerOf, escaped, renderPage } from '../public/html.ts'
import { areaField, boxesField, choiceField, type Faults, faultList, focusOf, inputField } from './fields.ts'
import { formNotices, type NoticeText } from './form-notices.ts'

const noticeTexts: Readonly<Record<Notice, NoticeText>> = {
  registered: ['good', 'Check your mailbox: a mail is on its way. Open its link within 24 hours to confirm your address, then sign in.'],
  reset_sent: ['good', 'Check your mailbox: if the address has an account, a link that sets a new password is on its way.'],
  revoked: ['good', 'The key is revoked: it is refused everywhere within 5 seconds.'],
  ...formNotices,
  signed_in: ['good', 'You are signed in.'],
  signed_out: ['good', 'You are signed out.'],
}
/** What the sign-in page shows after a sign-in whose cookie the browser did not send back. */
const cookieLost = {
  secure:
    'Your password was right, but your browser did not keep the sign-in. Browsers accept it over HTTPS, and most of them on this machine at http://localhost. Open this page at an https:// address; the operator finds instructions in docs/users.md under “Behind a proxy, with TLS, or over plain HTTP”. If the address begins with https:// already, allow cookies for this site.',
  plain: 'Your password was right, but your browser did not keep the sign-in. Allow cookies for this site.',
} as const
/** Shown before a sign-in if the browser cannot keep the cookie. */
const plainHttp =
  'This page came over plain HTTP, so signing in does not work here: browsers keep a sign-in only over HTTPS, and others on the network could read your password. Open the page at an https:// address. The operator finds instructions in docs/users.md under “Behind a proxy, with TLS, or over plain HTTP”, including the setting CROSSFILE_PLAIN_HTTP=on for a network that you trust.'
/** The same if the installation sends no mail automatically. */
const unsent: Partial<Record<Notice, string>> = {
  registered:
    'A mail was written with a link that confirms your address; this installation sends no mail automatically, so the operator finds it with crossfile outbox. Open the link within 24 hours, then sign in.',
  reset_sent:
    'If the address has an account, a mail was written with a link that sets a new password; this installation sends no mail automatically, so the operator finds it with crossfile outbox.',
}
const scopeTexts: Readonly<Record<Scope, string>> = {
  'data:read': 'reads everything',
  'market:read': 'reads prices, fundamentals and screens',
  'mcp:research': 'agents: the research tools at /mcp',
  'mcp:mineral': 'agents: the mining tools at /mcp/mineral',
}
const lives = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'one year'],
  ['never', 'never'],
] as const

export type Typed = Readonly<Record<string, string | readonly string[]>>
type Report = { readonly outcome: Notice | undefined }
const textOf = (typed: Typed, name: string, otherwise = ''): string => (typeof typed[name] === 'string' ? (typed[name] as string) : otherwise)

const notice = (kind: 'good' | 'bad', text: string): string => `<p class="notice ${kind}" role="status">${escaped(text)}</p>`
function noticeHtml(outcome: Notice | undefined, sendsMail = true): string {
  if (outcome === undefined) return ''
  const [kind, text] = noticeTexts[outcome]
  return notice(kind, (sendsMail ? undefined : unsent[outcome]) ?? text)
}

export type SignedOut = Report & {
  /** The submitted form with its values and faults. */
  readonly form: 'sign-in' | 'sign-up' | 'forgotten' | null
  readonly typed: Typed
  readonly faults: Faults
  /** Whether the cookie of a session is marked `Secure`. */
  readonly secureCookies: boolean
  /** Whether the request used plain HTTP, so that the browser would drop such a cookie. */
  readonly plainHttp: boolean
  /** False if the operator reads the mail of this installation (`crossfile outbox`). */
  readonly sendsMail: boolean
}

export function renderSignedOut({ outcome, form, typed, faults, secureCookies, plainHttp: plain, sendsMail }: SignedOut): string {
  const of = (name: NonNullable<SignedOut['form']>, first: string) =>
    name === form ? { form: name, faults, typed, focus: focusOf(faults, first) } : { form: name, faults: {}, typed: {}, focus: null }
  const [sign, register, forgotten] = [of('sign-in', 'password'), of('sign-up', 'email'), of('forgotten', 'email')]
  const main = `<h1>Your API keys</h1>
<p class="lead">A key raises your limits and opens the Developer Data API. Sign in to make one.</p>
${outcome === 'signed_in' ? notice('bad', cookieLost[secureCookies ? 'secure' : 'plain']) : noticeHtml(outcome, sendsMail)}
${secureCookies && plain && outcome !== 'signed_in' ? notice('bad', plainHttp) : ''}
<div class="pair">
<div>
<form class="card" method="post" action="/developer/sign-in" novalidate>
<h2>Sign in</h2>
${faultList(sign.form, sign.faults)}
${inputField({ ...sign, name: 'email', label: 'Email', attributes: ' autocomplete="username" required' }, textOf(sign.typed, 'email'), 'email')}
${inputField({ ...sign, name: 'password', label: 'Password', attributes: ' autocomplete="current-password" required' }, '', 'password')}
${inputField({ ...sign, name: 'totp_code', label: 'Authenticator code', help: 'Only if you set one up; a recovery code works too', attributes: ' autocomplete="one-time-code" inputmode="text"' })}
<p><button type="submit">Sign in</button></p>
</form>
<details${form === 'forgotten' ? ' open' : ''}><summary>Forgotten your password, or no mail came to confirm the address?</summary>
<form class="card" method="post" action="/developer/forgotten" novalidate>
${faultList(forgotten.form, forgotten.faults)}
${inputField({ ...forgotten, name: 'email', label: 'Email', help: 'A link that sets a new password is mailed to it. It confirms the address too, if the mail of the registration did not arrive', attributes: ' autocomplete="email" required' }, textOf(forgotten.typed, 'email'), 'email')}
<p><button type="submit" class="quiet">Mail me a link</button></p>
</form>
</details>
</div>
<form class="card" method="post" action="/developer/sign-up" novalidate>
<h2>Make an account</h2>
${faultList(register.form, register.faults)}
${inputField({ ...register, name: 'email', label: 'Email', attributes: ' autocomplete="email" required' }, textOf(register.typed, 'email'), 'email')}
${inputField({ ...register, name: 'password', label: 'Password', help: '12 characters or more; several words make a good one', attributes: ' autocomplete="new-password" required' }, '', 'password')}
${inputField({ ...register, name: 'full_name', label: 'Name (optional)', attributes: ' autocomplete="name"' }, textOf(register.typed, 'full_name'))}
<p><button type="submit" class="quiet">Make an account</button></p>
${sendsMail ? '' : '<p class="help">This installation sends no mail automatically: its operator finds yours with <code>crossfile outbox</code>.</p>'}
</form>
</div>`
  return renderPage({ title: 'Sign in', main })
}

const leavingNotice =
  '<p class="notice bad" role="status">The erasure of this account is queued: keys were revoked, and no new one can be made. <a href="/account/security">Your account</a> shows the day, and keeps the account if you want it back.</p>'

export type SignedIn = Report & {
  readonly email: string
  readonly verified: boolean
  readonly leaving: boolean
  readonly tier: string
  readonly keys: readonly KeyRecord[]
  /** The key that was just made; its `key` is null if the form was submitted a second time. */
  readonly made: KeyMade | null
  readonly typed: Typed
  readonly faults: Faults
  /** The tokens of the session, and of this form. */
  readonly token: string
  readonly once: string
  readonly baseUrl: string
  readonly now: Date
}

export function renderSignedIn(page: SignedIn): string {
  const { email, keys, token, tier, verified, leaving, outcome, made, baseUrl } = page
  const hidden = `<input type="hidden" name="token" value="${escaped(token)}">`
  const live = keys.filter(key => key.state === 'live').length
  const main = `<h1>Your API keys</h1>
<p class="lead">Tier <strong>${escaped(tier)}</strong>: <a href="/api/v1/public/docs#limits">what it allows</a>. ${live} of at most ${maxKeys} keys live.</p>
${noticeHtml(outcome)}
${made === null ? '' : renderMade(made, baseUrl)}
${renderList(page, hidden)}
${leaving ? leavingNotice : !verified ? notice('bad', 'Open the link in the mail that came when you registered: once your address is confirmed you can make keys.') : renderForm(page, hidden, live)}`
  return renderPage({ title: 'Your API keys', corner: cornerOf(email, token), main })
}

function renderMade({ key, name }: KeyMade, baseUrl: string): string {
  if (key === null)
    return notice(
      'bad',
      `The form was sent twice: the key "${name}" was made once, and shown then. If you did not keep it, revoke it and make another.`,
    )
  return `<section class="notice good made" aria-labelledby="made" role="status"><h2 id="made">Copy your new key now</h2>
<p>It is shown this once; only its hash is kept.</p>
<p><label for="new-key">Key of “${escaped(name)}”</label><input id="new-key" class="secret" type="text" readonly value="${escaped(key)}" spellcheck="false" autofocus></p>
<p>Try it:</p>
<pre tabindex="0"><code>curl '${escaped(baseUrl)}/api/v1/data/health' \\
  -H 'Authorization: Bearer ${escaped(key)}'</code></pre>
</section>`
}

function renderList({ keys, now }: SignedIn, hidden: string): string {
  if (keys.length === 0) return '<p class="empty">You have no keys yet.</p>'
  const rows = keys.map(key => {
    const ended = key.state === 'expired'
    const name = escaped(key.name)
    const end = (words: string, label: string): string =>
      `<form method="post" action="/developer/keys/${encodeURIComponent(key.id)}/revoke">${hidden}<button type="submit" class="danger" aria-label="${label} ${name}">${words}</button></form>`
    return `<li class="key${ended ? ' ended' : ''}">
<div class="head"><h3>${name}</h3> <code>cf_live_…${escaped(key.last4)}</code>${ended ? ` <b class="badge">expired</b>${end('Remove', 'Remove')}` : `<details><summary aria-label="Revoke ${name}">Revoke</summary><p>All programs with this key are refused within 5 seconds, permanently.</p>${end('Yes, revoke it', 'Yes, revoke')}</details>`}</div>
<dl>
<div><dt>Scopes</dt><dd>${key.scopes.map(scope => `<code>${scope}</code>`).join(' ')}</dd></div>
<div><dt>Last used</dt><dd>${key.last_used_at === null ? 'never' : timeOf(key.last_used_at, now)}</dd></div>
<div><dt>${ended ? 'Expired' : 'Expires'}</dt><dd>${key.expires_at === null ? 'never' : timeOf(key.expires_at, now)}</dd></div>
<div><dt>From</dt><dd>${key.allowed_addresses.length === 0 ? 'anywhere' : key.allowed_addresses.map(each => `<code>${escaped(each)}</code>`).join(' ')}</dd></div>
<div><dt>Made</dt><dd>${timeOf(key.created_at, now)}</dd></div>
</dl>
${key.last_in_query_at === null ? '' : `<p class="warning"><strong>Used in an address</strong> ${timeOf(key.last_in_query_at, now)}: addresses end up in logs and histories, so treat this key as partly exposed.</p>`}
</li>`
  })
  return `<h2 class="list">Keys</h2>\n<ul class="keys">${rows.join('\n')}</ul>`
}

function renderForm({ typed, faults, once, tier }: SignedIn, hidden: string, live: number): string {
  if (live >= maxKeys) return notice('bad', `You have ${live} active keys, which is the maximum. Revoke one to create another.`)
  const field = { form: 'key', faults, focus: Object.keys(faults).length === 0 ? null : focusOf(faults, 'name') }
  const offered = Object.entries(scopeTexts).filter(([scope]) => scope !== 'mcp:research' || opensResearch(tier))
  const chosen = typed['scopes'] === undefined ? ['data:read', 'market:read'] : [typed['scopes']].flat()
  return `<form class="card" id="key" method="post" action="/developer/keys" novalidate>
<h2>Make a key</h2>
${faultList('key', faults)}
${hidden}<input type="hidden" name="once" value="${escaped(once)}">
${inputField({ ...field, name: 'name', label: 'Name', help: 'What it is for, such as the program that uses it', attributes: ' maxlength="100" required' }, textOf(typed, 'name'))}
${boxesField({ ...field, name: 'scopes', label: 'What it may do', help: 'You can remove scopes later, but not add them' }, offered, chosen as string[])}
${choiceField({ ...field, name: 'expires_in_days', label: 'Expires after' }, lives, textOf(typed, 'expires_in_days', '365'))}
${areaField({ ...field, name: 'allowed_addresses', label: 'Only from these addresses (optional)', help: 'One a line, or ranges such as 192.0.2.0/24; empty: from anywhere', attributes: ' spellcheck="false"' }, textOf(typed, 'allowed_addresses'))}
<p><button type="submit">Make a key</button></p>
</form>`
}

/** A key of a lower tier with this scope would be refused at /mcp. */
function opensResearch(tier: string): boolean {
  const { agent } = operationOf('call_research_agent')
  const order: readonly string[] = Tier.options
  return agent !== null && order.indexOf(tier) >= order.indexOf(agent.lowest_tier)
}

/** An instant in words, followed by its exact time. */
function timeOf(at: string, now: Date): string {
  const exact = `${at.slice(0, 16).replace('T', ' ')} UTC`
  return `<time datetime="${escaped(at)}" title="${escaped(exact)}">${escaped(words(Date.parse(at) - now.getTime(), exact))}</time>`
}
function words(ms: number, exact: string): string {
  const minutes = Math.round(Math.abs(ms) / 60_000)
  const count = minutes < 60 ? [minutes, 'minute'] : minutes < 48 * 60 ? [Math.round(minutes / 60), 'hour'] : [Math.round(minutes / 1440), 'day']
  const [number, unit] = count as [number, string]
  if (minutes < 1) return 'just now'
  if (unit === 'day' && number > 30) return exact.slice(0, 10)
  const length = `${number} ${unit}${number === 1 ? '' : 's'}`
  return ms < 0 ? `${length} ago` : `in ${length}`
}
