// The pages that links in mail lead to: confirm an address, choose a new password. They use the functions of the JSON operations.
import { CrossfileError } from '#schemas/errors.ts'
import type { NewPasswordForm } from '#schemas/operations/account-pages.ts'
import { confirmReset, verifyEmail } from '#warehouse/people/users/accounts.ts'
import { faultsOf } from '../form-faults.ts'
import type { Answered, Context } from '../handler.ts'
import { setDeviceCookie } from '../plugins/cookies.ts'
import { escaped, pagePolicy, renderPage } from '../public/html.ts'
import { accountsOf } from '../users/accounts.ts'
import type { UserTools } from '../users/tools.ts'
import { type Faults, faultList, focusOf, inputField } from './fields.ts'

type Question = { readonly token?: string | undefined }

const page = (title: string, main: string, headers: readonly string[] = []): Answered => {
  const body = renderPage({ title, main: `<h1>${escaped(title)}</h1>\n${main}` })
  return { kind: 'text', body, media_type: 'text/html; charset=utf-8', policy: pagePolicy, headers }
}
const hidden = (token: string): string => `<input type="hidden" name="token" value="${escaped(token)}">`
const onward = '<p><a href="/developer">Sign in</a></p>'

function confirmPage(token: string, faults: Faults): Answered {
  return page(
    'Confirm your address',
    `<p class="lead">With the button below you confirm that this mailbox is yours. If you did not register, close this page: nothing happens then.</p>
<form class="card" method="post" action="/account/verify-email" novalidate>
${hidden(token)}
${faultList('confirm', faults)}
<p><button type="submit">Confirm my address</button></p>
</form>`,
  )
}

function passwordPage(token: string, faults: Faults): Answered {
  const field = { form: 'password', name: 'new_password', label: 'New password', faults, focus: focusOf(faults, 'new_password') }
  const help = '12 characters or more; several words make a good one'
  return page(
    'Choose a new password',
    `<p class="lead">All devices are signed out when it is set.</p>
<form class="card" method="post" action="/account/reset-password" novalidate>
${hidden(token)}
${faultList('password', faults)}
${inputField({ ...field, help, attributes: ' autocomplete="new-password" required' }, '', 'password')}
<p><button type="submit">Set the password</button></p>
</form>`,
  )
}

/** If a link can never work again, its page has no form. */
const linkIsOver = (message: string): Answered =>
  page(
    'This link is not valid',
    `<p class="lead">${escaped(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`)}</p>
<p>An address that was confirmed already needs no link: <a href="/developer">sign in</a>. Under “Forgotten your password?” you get a new link.</p>`,
  )

export function accountPageHandlers(tools: UserTools) {
  const accounts = accountsOf(tools)

  return {
    get_verify_email_page: ({ token = '' }: Question): Answered => confirmPage(token, {}),
    async post_verify_email_page(_question: unknown, context: Context): Promise<Answered> {
      const { token } = context.body as { readonly token: string }
      try {
        await verifyEmail(accounts, token, context.now())
        return page('Your address is confirmed', `<p class="lead">You can sign in now.</p>\n${onward}`)
      } catch (error) {
        return isOver(error) ? linkIsOver(error.message) : confirmPage(token, faultsOf(error, []))
      }
    },
    get_reset_password_page: ({ token = '' }: Question): Answered => passwordPage(token, {}),
    async post_reset_password_page(_question: unknown, context: Context): Promise<Answered> {
      const { token, new_password } = context.body as NewPasswordForm
      try {
        const { client } = context
        const device = await confirmReset(accounts, token, new_password, client, context.now())
        const cookie = setDeviceCookie(device, client.origin.devices, tools.config.cookies)
        return page('Your password is set', `<p class="lead">All devices are signed out.</p>\n${onward}`, cookie)
      } catch (error) {
        return isOver(error) ? linkIsOver(error.message) : passwordPage(token, faultsOf(error, ['new_password']))
      }
    },
  }
}

const isOver = (error: unknown): error is CrossfileError => error instanceof CrossfileError && error.status === 400
