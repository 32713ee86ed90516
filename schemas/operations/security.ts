// A user's sessions, re-entering the password, and the page for both with export and erasure.
import { z } from 'zod'
import { AuthResponse } from '../accounts.ts'
import { OwnEnrolment, OwnFactor, OwnSessions, ProveRequest, proofMinutes, TotpConfirmed, TotpConfirmIn } from '../security.ts'
import { browserForm, operation, question } from './operation.ts'
import { oneOf, shaped } from './parameters.ts'

const common = { tag: 'Account', curated: false, cache: 'live', served_from: 'pg', question: question({}) } as const
const mine = { ...common, access: 'user', while_leaving: true } as const
const page = { ...common, access: 'public', media_type: 'text/html; charset=utf-8' } as const
const posted = { ...page, ...browserForm, while_leaving: true } as const
const id = shaped('id of the session', /^s_[\w-]{1,40}$/, 'an id such as s_7Qm2xYb81LqA', 's_7Qm2xYb81LqA')
const field = z.string().max(4000).default('')
const token = field.describe('of the session; a field of the form')

const SessionForm = z.strictObject({ token })
export const ProofForm = z.strictObject({ token, password: field, totp_code: field })
export const CodeForm = z.strictObject({ token, totp_code: field })
export type CodeForm = z.output<typeof CodeForm>
export type ProofForm = z.output<typeof ProofForm>

/** Messages of the page after a form redirects to it. */
const securityNotices = ['ended', 'ended_others', 'kept', 'factor_removed', 'factor_on', 'factor_expired', 'stale', 'session_over'] as const
export type SecurityNotice = (typeof securityNotices)[number]
const formToken = 'QmFzZTY0IG9mIGFuIGV4YW1wbGUgdG9rZW4gb25seQA'

const sessionOver = [[303, 'To the page: the session is over, or the form belongs to another session']] as const
/** A form that takes the password again. */
const proved = {
  ...posted,
  body: ProofForm,
  cost: 10,
  other_successes: sessionOver,
  example: { body: { token: formToken, password: 'tulip-kettle-brisk' }, answer: '' },
} as const
/** A form that is only a button. */
const pressed = { ...posted, body: SessionForm, success: 303, example: { body: { token: formToken }, answer: '' } } as const

