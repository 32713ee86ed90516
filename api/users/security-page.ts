// GET /account/security and its forms: sessions, export, erasure. They do what the JSON operations do, without script.
import type { ProofForm, SecurityNotice } from '#schemas/operations/security.ts'
import type { OwnSession } from '#schemas/security.ts'
import { cancelBringsBack, cancelErasure, erasureEnds, graceDays } from '#warehouse/privacy/erasure.ts'
import { formTokenOf, isFormToken } from '#warehouse/users/form-token.ts'
import { asService, asUser } from '#warehouse/users/own-rows.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from '#warehouse/users/own-sessions.ts'
import type { Session } from '#warehouse/users/sessions.ts'
import { faultsOf } from '../developer/developer.ts'
import { type Faults, faultList, focusOf, inputField } from '../developer/fields.ts'
import type { Answered, Context, Handlers } from '../handler.ts'
import { setSessionCookie } from '../plugins/cookies.ts'
import { escaped, pagePolicy, renderPage } from '../public/html.ts'
import { accountsOf } from './accounts.ts'
import { endOwnPayments, exported, queueOwnErasure } from './privacy.ts'
import { provePassword } from './security.ts'
import type { UserTools } from './tools.ts'

const html = 'text/html; charset=utf-8'
const path = '/account/security'
const notices: Readonly<Record<SecurityNotice, readonly ['good' | 'bad', string]>> = {
  ended: ['good', 'The session is ended.'],
  ended_others: ['good', 'You are signed out everywhere else.'],
  kept: ['good', 'Your account is kept. API keys, devices and push subscriptions from before stay gone: make new ones where you need them.'],
  session_over: ['bad', 'You are not signed in any more, so nothing was changed. Sign in again.'],
  stale: ['bad', 'The page was out of date, so nothing was changed. Try again.'],
}
type Form = 'export' | 'erase'
type Shown = { readonly said?: SecurityNotice | undefined; readonly form?: Form; readonly faults?: Faults }

const page = (title: string, main: string, headers: readonly string[] = []): Answered => ({
  kind: 'text',
  body: renderPage({ title: `${title} · Crossfile`, main: `<h1>${escaped(title)}</h1>\n${main}` }),
  media_type: html,
  policy: pagePolicy,
  headers,
})
const back = (said: SecurityNotice): Answered => ({
  kind: 'text',
  body: '',
  media_type: html,
  policy: pagePolicy,
  status: 303,
  headers: ['Location', `${path}?said=${said}`],
})
const noticeOf = (said: SecurityNotice | undefined): string => {
  if (said === undefined) return ''
  const [kind, text] = notices[said]
  return `<p class="notice ${kind}" role="status">${escaped(text)}</p>`
}
const minuteOf = (at: string): string => `<time datetime="${escaped(at)}">${escaped(`${at.slice(0, 16).replace('T', ' ')} UTC`)}</time>`

function sessionItem(session: OwnSession, hidden: string): string {
  const { id, current, agent, address_prefix, created_at, last_used_at } = session
  const name = `${agent === 'none' || agent === 'other' ? 'Unknown program' : agent} from ${address_prefix}`
  const end = `<form method="post" action="${path}/sessions/${encodeURIComponent(id)}/end">${hidden}<button type="submit" class="danger" aria-label="End the session of ${escaped(name)}">End</button></form>`
  return `<li class="key"><div class="head"><h3>${escaped(name)}</h3> ${current ? '<b class="badge">this one</b>' : end}</div>
<dl><div><dt>Signed in</dt><dd>${minuteOf(created_at)}</dd></div><div><dt>Last used</dt><dd>${minuteOf(last_used_at)}</dd></div></dl></li>`
}

function proofForm(form: Form, hidden: string, { form: sent, faults = {} }: Shown, button: string): string {
  const own = sent === form ? faults : {}
  const field = { form, name: 'password', label: 'Your password', faults: own, focus: sent === form ? focusOf(own, 'password') : null }
  return `${hidden}${faultList(form, own)}
${inputField({ ...field, attributes: ' autocomplete="current-password" required' }, '', 'password')}
<p>${button}</p>`
}

