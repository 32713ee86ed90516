// How the signed-in user signs in: the state of the address and of the second factor, and the sessions.
import type { AnswerOf } from '#schemas/operations.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { faultList, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge, shown, shownBriefly } from '../components/notice.ts'
import { section } from '../components/parts.ts'
import { faultsIn } from '../components/submit.ts'
import { facts, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome, Returned } from '../page.ts'

type Sessions = AnswerOf<'list_my_sessions'>
type Factor = AnswerOf<'get_my_factor'>

export type SignIns = {
  readonly session: Session | null
  readonly factor: Outcome<Factor>
  readonly sessions: Outcome<Sessions>
  readonly token: string | null
  readonly returned: Returned | null
}
export const signInSection = ({ session, factor, sessions, token, returned }: SignIns): Html =>
  section({
    id: 'sign-ins',
    title: 'Signing in',
    tools: html`<a href="/account/security">Password, second factor, export and erasure</a>`,
    body: [
      faultList('confirm', faultsIn(returned, 'confirm')),
      faultList('end', faultsIn(returned, 'end')),
      facts([
        ['Address', addressState(session?.email_verified ?? false, token)],
        ['Second factor', shownBriefly(factor, factorState)],
      ]),
      shown(sessions, 'Sessions', ({ sessions: open }) => sessionTable(open, token)),
    ],
  })

// The mailed link of a new password also confirms the address, and is the one link that can be sent again.
const addressState = (verified: boolean, token: string | null): Content =>
  verified
    ? badge('confirmed', 'good')
    : html`${badge('not confirmed', 'warn')}<form method="post" action="/account/confirm">${formToken(token)}<button type="submit" class="quiet small">Send a link again</button></form><span class="small">It sets a new password and confirms the address.</span>`

const factorState = ({ totp_enrolled, recovery_codes_left }: Factor): Content =>
  totp_enrolled
    ? html`${badge('on', 'good')} <span class="small">${number(recovery_codes_left)} recovery codes left</span>`
    : html`${badge('off')} <a class="small" href="/account/security">Set it up</a>`

const endForm = (id: string, label: Content, name: string, token: string | null): Html =>
  html`<form method="post" action="/account/end">${formToken(token)}<input type="hidden" name="id" value="${id}"><button type="submit" class="${id === 'others' ? 'quiet' : 'danger'}" aria-label="${name}">${label}</button></form>`

const sessionTable = (sessions: Sessions['sessions'], token: string | null): Content => [
  table({
    caption: 'Sessions, most recently used first',
    columns: ['Browser', tight('Network'), tight('Signed in'), tight('Last used'), tight('Ends at the latest'), tight('End')],
    rows: sessions.map(each => [
      each.agent,
      html`<code>${each.address_prefix}</code>`,
      instant(each.created_at),
      instant(each.last_used_at),
      instant(each.expires_at),
      each.current ? badge('this one', 'info') : endForm(each.id, 'End', `End the session of ${each.agent}, ${each.address_prefix}`, token),
    ]),
  }),
  sessions.length > 1 && endForm('others', 'Sign out everywhere else', 'Sign out everywhere else', token),
]
