// Administration: sign-in, lists and actions (AdminLoginIn, AdminMe and AdminToggle are the specification's records).
import { z } from 'zod'
import { NextCursor } from './answer.ts'
import { JobDefinition } from './jobs.ts'
import { Tier } from './plans.ts'
import { IncidentImpact } from './status.ts'
import { Count, Flag, GivenDay, GivenInstant, Instant, IsoDate, Text } from './values.ts'

export const AdminLoginIn = z.strictObject({
  email: z.string().min(3).max(254),
  password: z.string().min(1).max(1024),
  totp_code: z
    .string()
    .max(64)
    .nullable()
    .optional()
    .describe('six digits of the authenticator, or one of the recovery codes; needed from the enrolment on'),
})
export const AdminMe = z.strictObject({ id: Text, email: Text, tier: Tier, is_admin: Flag })
export const AdminSession = z.strictObject({
  user: AdminMe,
  totp_enrolled: Flag.describe('false: only POST /api/v1/admin/totp/enrol and /confirm are open'),
  recovery_codes_left: Count,
  proved_until: Instant.describe('until then actions on tiers, administrators and erasures are allowed; signing in again renews it'),
  expires_at: Instant.describe('latest end of the session; it also ends after 15 minutes without a request'),
})
export const AdminToggle = z.strictObject({ is_admin: z.boolean() })

export const AdminUser = z.strictObject({
  id: Text,
  email: Text,
  full_name: Text.nullable(),
  display_name: Text.nullable(),
  tier: Tier,
  billing_status: Text,
  is_active: Flag,
  is_admin: Flag,
  is_reviewer: Flag,
  email_verified: Flag,
  totp_enrolled: Flag,
  created_at: Instant,
  last_login_at: Instant.nullable(),
  erasure_requested_at: Instant.nullable(),
})
export const AdminUsers = z.strictObject({ count: Count, users: z.array(AdminUser), next_cursor: NextCursor })

export const TotpEnrolment = z.strictObject({
  secret: Text.describe('base32; shown only once'),
  otpauth_uri: Text.describe('what an authenticator reads from a QR code'),
  expires_at: Instant.describe('until then POST /api/v1/admin/totp/confirm takes its first code'),
})
export const TotpConfirmIn = z.strictObject({ totp_code: z.string().regex(/^\d{6}$/, 'expected six digits') })
export const TotpConfirmed = z.strictObject({
  totp_enrolled: Flag,
  recovery_codes: z.array(Text).describe('ten, each valid once in place of a code; shown only once'),
})

const LastRun = z.strictObject({
  run_id: Count,
  state: Text,
  at: Instant,
  rows: Count,
  release: Count.nullable(),
  error: Text.nullable(),
})
const AdminJob = z.strictObject({
  name: Text,
  title: Text,
  source: Text,
  datasets: z.array(Text),
  enabled: JobDefinition.shape.enabled.unwrap().describe('as in jobs.yaml; auto: on if the worker has the credentials that the source needs'),
  schedule: z.strictObject({ cron: Text, time_zone: Text, calendar: Text.nullable() }).nullable(),
  backfill: JobDefinition.shape.backfill,
  on: Flag.nullable().describe('whether at least one worker that is alive runs it; null if the jobs of no worker are known'),
  why_off: Text.nullable().describe('why no worker runs it; null if one does, or if the jobs of no worker are known'),
  workers: z
    .array(z.strictObject({ worker: Text, on: Flag, why_off: Text.nullable() }))
    .describe('the job on each worker: workers may have different settings'),
  next_run: Instant.nullable().describe('next time of the schedule; null without a schedule, or if the job is off'),
  last_run: LastRun.nullable(),
  dead_letters: Count,
})
export const AdminJobs = z.strictObject({
  count: Count,
  jobs: z.array(AdminJob),
  unknown_workers: Count.describe('workers that are alive and whose jobs are not known: they are starting, or of another version'),
})

export const JobRun = z.strictObject({
  run_id: Count,
  job: Text,
  partition: Text,
  backfill_id: Count.nullable(),
  attempt: Count.describe('0 is the first'),
  state: Text.describe('running, done, failed, or lost: taken over by a later attempt'),
  started_at: Instant,
  finished_at: Instant.nullable(),
  documents: Count,
  fetched: Count,
  rows: Count,
  refused: Count,
  release: Count.nullable(),
  worker: Text,
  error: Text.nullable(),
})
const BackfillLine = z.strictObject({
  backfill_id: Count,
  job: Text,
  from_date: IsoDate,
  to_date: IsoDate,
  symbols: z.array(Text).nullable(),
  requested_at: Instant,
  total: Count.describe('windows; 0 until a worker has cut the range'),
  done: Count,
  failed: Count,
  waiting: Count,
})
export const JobRuns = z.strictObject({
  job: Text,
  count: Count,
  runs: z.array(JobRun),
  backfills: z.array(BackfillLine).describe('the newest twenty of this job; on the first page only'),
  next_cursor: NextCursor,
})

export const BackfillIn = z.strictObject({
  from: GivenDay,
  to: GivenDay,
  symbols: z
    .array(z.string().min(1).max(32))
    .min(1)
    .max(500)
    .nullable()
    .optional()
    .describe('for jobs that are cut by symbol: symbols in any usual spelling, or CIKs'),
})
export const BackfillAccepted = z.strictObject({
  backfill_id: Count.describe('the same for the same job, range and symbols'),
  job: Text,
  from_date: IsoDate,
  to_date: IsoDate,
  symbols: z.array(Text).nullable(),
  state: z.enum(['asked', 'waiting']).describe('asked: a worker splits the range into windows; waiting: requested and not yet split'),
})

export const IncidentIn = z.strictObject({
  title: z.string().min(1).max(200),
  impact: IncidentImpact.default('minor'),
  body: z.string().max(4000).nullable().optional(),
  component: z.string().max(100).nullable().optional().describe('one of GET /api/v1/status'),
  started_at: GivenInstant.optional().describe('default: now'),
})
export const IncidentPatch = z.strictObject({
  published: z.literal(true).optional().describe('true: publishes a draft'),
  note: z.string().min(1).max(4000).nullable().optional().describe('a line that is added to the body'),
  impact: IncidentImpact.optional(),
  resolved: z.literal(true).optional().describe('true: it ends now; a resolved incident stays resolved'),
})

const AuditRow = z.strictObject({
  seq: Count,
  at: Instant,
  actor: Text.describe('pseudonym of a user, operator, stripe or system'),
  actor_user_id: Text.nullable().describe('the administrator with this pseudonym, if there still is one'),
  act: Text,
  subject: Text,
  details: z.record(Text, z.union([Text, z.number(), Flag, z.null()])),
  hash: Text.describe('SHA-256 over the hash before it and this row as RFC 8785 JSON, in hex'),
})
export const AuditRows = z.strictObject({ count: Count, entries: z.array(AuditRow), next_cursor: NextCursor })
