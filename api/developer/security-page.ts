// GET /account/security and its forms: sessions, export, erasure. They use the functions of the JSON operations, without script.
import type { CodeForm, ProofForm, SecurityNotice } from '#schemas/operations/security.ts'
import type { OwnSession } from '#schemas/security.ts'
import { beginEnrolment, type Enrolment, type FactorState, factorOf, isEnrolling } from '#warehouse/people/admin/second-factor.ts'
import { recoveryCodes } from '#warehouse/people/admin/totp.ts'
import { cancelBringsBack, cancelErasure, erasureEnds, findErasure, graceDays } from '#warehouse/people/privacy/erasure.ts'
import { formTokenOf, isFormToken } from '#warehouse/people/users/form-token.ts'
import { asService, asUser } from '#warehouse/people/users/own-rows.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from '#warehouse/people/users/own-sessions.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { faultsOf } from '../form-faults.ts'
import type { Answered, Context, Handlers } from '../handler.ts'
import type { Person } from '../pages/layout.ts'
import { setSessionCookie } from '../plugins/cookies.ts'
import { cornerOf, escaped, pagePolicy, renderPage } from '../public/html.ts'
import { accountsOf } from '../users/accounts.ts'
import { endOwnPayments, exported, queueOwnErasure } from '../users/privacy.ts'
import { qrSvg } from '../users/qr.ts'
import { sealKeyOf } from '../users/seal-key.ts'
import { confirmOwnFactor, removeOwnFactor } from '../users/second-factor.ts'
import { proveIdentity } from '../users/security.ts'
import type { UserTools } from '../users/tools.ts'
import { type Faults, faultList, focusOf, inputField } from './fields.ts'
import { formNotices, type NoticeText } from './form-notices.ts'

const html = 'text/html; charset=utf-8'
const path = '/account/security'
const notices: Readonly<Record<SecurityNotice, NoticeText>> = {
  ended: ['good', 'The session is ended.'],
  ended_others: ['good', 'You are signed out everywhere else.'],
  kept: ['good', 'Your account is kept. API keys, devices and push subscriptions from before are deleted: create new ones if you need them.'],
  factor_removed: ['good', 'The second factor is removed. We sent you a mail about it.'],
  factor_on: ['good', 'The second factor is on. Its recovery codes were shown when it was set up.'],
  factor_expired: ['bad', 'The second factor is not on: its set-up was not confirmed within 15 minutes. Set it up again.'],
  ...formNotices,
}
type Form = 'export' | 'erase' | 'totp'
type Shown = {
  readonly factor?: FactorState
  readonly erase_after?: string | null
  readonly outcome?: SecurityNotice | undefined
  readonly form?: Form
  readonly faults?: Faults
}

