// Accounts and sessions: registering, signing in and out, passwords, the profile.
import {
  Accepted,
  AuthResponse,
  ChangePasswordRequest,
  Done,
  LoginRequest,
  PasswordResetConfirm,
  PasswordResetRequest,
  Profile,
  ProfilePatch,
  RegisterRequest,
  VerifyEmailRequest,
} from '../accounts.ts'
import { operation, question } from './operation.ts'

const common = { tag: 'Account', curated: false, cache: 'live', served_from: 'pg', question: question({}) } as const
/** Needs only the password or a mailed link. Each costs ten units of the limit, because it does more work than a read. */
const open = { ...common, access: 'public', cost: 10 } as const
const mine = { ...common, access: 'user' } as const

export const accountOperations = [
  operation('register_account', 'POST /api/v1/auth/register', {
    ...open,
    summary: 'Register an account; a link to confirm the address is mailed',
    description:
      'The answer is the same whether the address has an account or not; only the mail sent to it differs. Signing in works once the address is confirmed by the link, within 24 hours. A password has 12 to 256 characters and must not be a commonly used one.',
    body: RegisterRequest,
    success: 202,
    answer: Accepted,
    example: { body: { email: 'jane.roe@example.org', password: 'tulip-kettle-brisk', full_name: 'Jane Roe' } },
  }),
  operation('verify_email', 'POST /api/v1/auth/verify-email', {
    ...open,
    summary: 'Confirm an address by the token of the mailed link',
    description: 'A token is valid for one use within 24 hours; any other is 400, always with the same text. It does not sign the user in.',
    body: VerifyEmailRequest,
    answer: Done,
    example: { body: { token: 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4' } },
  }),
  operation('sign_in', 'POST /api/v1/auth/login', {
    ...open,
    summary: 'Sign in: sets the cookie service_session and answers with the same session as a token',
    description:
      'An unknown address, a wrong password and an address that was never confirmed get the same 401. Repeated failures cause a delay (429 with Retry-After) of at most 5 minutes. It starts at 5 failures within 15 minutes for an account from one address, 20 for an account, and 50 for an address. A device (cookie service_device, set here) or address from which the account signed in before is not delayed by failures elsewhere. 503 with Retry-After: too many passwords are being checked. A session ends after 12 hours without use, after 14 days, by signing out, and by a new password. An account has at most ten sessions; a further one ends the oldest.',
    body: LoginRequest,
    answer: AuthResponse,
    example: { body: { email: 'jane.roe@example.org', password: 'tulip-kettle-brisk' } },
  }),
  operation('sign_out', 'POST /api/v1/auth/logout', {
    ...mine,
    summary: 'Sign out: ends the session and deletes the cookie',
    description: 'The session is deleted: its cookie and its token are no longer valid. Other sessions of the account continue.',
    while_leaving: true,
    success: 204,
  }),
  operation('change_password', 'POST /api/v1/auth/change-password', {
    ...mine,
    summary: 'Change the password: every session ends, and this one is replaced',
    description:
      'The answer and the cookie are a new session; the token of the request is no longer valid, so a repeated request is 401. A wrong current password is 403 and counts as a failed sign-in. The user is notified by mail.',
    cost: 10,
    body: ChangePasswordRequest,
    answer: AuthResponse,
    example: { body: { current_password: 'tulip-kettle-brisk', new_password: 'walnut harbour ninety' } },
  }),
  operation('request_password_reset', 'POST /api/v1/auth/password-reset', {
    ...open,
    summary: 'Mail a link that sets a new password',
    description:
      'The answer is the same for every address. A link is mailed if there is an account, at most three within 30 minutes. It is valid for one use within 30 minutes.',
    body: PasswordResetRequest,
    success: 202,
    answer: Accepted,
    example: { body: { email: 'jane.roe@example.org' } },
  }),
  operation('confirm_password_reset', 'POST /api/v1/auth/password-reset/confirm', {
    ...open,
    summary: 'Set a new password by the token of the mailed link',
    description:
      'Every session of the account ends, every other link becomes invalid, and the address counts as confirmed. The user is not signed in, but the device and the address that set the password may sign in without delay, regardless of earlier failures. A used, expired or unknown token is 400, always with the same text; a refused password (422) does not use up the token.',
    body: PasswordResetConfirm,
    answer: Done,
    example: {
      body: { token: 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4', new_password: 'walnut harbour ninety' },
    },
  }),
  operation('get_me', 'GET /api/v1/auth/me', {
    ...mine,
    summary: 'The profile of the signed-in user',
    description: 'queries_today counts the queries of the assistant on this UTC day; the plans list the maximum of each tier.',
    while_leaving: true,
    answer: Profile,
  }),
  operation('update_me', 'PATCH /api/v1/auth/me', {
    ...mine,
    summary: 'Rectify the names of the profile',
    description: 'An omitted name is kept; null removes it. Accepts an Idempotency-Key.',
    body: ProfilePatch,
    answer: Profile,
    idempotency_key: true,
    example: { body: { display_name: 'Jane' } },
  }),
] as const