export const securityOperations = [
  operation('list_my_sessions', 'GET /api/v1/auth/sessions', {
    ...mine,
    summary: 'Your sessions',
    description: 'Active sessions of the account, most recently used first. At most ten.',
    answer: OwnSessions,
    example: {
      answer: {
        count: 1,
        sessions: [
          {
            id: 's_7Qm2xYb81LqA',
            current: true,
            created_at: '2026-11-20T21:02:07.530Z',
            last_used_at: '2026-11-20T21:05:00.000Z',
            expires_at: '2026-12-04T21:02:07.530Z',
            address_prefix: '192.0.2.0/24',
            agent: 'Firefox',
          },
        ],
      },
    },
  }),
  operation('end_other_sessions', 'DELETE /api/v1/auth/sessions', {
    ...mine,
    summary: 'Sign out everywhere else',
    description: 'Ends every session of the account except the current one.',
    success: 204,
    example: { answer: null },
  }),
  operation('end_my_session', 'DELETE /api/v1/auth/sessions/{id}', {
    ...mine,
    summary: 'End one session',
    description: 'Its cookie and its token are refused from then on. 404 for a session that has ended or belongs to another account.',
    question: question({ id }),
    success: 204,
    example: { request: '/api/v1/auth/sessions/s_7Qm2xYb81LqA', answer: null },
  }),
  operation('prove_identity', 'POST /api/v1/auth/prove', {
    ...mine,
    summary: 'Confirm the password again, for the export and the erasure',
    description: `The export and the erasure need a sign-in or this within the last ${proofMinutes} minutes. The answer and the cookie are a new session; the current one ends. With a second factor, totp_code is required. A wrong password or code is 403. Failures are counted for this session, so other people cannot use up the attempts.`,
    cost: 10,
    body: ProveRequest,
    answer: AuthResponse,
    example: {
      body: { password: 'tulip-kettle-brisk' },
      answer: {
        access_token: `cf_sess_${'A'.repeat(43)}`,
        token_type: 'bearer',
        user: {
          id: 'u_V3nq0ZkTt1cY',
          email: 'jane.roe@example.org',
          full_name: 'Jane Roe',
          display_name: null,
          tier: 'free',
          email_verified: true,
          erasure_requested_at: null,
        },
      },
    },
  }),
  operation('get_my_factor', 'GET /api/v1/auth/totp', {
    ...mine,
    summary: 'Whether your account has a second factor',
    description: 'Also the number of remaining recovery codes.',
    answer: OwnFactor,
    example: { answer: { totp_enrolled: true, recovery_codes_left: 10 } },
  }),
  operation('enrol_my_factor', 'POST /api/v1/auth/totp/enrol', {
    ...mine,
    summary: 'Begin to set up a second factor (TOTP)',
    description: `Needs a sign-in or POST /api/v1/auth/prove within the last ${proofMinutes} minutes. Nothing changes until the first code is confirmed; an existing factor is valid until then.`,
    success: 201,
    answer: OwnEnrolment,
    example: {
      answer: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        otpauth_uri:
          'otpauth://totp/Crossfile:jane.roe%40example.org?issuer=Crossfile&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
        qr_svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 53 53"></svg>',
        expires_at: '2026-11-20T21:20:00.000Z',
      },
    },
  }),
  operation('confirm_my_factor', 'POST /api/v1/auth/totp/confirm', {
    ...mine,
    summary: 'Confirm the second factor by its first code',
    description:
      'From then on every sign-in needs a code. The answer contains ten recovery codes, only once. A wrong code is 403; at most five within 15 minutes.',
    body: TotpConfirmIn,
    answer: TotpConfirmed,
    example: {
      body: { totp_code: '287082' },
      answer: { totp_enrolled: true, recovery_codes: ['ABCD-EFGH-IJKL-MNOP'] },
    },
  }),
  operation('remove_my_factor', 'DELETE /api/v1/auth/totp', {
    ...mine,
    summary: 'Remove the second factor',
    description: `Needs a sign-in or POST /api/v1/auth/prove within the last ${proofMinutes} minutes. An administrator cannot remove it (403).`,
    success: 204,
    example: { answer: null },
  }),
  operation('post_totp_enrol', 'POST /account/security/totp/enrol', {
    ...proved,
    summary: 'Begin to set up a second factor by the form of the page',
    description: 'Takes the password and returns the page that shows the QR code and asks for the first code.',
  }),
  operation('post_totp_confirm', 'POST /account/security/totp/confirm', {
    ...posted,
    summary: 'Confirm the second factor by the form of the page',
    description: 'Takes the first code and returns the page of the recovery codes.',
    body: CodeForm,
    cost: 10,
    other_successes: sessionOver,
    example: { body: { token: formToken, totp_code: '287082' }, answer: '' },
  }),
  operation('post_totp_remove', 'POST /account/security/totp/remove', {
    ...posted,
    summary: 'Remove the second factor by the form of the page',
    description: 'Takes password and code, and redirects to the page.',
    body: ProofForm,
    cost: 10,
    success: 303,
    other_successes: [[200, 'The page again, with the errors']],
    example: {
      body: { token: formToken, password: 'tulip-kettle-brisk', totp_code: '287082' },
      answer: '',
    },
  }),
  operation('get_security_page', 'GET /account/security', {
    ...page,
    summary: 'The page of your sessions and your data',
    description: 'Lists and ends sessions, downloads all data stored about you, and queues or cancels the erasure. A page without scripts.',
    question: question({ notice: oneOf('the result of the previous form', securityNotices).optional() }),
    while_leaving: true,
    example: { answer: '' },
  }),
  operation('post_end_session', 'POST /account/security/sessions/{id}/end', {
    ...pressed,
    summary: 'End one session by the button of the page',
    description: 'Does what DELETE /api/v1/auth/sessions/{id} does, and redirects to the page.',
    question: question({ id }),
    example: { request: '/account/security/sessions/s_7Qm2xYb81LqA/end', body: { token: formToken }, answer: '' },
  }),
  operation('post_end_other_sessions', 'POST /account/security/sessions/end-others', {
    ...pressed,
    summary: 'Sign out everywhere else by the button of the page',
    description: 'Does what DELETE /api/v1/auth/sessions does, and redirects to the page.',
  }),
  operation('post_export', 'POST /account/security/export', {
    ...proved,
    summary: 'Download your data by the form of the page',
    description: 'Takes the password and returns the export as a file, or the page with the error.',
  }),
  operation('post_erase', 'POST /account/security/erase', {
    ...proved,
    summary: 'Queue the erasure of your account by the form of the page',
    description: 'Takes the password and does what POST /api/v1/user/delete does; the page shows until when it can be cancelled.',
  }),
  operation('post_keep_account', 'POST /account/security/keep', {
    ...pressed,
    summary: 'Cancel the erasure by the button of the page',
    description: 'Does what POST /api/v1/user/delete/cancel does, and redirects to the page.',
  }),
] as const
