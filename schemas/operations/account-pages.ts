// The targets of mailed links: pages with one form each. Opening a page changes nothing, because mail scanners open links too.
import { z } from 'zod'
import { browserForm, operation, question } from './operation.ts'
import { text } from './parameters.ts'

const shared = { tag: 'Account', access: 'public', curated: false, cache: 'live', served_from: 'pg', media_type: 'text/html; charset=utf-8' } as const
const posted = {
  ...shared,
  ...browserForm,
  cost: 10,
} as const
const link = question({ token: text('of the mailed link', 200, 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4').optional() })
// The page reports bounds. This schema accepts whatever a browser can send.
const field = z.string().max(4000).default('')

const ConfirmForm = z.strictObject({ token: field })
export const NewPasswordForm = z.strictObject({ token: field, new_password: field })
export type NewPasswordForm = z.output<typeof NewPasswordForm>

export const accountPageOperations = [
  operation('get_verify_email_page', 'GET /account/verify-email', {
    ...shared,
    summary: 'The page of the mailed link that confirms an address',
    description: 'One button, which sends the token to POST /account/verify-email. A page that runs no script.',
    question: link,
    example: '/account/verify-email?token=b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4',
  }),
  operation('post_verify_email_page', 'POST /account/verify-email', {
    ...posted,
    summary: 'Confirm an address by the button of the page',
    description: 'Does what POST /api/v1/auth/verify-email does, and returns a page with the result.',
    body: ConfirmForm,
    example: { body: { token: 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4' } },
  }),
  operation('get_reset_password_page', 'GET /account/reset-password', {
    ...shared,
    summary: 'The page of the mailed link that sets a new password',
    description: 'One form, which sends token and password to POST /account/reset-password. A page that runs no script.',
    question: link,
    example: '/account/reset-password?token=b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4',
  }),
  operation('post_reset_password_page', 'POST /account/reset-password', {
    ...posted,
    summary: 'Set a new password by the form of the page',
    description: 'Does what POST /api/v1/auth/password-reset/confirm does, and returns a page. Errors are shown next to the field.',
    body: NewPasswordForm,
    example: {
      body: { token: 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4', new_password: 'walnut harbour ninety' },
    },
  }),
] as const
