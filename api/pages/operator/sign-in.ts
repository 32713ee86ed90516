// `/operator/sign-in` and `/operator/second-factor`: how an administrator signs in. No script runs, because passwords and secrets are typed
// and shown here.
import { z } from 'zod'
import { qrSvg } from '../../users/qr.ts'
import { faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { notice } from '../components/notice.ts'
import { pageHead } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { type Html, html, trusted } from '../html.ts'
import { page, pageForm } from '../page.ts'

const field = z.string().max(1024).default('')
const signInFields = ['email', 'password', 'totp_code']

export const operatorSignInPage = page('/operator/sign-in', 'Sign in as administrator', {
  summary: 'Sign-in of the operator of this service, with a second factor.',
  width: 'text',
  scriptless: true,
  operations: ['admin_login'],
  async render({ token, returned }) {
    const faults = faultsIn(returned, 'enter')
    const form = { form: 'enter', faults, focus: returned === null ? null : focusOf(faults, 'password') }
    return {
      main: html`${pageHead('Sign in as administrator', 'For the operator of this service. A session ends after 15 minutes without use, and a new one ends the others.')}
<form class="card" method="post" action="/operator/sign-in/enter" novalidate>
${formToken(token)}${faultList('enter', faults)}
${inputField({ ...form, name: 'email', label: 'Email', attributes: html` autocomplete="username" required` }, typedIn(returned, 'enter', 'email'), 'email')}
${inputField({ ...form, name: 'password', label: 'Password', attributes: html` autocomplete="current-password" required` }, '', 'password')}
${inputField({ ...form, name: 'totp_code', label: 'Authenticator code', help: 'Six digits, or a recovery code. Empty only before the second factor is set up', attributes: html` autocomplete="one-time-code" inputmode="text"` })}
<p><button type="submit">Sign in</button></p>
</form>
<p class="small">The command <code>crossfile admin create EMAIL</code> makes an administrator.</p>`,
    }
  },
  forms: {
    enter: pageForm(z.object({ email: field, password: field, totp_code: field }), async ({ email, password, totp_code }, { ask }) => {
      const code = totp_code.trim()
      const entered = await ask('admin_login', {}, { body: { email: email.trim(), password, totp_code: code === '' ? null : code } })
      if (!entered.ok) return { faults: refusalFaults(entered, signInFields) }
      return { redirect: entered.value.totp_enrolled ? '/operator' : '/operator/second-factor', headers: entered.cookies ?? [] }
    }),
  },
})

const confirmForm = (
  token: string | null,
  faults: Readonly<Record<string, string>>,
): Html => html`<form class="card" method="post" action="/operator/second-factor/confirm" novalidate>
${formToken(token)}${faultList('confirm', faults)}
${inputField({ form: 'confirm', name: 'totp_code', label: 'Authenticator code', faults, focus: 'totp_code', help: 'The six digits that the app shows now', attributes: html` autocomplete="one-time-code" inputmode="numeric" required` })}
<p><button type="submit">Turn it on</button></p></form>`

export const operatorFactorPage = page('/operator/second-factor', 'Second factor of the administrator', {
  summary: 'Set-up of the second factor that administration needs.',
  access: 'admin',
  width: 'text',
  scriptless: true,
  operations: ['enrol_totp', 'confirm_totp'],
  async render({ token, returned }) {
    if (returned?.form === 'confirm')
      return {
        main: html`${pageHead('Second factor', 'It is not on yet. Type the digits that the app shows now for the key that you scanned.')}
${confirmForm(token, returned.faults)}
<p><a href="/operator/second-factor">Begin again with a new key</a></p>`,
      }
    return {
      main: html`${pageHead('Second factor', 'Administration needs a code of an authenticator app in addition to the password. A factor that exists stays valid until a new one is confirmed.')}
<form class="card" method="post" action="/operator/second-factor/begin">${formToken(token)}${faultList('begin', faultsIn(returned, 'begin'))}
<p>The next page shows a key as a QR code.</p><p><button type="submit">Set it up</button></p></form>`,
    }
  },
  forms: {
    begin: pageForm(z.object({}), async (_fields, { ask, token }) => {
      const begun = await ask('enrol_totp')
      if (!begun.ok) return { faults: refusalFaults(begun, []) }
      const { secret, otpauth_uri } = begun.value
      return {
        main: html`${pageHead('Second factor', 'Scan the code with your authenticator app, then type the six digits that it shows. Nothing changes until then.')}
${trusted(qrSvg(otpauth_uri))}
<p>Without a camera, type this key into the app: <code>${secret.match(/.{1,4}/g)?.join(' ') ?? ''}</code></p>
${confirmForm(token, {})}`,
      }
    }),
    confirm: pageForm(z.object({ totp_code: field }), async ({ totp_code }, { ask }) => {
      const confirmed = await ask('confirm_totp', {}, { body: { totp_code: totp_code.replaceAll(' ', '') } })
      if (!confirmed.ok) return { faults: refusalFaults(confirmed, ['totp_code']) }
      return {
        main: html`${pageHead('The second factor is on')}
${notice('good', 'From now on signing in needs a code.', { live: true })}
<p>Keep these recovery codes where you keep passwords: each replaces a code once. They are shown this once.</p>
<pre tabindex="0"><code>${confirmed.value.recovery_codes.join('\n')}</code></pre>
<p><a class="button" href="/operator">I have kept them: continue</a></p>`,
      }
    }),
  },
})
