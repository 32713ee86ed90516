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
const token = field.meta({ description: 'of the session; a field of the form' })

const SessionForm = z.strictObject({ token })
export const ProofForm = z.strictObject({ token, password: field, totp_code: field })
export const CodeForm = z.strictObject({ token, totp_code: field })
export type CodeForm = z.output<typeof CodeForm>
export type ProofForm = z.output<typeof ProofForm>

/** Messages of the page after a form redirects to it. */
const securityNotices = ['ended', 'ended_others', 'kept', 'factor_removed', 'factor_on', 'factor_expired', 'stale', 'session_over'] as const
export type SecurityNotice = (typeof securityNotices)[number]
const formToken = 'QmFzZTY0IG9mIGFuIGV4YW1wbGUgdG9rZW4gb25seQA'

export const securityOperations = [
  operation({
    ...mine,
    id: 'list_my_sessions',
    path: '/api/v1/auth/sessions',
    summary: 'Your sessions',
    description: 'Active sessions of the account, most recently used first. At most ten.',
    answer: OwnSessions,
    example: {
      request: '/api/v1/auth/sessions',
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
  operation({
    ...mine,
    id: 'end_other_sessions',
    method: 'DELETE',
    path: '/api/v1/auth/sessions',
    summary: 'Sign out everywhere else',
    description: 'Ends every session of the account except the current one.',
    success: 204,
    example: { request: '/api/v1/auth/sessions', answer: null },
  }),
  operation({
    ...mine,
    id: 'end_my_session',
    method: 'DELETE',
    path: '/api/v1/auth/sessions/{id}',
    summary: 'End one session',
    description: 'Its cookie and its token are refused from then on. 404 for a session that has ended or belongs to another account.',
    question: question({ id }),
    success: 204,
    example: { request: '/api/v1/auth/sessions/s_7Qm2xYb81LqA', answer: null },
  }),
  operation({
    ...mine,
    id: 'prove_identity',
    method: 'POST',
    path: '/api/v1/auth/prove',
    summary: 'Confirm the password again, for the export and the erasure',
    description: `The export and the erasure need a sign-in or this within the last ${proofMinutes} minutes. The answer and the cookie are a new session; the current one ends. With a second factor, totp_code is required. A wrong password or code is 403. Failures are counted for this session, so other people cannot use up the attempts.`,
    cost: 10,
    body: ProveRequest,
    answer: AuthResponse,
    example: {
      request: '/api/v1/auth/prove',
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
  operation({
    ...mine,
    id: 'get_my_factor',
    path: '/api/v1/auth/totp',
    summary: 'Whether your account has a second factor',
    description: 'Also the number of remaining recovery codes.',
    answer: OwnFactor,
    example: { request: '/api/v1/auth/totp', answer: { totp_enrolled: true, recovery_codes_left: 10 } },
  }),
  operation({
    ...mine,
    id: 'enrol_my_factor',
    method: 'POST',
    path: '/api/v1/auth/totp/enrol',
    summary: 'Begin to set up a second factor (TOTP)',
    description: `Needs a sign-in or POST /api/v1/auth/prove within the last ${proofMinutes} minutes. Nothing changes until the first code is confirmed; an existing factor is valid until then.`,
    success: 201,
    answer: OwnEnrolment,
    example: {
      request: '/api/v1/auth/totp/enrol',
      answer: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        otpauth_uri:
          'otpauth://totp/Crossfile:jane.roe%40example.org?issuer=Crossfile&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
        qr_svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 53 53"></svg>',
        expires_at: '2026-11-20T21:20:00.000Z',
      },
    },
  }),
  operation({
    ...mine,
    id: 'confirm_my_factor',
    method: 'POST',
    path: '/api/v1/auth/totp/confirm',
    summary: 'Confirm the second factor by its first code',
    description:
      'From then on every sign-in needs a code. The answer contains ten recovery codes, only once. A wrong code is 403; at most five within 15 minutes.',
    body: TotpConfirmIn,
    answer: TotpConfirmed,
    example: {
      request: '/api/v1/auth/totp/confirm',
      body: { totp_code: '287082' },
      answer: { totp_enrolled: true, recovery_codes: ['ABCD-EFGH-IJKL-MNOP'] },
    },
  }),
  operation({
    ...mine,
    id: 'remove_my_factor',
    method: 'DELETE',
    path: '/api/v1/auth/totp',
    summary: 'Remove the second factor',
    description: `Needs a sign-in or POST /api/v1/auth/prove within the last ${proofMinutes} minutes. An administrator cannot remove it (403).`,
    success: 204,
    example: { request: '/api/v1/auth/totp', answer: null },
  }),
  operation({
    ...posted,
    id: 'post_totp_enrol',
    path: '/account/security/totp/enrol',
    summary: 'Begin to set up a second factor by the form of the page',
    description: 'Takes the password and returns the page that shows the QR code and asks for the first code.',
    body: ProofForm,
    cost: 10,
    other_successes: [[303, 'To the page: the session is over, or the form belongs to another session']],
    example: { request: '/account/security/totp/enrol', body: { token: formToken, password: 'tulip-kettle-brisk' }, answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_totp_confirm',
    path: '/account/security/totp/confirm',
    summary: 'Confirm the second factor by the form of the page',
    description: 'Takes the first code and returns the page of the recovery codes.',
    body: CodeForm,
    cost: 10,
    other_successes: [[303, 'To the page: the session is over, or the form belongs to another session']],
    example: { request: '/account/security/totp/confirm', body: { token: formToken, totp_code: '287082' }, answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_totp_remove',
    path: '/account/security/totp/remove',
    summary: 'Remove the second factor by the form of the page',
    description: 'Takes password and code, and redirects to the page.',
    body: ProofForm,
    cost: 10,
    success: 303,
    other_successes: [[200, 'The page again, with the errors']],
    example: {
      request: '/account/security/totp/remove',
      body: { token: formToken, password: 'tulip-kettle-brisk', totp_code: '287082' },
      answer: '',
    },
  }),
  operation({
    ...page,
    id: 'get_security_page',
    path: '/account/security',
    summary: 'The page of your sessions and your data',
    description: 'Lists and ends sessions, downloads all data stored about you, and queues or cancels the erasure. A page without scripts.',
    question: question({ notice: oneOf('the result of the previous form', securityNotices).optional() }),
    while_leaving: true,
    example: { request: '/account/security', answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_end_session',
    path: '/account/security/sessions/{id}/end',
    summary: 'End one session by the button of the page',
    description: 'Does what DELETE /api/v1/auth/sessions/{id} does, and redirects to the page.',
    question: question({ id }),
    body: SessionForm,
    success: 303,
    example: { request: '/account/security/sessions/s_7Qm2xYb81LqA/end', body: { token: formToken }, answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_end_other_sessions',
    path: '/account/security/sessions/end-others',
    summary: 'Sign out everywhere else by the button of the page',
    description: 'Does what DELETE /api/v1/auth/sessions does, and redirects to the page.',
    body: SessionForm,
    success: 303,
    example: { request: '/account/security/sessions/end-others', body: { token: formToken }, answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_export',
    path: '/account/security/export',
    summary: 'Download your data by the form of the page',
    description: 'Takes the password and returns the export as a file, or the page with the error.',
    body: ProofForm,
    cost: 10,
    other_successes: [[303, 'To the page: the session is over, or the form belongs to another session']],
    example: { request: '/account/security/export', body: { token: formToken, password: 'tulip-kettle-brisk' }, answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_erase',
    path: '/account/security/erase',
    summary: 'Queue the erasure of your account by the form of the page',
    description: 'Takes the password and does what POST /api/v1/user/delete does; the page shows until when it can be cancelled.',
    body: ProofForm,
    cost: 10,
    other_successes: [[303, 'To the page: the session is over, or the form belongs to another session']],
    example: { request: '/account/security/erase', body: { token: formToken, password: 'tulip-kettle-brisk' }, answer: '' },
  }),
  operation({
    ...posted,
    id: 'post_keep_account',
    path: '/account/security/keep',
    summary: 'Cancel the erasure by the button of the page',
    description: 'Does what POST /api/v1/user/delete/cancel does, and redirects to the page.',
    body: SessionForm,
    success: 303,
    example: { request: '/account/security/keep', body: { token: formToken }, answer: '' },
  }),
] as const