function renderSecurity(person: Session, sessions: readonly OwnSession[], token: string, shown: Shown): string {
  const hidden = `<input type="hidden" name="token" value="${escaped(token)}">`
  const others = sessions.length > 1
  const erasure = person.leaving
    ? `<div class="card"><h2>The erasure of this account is queued</h2>
<p>${cancelBringsBack}</p>
<form method="post" action="${path}/keep">${hidden}<p><button type="submit">Keep my account</button></p></form></div>`
    : `<form class="card" method="post" action="${path}/erase" novalidate><h2>Erase this account</h2>
<p>This ends at once: ${erasureEnds.join(', ')}. After ${graceDays} days everything that is stored of you is deleted; until then you can sign in and cancel it. ${cancelBringsBack}</p>
${proofForm('erase', hidden, shown, '<button type="submit" class="danger">Erase my account</button>')}</form>`
  return `<p class="lead">${escaped(person.email)} · <a href="/developer">API keys</a></p>
${noticeOf(shown.said)}
<h2 class="list">Where you are signed in</h2>
<ul class="keys">${sessions.map(session => sessionItem(session, hidden)).join('\n')}</ul>
${others ? `<form method="post" action="${path}/sessions/end-others">${hidden}<p><button type="submit" class="quiet">Sign out everywhere else</button></p></form>` : ''}
<form class="card" method="post" action="${path}/export" novalidate><h2>Download your data</h2>
<p>One JSON file with everything that is stored of you, and the reason why.</p>
${proofForm('export', hidden, shown, '<button type="submit">Download</button>')}</form>
${erasure}`
}

export function securityPageHandlers(tools: UserTools) {
  const { db, config } = tools
  const accounts = accountsOf(tools)
  const signedOut = (said?: SecurityNotice): Answered =>
    page('Your account', `${noticeOf(said)}\n<p class="lead">Sign in first: <a href="/developer">Sign in</a></p>`)

  async function show(context: Context, person: Session, shown: Shown): Promise<Answered> {
    const token = await formTokenOf(db, person)
    if (token === null) return signedOut('session_over')
    const sessions = await asUser(db, person.user_id, trx => listOwnSessions(trx, person, context.now()))
    return page('Your account', renderSecurity(person, sessions, token, shown))
  }
  const personOf = ({ user }: Context): Session | null => (user?.kind === 'user' && user.is_active ? user : null)
  /** What a form does, when its token is the session's. */
  async function asPerson(context: Context, work: (person: Session) => Promise<Answered>): Promise<Answered> {
    const person = personOf(context)
    const token = person && (await formTokenOf(db, person))
    if (!person || token === null) return back('session_over')
    return isFormToken((context.body as ProofForm).token, token) ? await work(person) : back('stale')
  }
  /** The same for a form that takes the password; what was wrong is shown beside its field. */
  const proven = (context: Context, form: Form, work: (person: Session) => Answered | Promise<Answered>): Promise<Answered> =>
    asPerson(context, async person => {
      try {
        await provePassword(accounts, person, (context.body as ProofForm).password, context)
        return await work(person)
      } catch (error) {
        const faults = faultsOf(error, ['password'])
        const [first = ''] = Object.values(faults)
        return await show(context, person, { form, faults: { password: first } })
      }
    })

  return {
    get_security_page: async ({ said }, context) => {
      const person = personOf(context)
      return person ? await show(context, person, { said }) : signedOut(said)
    },
    post_end_session: ({ id }, context) =>
      asPerson(context, async ({ user_id }) => {
        await asUser(db, user_id, trx => endOwnSession(trx, user_id, id))
        return back('ended')
      }),
    post_end_other_sessions: (_question, context) =>
      asPerson(context, async person => {
        await asUser(db, person.user_id, trx => endOtherSessions(trx, person))
        return back('ended_others')
      }),
    post_export: (_question, context) => proven(context, 'export', person => exported(tools, person, context.now())),
    post_erase: (_question, context) =>
      proven(context, 'erase', async person => {
        await endOwnPayments(tools, person.user_id)
        const { erase_after } = await asUser(db, person.user_id, trx => queueOwnErasure(tools, trx, person, context.now()))
        const text = `<p class="notice good" role="status">The erasure is queued. You are signed out everywhere.</p>
<p>Until ${minuteOf(erase_after)} you can keep the account: <a href="/developer">sign in</a>, open <a href="${path}">your account</a> and choose “Keep my account”. A mail tells the same.</p>`
        return page('Your account will be erased', text, setSessionCookie('user', null, config.cookies))
      }),
    post_keep_account: (_question, context) =>
      asPerson(context, async ({ user_id }) => {
        if (context.user?.leaving) await asUser(db, user_id, trx => asService(trx, () => cancelErasure(trx, user_id, context.now())))
        return back('kept')
      }),
  } satisfies Partial<Handlers>
}
