// Administration: sign-in with a second factor, accounts and their requests, jobs and incidents. The audit chain records every action.
import { z } from 'zod'
import {
  AdminJobs,
  AdminLoginIn,
  AdminMe,
  AdminSession,
  AdminToggle,
  AdminUser,
  AdminUsers,
  AuditRows,
  BackfillAccepted,
  BackfillIn,
  IncidentIn,
  IncidentPatch,
  JobRuns,
  TotpConfirmed,
  TotpConfirmIn,
  TotpEnrolment,
} from '../admin.ts'
import { NextCursor } from '../answer.ts'
import { AccountRequestRow } from '../billing.ts'
import { IncidentOut } from '../status.ts'
import { Count, Flag } from '../values.ts'
import { cursor, jobName, proof, rowLimit, shared } from './admin-parameters.ts'
import { operation, question } from './operation.ts'
import { integer, oneOf, shaped, text } from './parameters.ts'

const limit = rowLimit(100)

export const adminOperations = [
  operation('admin_login', 'POST /api/v1/admin/login', {
    ...shared,
    access: 'public',
    summary: 'Signs an administrator in',
    description:
      'Sets the HttpOnly cookie service_admin, which is sent only to the paths of administration. After enrolment totp_code is required. A wrong address, password or code is the same 401. A code is accepted once, and after five wrong ones in 15 minutes none is accepted. A new session ends the administrator’s other ones.',
    body: AdminLoginIn,
    answer: AdminSession,
    example: { body: { email: 'op@example.org', password: 'seven brown otters sing', totp_code: '492039' } },
  }),
  operation('admin_logout', 'POST /api/v1/admin/logout', {
    ...shared,
    success: 204,
    summary: 'Ends the session of the administrator',
    description: 'The session and its cookie are deleted.',
  }),
  operation('get_admin_me', 'GET /api/v1/admin/me', {
    ...shared,
    summary: 'Who is signed in as administrator',
    description: 'Available before the second factor is enrolled.',
    answer: AdminMe,
  }),
  operation('enrol_totp', 'POST /api/v1/admin/totp/enrol', {
    ...shared,
    success: 201,
    summary: 'Begins the enrolment of a second factor',
    description: `TOTP of RFC 6238: SHA-1, six digits, 30 seconds. An existing factor is valid until the new one is confirmed. ${proof} The answer contains a secret, so it is not stored for an Idempotency-Key: a repeated request returns a new secret.`,
    answer: TotpEnrolment,
  }),
  operation('confirm_totp', 'POST /api/v1/admin/totp/confirm', {
    ...shared,
    summary: 'Confirms the enrolment by its first code',
    description: 'From then on signing in needs a code. Returns ten recovery codes, only once; earlier codes become invalid.',
    body: TotpConfirmIn,
    answer: TotpConfirmed,
    example: { body: { totp_code: '492039' } },
  }),
  operation('list_admin_users', 'GET /api/v1/admin/users', {
    ...shared,
    summary: 'Accounts, newest first',
    description: 'In the order of created_at, then id. query matches the beginning of an address.',
    question: question({ query: text('beginning of an address', 254, 'jane').optional(), limit, cursor }),
    answer: AdminUsers,
    rows: 'users',
    cursor_key: ['instant', 'text'],
    example: '/api/v1/admin/users?query=jane',
  }),
  operation('set_admin', 'PATCH /api/v1/admin/users/{id}/admin', {
    ...shared,
    summary: 'Grants or removes the administrator role of an account',
    description: `Administrators cannot change their own account, so at least one administrator remains. An account that loses the role is signed out of administration and loses its second factor. ${proof}`,
    question: question({ id: shaped('id of the account', /^[\w-]{1,64}$/, 'an id as the list of accounts has it', 'u_k3J0q2mXv1Zp') }),
    body: AdminToggle,
    answer: AdminUser,
    idempotency_key: true,
    example: { request: '/api/v1/admin/users/u_kTZCHfYkpWO5/admin', body: { is_admin: true } },
  }),
  operation('list_account_requests', 'GET /api/v1/admin/account-requests', {
    ...shared,
    summary: 'Changes of tiers and cancellations that users requested, newest first',
    description: 'In the order of id, the newest first.',
    question: question({ state: oneOf('which', ['open', 'fulfilled', 'all'], 'open').default('open'), limit, cursor }),
    answer: z.strictObject({ count: Count, requests: z.array(AccountRequestRow), next_cursor: NextCursor }),
    rows: 'requests',
    cursor_key: ['count'],
  }),
  operation('fulfil_account_request', 'POST /api/v1/admin/account-requests/{id}/fulfil', {
    ...shared,
    summary: 'Fulfils a request, once',
    description: `This changes the tier of the account and of its keys and notifies the user by mail. 409 conflict if it is already fulfilled, if days_until_eligible is above 0, or if the account pays through Stripe, whose event fulfils it. ${proof}`,
    question: question({ id: integer('id of the request', 1, 999_999_999_999) }),
    answer: AccountRequestRow,
    idempotency_key: true,
    example: '/api/v1/admin/account-requests/1/fulfil',
  }),
  operation('list_admin_jobs', 'GET /api/v1/admin/jobs', {
    ...shared,
    summary: 'Every job: its schedule, its next and last run, its dead letters',
    description:
      'In the order of jobs.yaml. Whether a job with enabled: auto runs depends on the settings of the workers, which record their jobs when they start.',
    answer: AdminJobs,
    rows: 'jobs',
  }),
  operation('list_job_runs', 'GET /api/v1/admin/jobs/{name}/runs', {
    ...shared,
    summary: 'Runs of a job, newest first, and its backfills',
    description: 'In the order of run_id, the newest first.',
    question: question({ name: jobName, state: oneOf('which', ['running', 'done', 'failed', 'lost', 'all'], 'all').default('all'), limit, cursor }),
    answer: JobRuns,
    rows: 'runs',
    cursor_key: ['count'],
    example: '/api/v1/admin/jobs/fx/runs?limit=2',
  }),
  operation('backfill_job', 'POST /api/v1/admin/jobs/{name}/backfill', {
    ...shared,
    success: 202,
    summary: 'Runs a job over a past range',
    description:
      'A worker splits the range into windows and runs them at a lower priority than scheduled runs. Completed windows are not repeated. The runs of the job show the progress.',
    question: question({ name: jobName }),
    body: BackfillIn,
    answer: BackfillAccepted,
    idempotency_key: true,
    example: { request: '/api/v1/admin/jobs/fx/backfill', body: { from: '2024-01-01', to: '2024-12-31' } },
  }),
  operation('list_admin_incidents', 'GET /api/v1/admin/incidents', {
    ...shared,
    summary: 'Incidents including drafts',
    description: 'Severe expert reviews open drafts, which only administrators see until PATCH with published: true. Newest first.',
    question: question({
      state: oneOf('which', ['draft', 'open', 'resolved', 'all'], 'draft').default('draft'),
      limit,
    }),
    answer: z.strictObject({ count: Count, incidents: z.array(IncidentOut.extend({ draft: Flag })) }),
    rows: 'incidents',
    example: '/api/v1/admin/incidents?state=draft',
  }),
  operation('open_incident', 'POST /api/v1/admin/incidents', {
    ...shared,
    success: 201,
    summary: 'Announces an incident or planned work',
    description: 'It appears on the status page immediately and stays open until it is resolved.',
    body: IncidentIn,
    answer: IncidentOut,
    idempotency_key: true,
    example: { body: { title: 'Quotes are late', impact: 'minor', body: 'The source answers slowly.' } },
  }),
  operation('change_incident', 'PATCH /api/v1/admin/incidents/{id}', {
    ...shared,
    summary: 'Adds to an incident, changes its impact, or resolves it',
    description: 'Omitted members keep their values.',
    question: question({ id: shaped('id of the incident', /^[\w-]{1,64}$/, 'an id as the incidents have it', 'inc_k3J0q2mXv1Zp') }),
    body: IncidentPatch,
    answer: IncidentOut,
    idempotency_key: true,
    example: { request: '/api/v1/admin/incidents/inc_a40750de728c5bc7', body: { note: 'It is fixed.', resolved: true } },
  }),
  operation('list_audit', 'GET /api/v1/admin/audit', {
    ...shared,
    summary: 'The audit chain, newest first',
    description:
      'The hash of each row covers the row before it: crossfile audit verify checks all of them. Users appear under pseudonyms, which identify no person once the account is erased. user_id finds the rows about and by one account.',
    question: question({
      user_id: shaped('about or by this account', /^[\w-]{1,64}$/, 'an id of an account', 'u_k3J0q2mXv1Zp').optional(),
      limit,
      cursor,
    }),
    answer: AuditRows,
    rows: 'entries',
    cursor_key: ['count'],
    example: '/api/v1/admin/audit?limit=2',
  }),
] as const