/** `corner`: of a person who is signed in. */
const page = (
  title: string,
  main: string,
  { corner = null, headers = [] }: { corner?: Person | null; headers?: readonly string[] } = {},
): Answered => ({
  kind: 'text',
  body: renderPage({ title, corner, main: `<h1>${escaped(title)}</h1>\n${main}` }),
  media_type: html,
  policy: pagePolicy,
  headers,
})
const hiddenToken = (token: string): string => `<input type="hidden" name="token" value="${escaped(token)}">`
const back = (outcome: SecurityNotice): Answered => ({
  kind: 'text',
  body: '',
  media_type: html,
  policy: pagePolicy,
  status: 303,
  headers: ['Location', `${path}?notice=${outcome}`],
})
const noticeOf = (outcome: SecurityNotice | undefined): string => {
  if (outcome === undefined) return ''
  const [kind, text] = notices[outcome]
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

const codeField = (form: string, faults: Faults, { help = 'Six digits, or a recovery code', focus = false } = {}): string =>
  inputField({
    form,
    faults,
    focus: focus ? 'totp_code' : null,
    name: 'totp_code',
    label: 'Authenticator code',
    help,
    attributes: ' autocomplete="one-time-code" required',
  })

/** Setting up the second factor, or removing it. */
function factorCard(hidden: string, shown: Shown): string {
  if (!shown.factor?.enrolled)
    return `<form class="card" method="post" action="${path}/totp/enrol" novalidate><h2>Second factor</h2>
<p>It is off. With an authenticator app, signing in needs your password and a code from your phone.</p>
${proofForm('totp', hidden, shown, '<button type="submit">Set it up</button>')}</form>`
  return `<form class="card" method="post" action="${path}/totp/remove" novalidate><h2>Second factor</h2>
<p>It is on: signing in needs a code of your authenticator. Recovery codes left: ${shown.factor.recovery_codes_left} of ${recoveryCodes}. To get new ones, remove the second factor and set it up again.</p>
${proofForm('totp', hidden, shown, '<button type="submit" class="danger">Remove it</button>')}</form>`
}

const confirmForm = (token: string, faults: Faults): string => `<form class="card" method="post" action="${path}/totp/confirm" novalidate>
${hiddenToken(token)}${faultList('confirm', faults)}
${codeField('confirm', faults, { help: 'The six digits that the app shows now', focus: true })}
<p><button type="submit">Turn it on</button></p></form>`

/** The QR code with the field for the first code. */
function enrolmentPage(person: Session, { secret, otpauth_uri }: Pick<Enrolment, 'secret' | 'otpauth_uri'>, token: string): Answered {
  return page(
    'Set up a second factor',
    `<p class="lead">Scan the code with your authenticator app, then type the six digits that it shows. Nothing changes until then.</p>
${qrSvg(otpauth_uri)}
<p>On the phone itself: <a href="${escaped(otpauth_uri)}">open it in the app</a>. Without a camera, type this key into the app: <code>${escaped(secret.match(/.{1,4}/g)?.join(' ') ?? '')}</code></p>
${confirmForm(token, {})}`,
    { corner: cornerOf(person.email, token) },
  )
}

/** The field for the first code again, after a wrong code. The key is not shown again: that takes the password. */
function confirmAgainPage(person: Session, token: string, fault: string): Answered {
  return page(
    'Set up a second factor',
    `<p class="lead">The second factor is not on yet. Type the digits that the app shows now for the key that you scanned. If they are refused again, check that the phone sets its clock automatically; after five wrong codes none is accepted for 15 minutes.</p>
${confirmForm(token, { totp_code: fault })}
<p><a href="${path}">Begin again with a new key</a></p>`,
    { corner: cornerOf(person.email, token) },
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
  const hidden = hiddenToken(token)
  const others = sessions.length > 1
  const erasure = person.leaving
    ? `<div class="card"><h2>The erasure of this account is queued</h2>
<p>${shown.erase_after ? `After ${minuteOf(shown.erase_after)} all data stored about you is deleted.` : ''} ${cancelBringsBack}</p>
<form method="post" action="${path}/keep">${hidden}<p><button type="submit">Keep my account</button></p></form></div>`
    : `<form class="card" method="post" action="${path}/erase" novalidate><h2>Erase this account</h2>
<p>This ends immediately: ${erasureEnds.join(', ')}. After ${graceDays} days everything that is stored of you is deleted; until then you can sign in and cancel it. ${cancelBringsBack}</p>
${proofForm('erase', hidden, shown, '<button type="submit" class="danger">Erase my account</button>')}</form>`
  return `<p class="lead">${escaped(person.email)} · <a href="/developer">API keys</a></p>
${noticeOf(shown.outcome)}
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
  const signedOut = (outcome?: SecurityNotice): Answered =>
    page('Your account', `${noticeOf(outcome)}\n<p class="lead">Sign in first: <a href="/developer">Sign in</a></p>`)

  async function show(context: Context, person: Session, shown: Shown): Promise<Answered> {
    const token = await formTokenOf(db, person)
    if (token === null) return signedOut('session_over')
    const sessions = await asUser(db, person.user_id, trx => listOwnSessions(trx, person, context.now()))
    const factor = await factorOf(db, person.user_id)
    const erase_after = person.leaving ? ((await findErasure(db, person.user_id))?.erase_after ?? null) : null
    return page('Your account', renderSecurity(person, sessions, token, { ...shown, factor, erase_after }), { corner: cornerOf(person.email, token) })
  }
  const personOf = ({ user }: Context): Session | null => (user?.kind === 'user' && user.is_active ? user : null)
  /** The action of a form, run if its token is that of the session. */
  async function asPerson(context: Context, work: (person: Session, token: string) => Promise<Answered>): Promise<Answered> {
    const person = personOf(context)
    const token = person && (await formTokenOf(db, person))
    if (!person || token === null) return back('session_over')
    return isFormToken((context.body as ProofForm).token, token) ? await work(person, token) : back('stale')
  }
  /** The same for a form with the password; errors are shown next to the field. */
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
    get_security_page: async ({ notice: outcome }, context) => {
      const person = personOf(context)
      return person ? await show(context, person, { outcome }) : signedOut(outcome)
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
<p>Until ${minuteOf(erase_after)} you can keep the account: <a href="/developer">sign in</a>, open <a href="${path}">your account</a> and choose “Keep my account”. We sent you a mail with this information.</p>`
        return page('Your account will be erased', text, { headers: setSessionCookie('user', null, config.cookies) })
      }),
    post_totp_enrol: (_question, context) =>
      proven(context, 'totp', async person => {
        const token = await formTokenOf(db, person)
        return enrolmentPage(person, await beginEnrolment(db, key(), person, context.now()), token ?? '')
      }),
    post_totp_confirm: (_question, context) =>
      asPerson(context, async (person, token) => {
        try {
          const codes = await confirmOwnFactor(tools, key, person, (context.body as CodeForm).totp_code, context.now())
          return page(
            'The second factor is on',
            `<p class="notice good" role="status">From now on signing in needs a code. We sent you a mail about it.</p>
<p>Keep these recovery codes where you keep passwords: each replaces a code once. They are shown this once. Without phone and codes only the operator can let you in again.</p>
<pre tabindex="0"><code>${codes.map(escaped).join('\n')}</code></pre>
<p><a href="${path}">I have kept them: back to your account</a></p>`,
            { corner: cornerOf(person.email, token) },
          )
        } catch (error) {
          const [first = ''] = Object.values(faultsOf(error, []))
          if (await isEnrolling(db, person.user_id, context.now())) return confirmAgainPage(person, token, first)
          return back((await factorOf(db, person.user_id)).enrolled ? 'factor_on' : 'factor_expired')
        }
      }),
    post_totp_remove: (_question, context) =>
      proven(context, 'totp', async person => {
        await removeOwnFactor(tools, person, context.now())
        return back('factor_removed')
      }),
    post_keep_account: (_question, context) =>
      asPerson(context, async ({ user_id }) => {
        if (context.user?.leaving) await asUser(db, user_id, trx => asService(trx, () => cancelErasure(trx, user_id, context.now())))
        return back('kept')
      }),
  } satisfies Partial<Handlers>
}
