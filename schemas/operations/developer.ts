// The developer page: browser forms that call the same functions as the JSON operations of accounts and keys.
import { z } from 'zod'
import { browserForm, operation, question, scopes } from './operation.ts'
import { oneOf, shaped } from './parameters.ts'

/** Messages of the page after a form redirects to it. */
const notices = ['registered', 'reset_sent', 'revoked', 'session_over', 'signed_in', 'signed_out', 'stale'] as const
export type Notice = (typeof notices)[number]

const shared = { tag: 'Keys', access: 'public', curated: false, cache: 'live', served_from: 'pg', media_type: 'text/html; charset=utf-8' } as const
const posted = {
  ...shared,
  ...browserForm,
} as const
// The page reports bounds next to the field. This schema accepts whatever a browser can send.
const field = z.string().max(4000)
const boxes = z.union([field, z.array(field).max(scopes.length)])
const token = field.describe('of the session; a field of the form').optional()

const SignInForm = z.strictObject({ email: field.default(''), password: field.default(''), totp_code: field.default('') })
const SignUpForm = z.strictObject({ email: field.default(''), password: field.default(''), full_name: field.default('') })
const ForgottenForm = z.strictObject({ email: field.default('') })
const TokenForm = z.strictObject({ token })
export const KeyForm = z.strictObject({
  token,
  once: field.describe('a form creates one key, even if it is sent several times').optional(),
  name: field.default(''),
  scopes: boxes.default([]),
  allowed_addresses: field.default(''),
  expires_in_days: field.default(''),
})
export type KeyForm = z.output<typeof KeyForm>

export const developerOperations = [
  operation('get_developer_page', 'GET /developer', {
    ...shared,
    summary: 'The developer page',
    description: 'Sign in, create an account, create keys and revoke them: a page without scripts.',
    question: question({ notice: oneOf('the result of the previous form', notices).optional() }),
  }),
  operation('get_developer_form', 'GET /developer/{form}', {
    ...shared,
    summary: 'The URL of a submitted form',
    description: 'Redirects to the developer page. After a form is submitted, the browser shows its URL, which a user may open again.',
    question: question({ form: oneOf('the form', ['sign-in', 'sign-up', 'forgotten', 'keys']) }),
    served_from: 'process',
    success: 303,
    example: '/developer/keys',
  }),
  operation('post_developer_sign_in', 'POST /developer/sign-in', {
    ...posted,
    summary: 'Sign in by the form of the developer page',
    description: 'Redirects to the page, signed in; otherwise 200 with the page and the error next to the field.',
    body: SignInForm,
    cost: 10,
    success: 303,
    other_successes: [[200, 'The page again, with the errors']],
    example: { body: { email: 'jane.roe@example.org', password: 'correct horse battery staple' } },
  }),
  operation('post_developer_sign_up', 'POST /developer/sign-up', {
    ...posted,
    summary: 'Create an account by the form of the developer page',
    description: 'Redirects to the page, which reports that mail was sent; otherwise 200 with the page and the error next to the field.',
    body: SignUpForm,
    cost: 10,
    success: 303,
    other_successes: [[200, 'The page again, with the errors']],
    example: {
      body: { email: 'jane.roe@example.org', password: 'correct horse battery staple', full_name: 'Jane Roe' },
    },
  }),
  operation('post_developer_forgotten', 'POST /developer/forgotten', {
    ...posted,
    summary: 'Request a new password by the form of the developer page',
    description: 'Redirects to the page, which shows the same message whether the address has an account or not.',
    body: ForgottenForm,
    cost: 10,
    success: 303,
    other_successes: [[200, 'The page again, with the errors']],
    example: { body: { email: 'jane.roe@example.org' } },
  }),
  operation('post_developer_sign_out', 'POST /developer/sign-out', {
    ...posted,
    summary: 'Sign out by the button of the developer page',
    description: 'Ends the session and redirects to the page.',
    while_leaving: true,
    body: TokenForm,
    success: 303,
    example: { body: { token: 'QmFzZTY0IG9mIGFuIGV4YW1wbGUgdG9rZW4gb25seQA' } },
  }),
  operation('post_developer_key', 'POST /developer/keys', {
    ...posted,
    summary: 'Create a key by the form of the developer page',
    description: 'Returns the page with the key, only once, or with the error next to the field. Redirects to the page if the user is not signed in.',
    body: KeyForm,
    other_successes: [[303, 'To the page: the session is over, or the form was sent before']],
    example: {
      body: {
        token: 'QmFzZTY0IG9mIGFuIGV4YW1wbGUgdG9rZW4gb25seQA',
        once: 'Zm9ybSBvZiBvbmNl',
        name: 'spreadsheet',
        scopes: ['data:read'],
        allowed_addresses: '',
        expires_in_days: '365',
      },
    },
  }),
  operation('post_developer_key_revoke', 'POST /developer/keys/{id}/revoke', {
    ...posted,
    summary: 'Revoke a key by the button of the developer page',
    description: 'Revokes the key and redirects to the page.',
    question: question({ id: shaped('id of the key', /^k_[\w-]{1,40}$/, 'an id such as k_7Qm2xYb81LqA', 'k_7Qm2xYb81LqA') }),
    body: TokenForm,
    success: 303,
    example: { request: '/developer/keys/k_7Qm2xYb81LqA/revoke', body: { token: 'QmFzZTY0IG9mIGFuIGV4YW1wbGUgdG9rZW4gb25seQA' } },
  }),
] as const
