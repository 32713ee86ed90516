// The developer page: forms of a person's browser over the same functions as the JSON operations of accounts and keys.
import { z } from 'zod'
import { examples } from './examples.ts'
import { operation, question, scopes } from './operation.ts'
import { oneOf, shaped } from './parameters.ts'

/** What the page says after a form led back to it. */
export const tidings = ['registered', 'reset_sent', 'revoked', 'session_over', 'signed_in', 'signed_out', 'stale'] as const
export type Tiding = (typeof tidings)[number]

const shared = { tag: 'Keys', access: 'public', curated: false, cache: 'live', served_from: 'pg', media_type: 'text/html; charset=utf-8' } as const
const posted = {
  ...shared,
  method: 'POST',
  body_media: ['application/x-www-form-urlencoded'],
  body_bytes: 16 * 1024,
  question: question({}),
} as const
// Bounds are said beside the field, by the page: here is only what a browser can send.
const field = z.string().max(4000)
const boxes = z.union([field, z.array(field).max(scopes.length)])
const token = field.meta({ description: 'of the session: stands in the form' }).optional()

export const SignInForm = z.strictObject({ email: field.default(''), password: field.default(''), totp_code: field.default('') })
export const SignUpForm = z.strictObject({ email: field.default(''), password: field.default(''), full_name: field.default('') })
export const ForgottenForm = z.strictObject({ email: field.default('') })
export const TokenForm = z.strictObject({ token })
export const KeyForm = z.strictObject({
  token,
  once: field.meta({ description: 'the same form makes one key, however often it is sent' }).optional(),
  name: field.default(''),
  scopes: boxes.default([]),
  allowed_addresses: field.default(''),
  expires_in_days: field.default(''),
})
export type KeyForm = z.output<typeof KeyForm>

export const developerOperations = [
  operation({
    ...shared,
    id: 'get_developer_page',
    path: '/developer',
    summary: 'The developer page',
    description: 'Sign in, make an account, make keys and revoke them: a page that runs no script.',
    question: question({ said: oneOf('what the form before led to', tidings).optional() }),
    example: examples.get_developer_page,
  }),
  operation({
    ...shared,
    id: 'get_developer_css',
    path: '/developer/style.css',
    summary: 'Style of the developer page',
    description: 'Style sheet of /developer.',
    question: question({}),
    media_type: 'text/css; charset=utf-8',
    served_from: 'process',
    cache: 'steady',
    cost: 0,
    example: examples.get_developer_css,
  }),
  operation({
    ...shared,
    id: 'get_developer_form',
    path: '/developer/{form}',
    summary: 'The address that a form left in the browser',
    description: 'Leads back to the developer page: after a form was answered its address stands in the browser, and may be opened again.',
    question: question({ form: oneOf('the form', ['sign-in', 'sign-up', 'forgotten', 'keys']) }),
    served_from: 'process',
    success: 303,
    example: examples.get_developer_form,
  }),
  operation({
    ...posted,
    id: 'post_developer_sign_in',
    path: '/developer/sign-in',
    summary: 'Sign in by the form of the developer page',
    description: 'Leads back to the page, signed in; 200 with the page and what was wrong beside the field otherwise.',
    body: SignInForm,
    cost: 10,
    success: 303,
    example: examples.post_developer_sign_in,
  }),
  operation({
    ...posted,
    id: 'post_developer_sign_up',
    path: '/developer/sign-up',
    summary: 'Make an account by the form of the developer page',
    description: 'Leads back to the page, which says that mail was sent; 200 with the page and what was wrong beside the field otherwise.',
    body: SignUpForm,
    cost: 10,
    success: 303,
    example: examples.post_developer_sign_up,
  }),
  operation({
    ...posted,
    id: 'post_developer_forgotten',
    path: '/developer/forgotten',
    summary: 'Ask for a new password by the form of the developer page',
    description: 'Leads back to the page, which says the same whether the address has an account or not.',
    body: ForgottenForm,
    cost: 10,
    success: 303,
    example: examples.post_developer_forgotten,
  }),
  operation({
    ...posted,
    id: 'post_developer_sign_out',
    path: '/developer/sign-out',
    summary: 'Sign out by the button of the developer page',
    description: 'Ends the session and leads back to the page.',
    while_leaving: true,
    body: TokenForm,
    success: 303,
    example: examples.post_developer_sign_out,
  }),
  operation({
    ...posted,
    id: 'post_developer_key',
    path: '/developer/keys',
    summary: 'Make a key by the form of the developer page',
    description:
      'Answers the page with the key, this once, or with what was wrong beside the field; leads back to the page where nobody is signed in.',
    body: KeyForm,
    example: examples.post_developer_key,
  }),
  operation({
    ...posted,
    id: 'post_developer_key_revoke',
    path: '/developer/keys/{id}/revoke',
    summary: 'Revoke a key by the button of the developer page',
    description: 'Ends the key and leads back to the page.',
    question: question({ id: shaped('id of the key', /^k_[\w-]{1,40}$/, 'an id such as k_7Qm2xYb81LqA', 'k_7Qm2xYb81LqA') }),
    body: TokenForm,
    success: 303,
    example: examples.post_developer_key_revoke,
  }),
] as const
