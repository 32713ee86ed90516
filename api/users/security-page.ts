// GET /account/security and its forms: sessions, export, erasure. They do what the JSON operations do, without script.
import type { CodeForm, ProofForm, SecurityNotice } from '#schemas/operations/security.ts'
import type { OwnSession } from '#schemas/security.ts'
import { beginEnrolment, type Enrolment, type FactorState, factorOf } from '#warehouse/admin/second-factor.ts'
import { removeUserFactor } from '#warehouse/admin/user-factor.ts'
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
import { qrSvg } from './qr.ts'
import { sealKeyOf } from './seal-key.ts'
import { confirmOwnFactor } from './second-factor.ts'
import { proveIdentity } from './security.ts'
import type { UserTools } from './tools.ts'

const html = 'text/html; charset=utf-8'
const path = '/account/security'
const notices: Readonly<Record<SecurityNotice, readonly ['good' | 'bad', string]>> = {
  ended: ['good', 'The session is ended.'],
  ended_others: ['good', 'You are signed out everywhere else.'],
  kept: ['good', 'Your account is kept. API keys, devices and push subscriptions from before stay gone: make new ones where you need them.'],
  factor_removed: ['good', 'The second factor is removed.'],
  session_over: ['bad', 'You are not signed in any more, so nothing was changed. Sign in again.'],
  stale: ['bad', 'The page was out of date, so nothing was changed. Try again.'],
}
type Form = 'export' | 'erase' | 'totp'
type Shown = { readonly factor?: FactorState; readonly said?: SecurityNotice | undefined; readonly form?: Form; readonly faults?: Faults }

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

const codeField = (form: string, faults: Faults): string =>
  inputField({
    form,
    faults,
    focus: null,
    name: 'totp_code',
    label: 'Authenticator code',
    help: 'Six digits, or a recovery code',
    attributes: ' autocomplete="one-time-code" required',
  })

/** Setting up the second factor, or removing it. */
function factorCard(hidden: string, shown: Shown): string {
  if (!shown.factor?.enrolled)
    return `<form class="card" method="post" action="${path}/totp/enrol" novalidate><h2>Second factor</h2>
<p>With an authenticator app, signing in needs a code from your phone too.</p>
${proofForm('totp', hidden, shown, '<button type="submit">Set it up</button>')}</form>`
  return `<form class="card" method="post" action="${path}/totp/remove" novalidate><h2>Second factor</h2>
<p>Signing in needs a code of your authenticator. ${shown.factor.recovery_codes_left} recovery codes are left.</p>
${proofForm('totp', hidden, shown, '<button type="submit" class="danger">Remove it</button>')}</form>`
}

/** The QR code with the field for the first code. */
function enrolmentPage({ secret, otpauth_uri }: Pick<Enrolment, 'secret' | 'otpauth_uri'>, token: string): Answered {
  const hidden = `<input type="hidden" name="token" value="${escaped(token)}">`
  return page(
    'Set up a second factor',
    `<p class="lead">Scan the code with your authenticator app, then type the six digits that it shows. Nothing changes until then.</p>
${qrSvg(otpauth_uri)}
<p>Without a camera, type this key into the app: <code>${escaped(secret)}</code></p>
<form class="card" method="post" action="${path}/totp/confirm" novalidate>${hidden}
${codeField('confirm', {})}
<p><button type="submit">Turn it on</button></p></form>`,
  )
}

function proofForm(form: Form, hidden: string, { form: sent, faults = {}, factor }: Shown, button: string): string {
  const own = sent === form ? faults : {}
  const field = { form, name: 'password', label: 'Your password', faults: own, focus: sent === form ? focusOf(own, 'password') : null }
  return `${hidden}${faultList(form, own)}
${inputField({ ...field, attributes: ' autocomplete="current-password" required' }, '', 'password')}
${factor?.enrolled ? codeField(form, own) : ''}
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
${factorCard(hidden, shown)}
<form class="card" method="post" action="${path}/export" novalidate><h2>Download your data</h2>
<p>One JSON file with everything that is stored of you, and the reason why.</p>
${proofForm('export', hidden, shown, '<button type="submit">Download</button>')}</form>
${erasure}`
}

export function securityPageHandlers(tools: UserTools) {
  const { db, config } = tools
  const accounts = accountsOf(tools)
  const key = sealKeyOf(tools)
  const signedOut = (said?: SecurityNotice): Answered =>
    page('Your account', `${noticeOf(said)}\n<p class="lead">Sign in first: <a href="/developer">Sign in</a></p>`)

  async function show(context: Context, person: Session, shown: Shown): Promise<Answered> {
    const token = await formTokenOf(db, person)
    if (token === null) return signedOut('session_over')
    const sessions = await asUser(db, person.user_id, trx => listOwnSessions(trx, person, context.now()))
    const factor = await factorOf(db, person.user_id)
    return page('Your account', renderSecurity(person, sessions, token, { ...shown, factor }))
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
        await proveIdentity(accounts, key, person, context.body as ProofForm, context)
        return await work(person)
      } catch (error) {
        const [first = ''] = Object.values(faultsOf(error, ['password']))
        return await show(context, person, { form, faults: { [first.includes('code') ? 'totp_code' : 'password']: first } })
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
    post_totp_enrol: (_question, context) =>
      proven(context, 'totp', async person => {
        const token = await formTokenOf(db, person)
        return enrolmentPage(await beginEnrolment(db, key(), person, context.now()), token ?? '')
      }),
    post_totp_confirm: (_question, context) =>
      asPerson(context, async person => {
        try {
          const codes = await confirmOwnFactor(tools, key, person, (context.body as CodeForm).totp_code, context.now())
          return page(
            'The second factor is on',
            `<p class="notice good" role="status">From now on signing in needs a code.</p>
<p>Keep these recovery codes where you keep passwords: each replaces a code once. They are shown this once.</p>
<pre tabindex="0"><code>${codes.map(escaped).join('\n')}</code></pre>
<p><a href="${path}">Your account</a></p>`,
          )
        } catch (error) {
          const [first = ''] = Object.values(faultsOf(error, []))
          return page(
            'Set up a second factor',
            `<p class="notice bad" role="alert">${escaped(first)}</p>
<p>Nothing was changed. <a href="${path}">Begin again</a></p>`,
          )
        }
      }),
    post_totp_remove: (_question, context) =>
      proven(context, 'totp', async person => {
        await removeUserFactor(db, person, context.now())
        return back('factor_removed')
      }),
    post_keep_account: (_question, context) =>
      asPerson(context, async ({ user_id }) => {
        if (context.user?.leaving) await asUser(db, user_id, trx => asService(trx, () => cancelErasure(trx, user_id, context.now())))
        return back('kept')
      }),
  } satisfies Partial<Handlers>
}
