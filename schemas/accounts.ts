// Records of accounts and sessions.
import { z } from 'zod'
import { Count, Flag, Instant, oneLinePattern, Text } from './values.ts'

/** A mail address as written; warehouse/people/users/email.ts compares addresses. */
export const Email = z.email({ error: 'expected an e-mail address such as jane.roe@example.org' }).max(254, 'expected at most 254 characters')
/** Limits of the input only; the rules for a new password are checked when it is set. */
const Password = z.string({ error: 'expected a text' }).min(1, 'expected a password').max(1024, 'expected at most 1024 characters')
const newPassword = Password.describe('12 to 256 characters, none of the kind that is guessed first (common words, names, years, keyboard rows)')
const Token = z
  .string({ error: 'expected a text' })
  .min(1, 'expected the token of the link')
  .max(200, 'expected the token of the link')
  .describe('of the mailed link; valid for one use')
/** A name as people write it: no control characters, and no blanks around it. */
const name = (most: number) =>
  z
    .string({ error: 'expected a text' })
    .trim()
    .min(1, 'expected a name, or null')
    .max(most, `expected at most ${most} characters`)
    .regex(new RegExp(oneLinePattern), 'expected a name on one line')
const FullName = name(200).nullable()
const DisplayName = name(100).nullable()

/** A code of an authenticator, or a recovery code. */
const TotpCode = z
  .string()
  .max(64, 'expected six digits, or a recovery code')
  .nullish()
  .describe('needed once the account has a second factor: six digits of the authenticator, or a recovery code')
export const LoginRequest = z.strictObject({ email: Email, password: Password, totp_code: TotpCode })
export type LoginRequest = z.output<typeof LoginRequest>
export const RegisterRequest = z.strictObject({ email: Email, password: newPassword, full_name: FullName.default(null) })
export type RegisterRequest = z.output<typeof RegisterRequest>
export const VerifyEmailRequest = z.strictObject({ token: Token })
export type VerifyEmailRequest = z.output<typeof VerifyEmailRequest>
export const ChangePasswordRequest = z.strictObject({ current_password: Password, new_password: newPassword })
export type ChangePasswordRequest = z.output<typeof ChangePasswordRequest>
export const PasswordResetRequest = z.strictObject({ email: Email })
export type PasswordResetRequest = z.output<typeof PasswordResetRequest>
export const PasswordResetConfirm = z.strictObject({ token: Token, new_password: newPassword })
export type PasswordResetConfirm = z.output<typeof PasswordResetConfirm>
/** Rectification (GDPR art. 16): null removes a name, an omitted member is kept. */
export const ProfilePatch = z.strictObject({ full_name: FullName.optional(), display_name: DisplayName.optional() })
export type ProfilePatch = z.output<typeof ProfilePatch>

export const AuthResponse = z.object({
  access_token: Text.describe('the session: send it as Authorization: Bearer; the cookie service_session holds the same'),
  token_type: z.literal('bearer').default('bearer'),
  user: z.object({
    id: Text,
    email: Text,
    full_name: Text.nullable(),
    display_name: Text.nullable(),
    tier: Text,
    email_verified: Flag,
    erasure_requested_at: Instant.nullable().describe('set: the erasure is queued, and only cancelling it is open to this session'),
  }),
})
export type AuthResponse = z.output<typeof AuthResponse>

/** The same for every address. */
export const Accepted = z.object({ status: z.literal('accepted'), detail: Text.describe('what happens now') })
export type Accepted = z.output<typeof Accepted>
export const Done = z.object({ status: z.enum(['verified', 'password_set']), detail: Text })
export type Done = z.output<typeof Done>

export const Profile = z.object({
  id: Text,
  email: Text,
  full_name: Text.nullable(),
  display_name: Text.nullable(),
  tier: Text,
  billing_status: Text,
  is_active: Flag,
  queries_today: Count.describe('queries of the assistant on this UTC day'),
  created_at: Instant,
  last_login_at: Instant.nullable(),
})
export type Profile = z.output<typeof Profile>
