// What an administrator sees and steers of the running service: processes, storage, keys, upstreams, quarantine, dead letters.
import { z } from 'zod'
import { NextCursor } from './answer.ts'
import { Count, Flag, GivenDay, Instant, IsoDate, Text } from './values.ts'

const DatasetHeld = z.strictObject({
  dataset: Text,
  state: z.enum(['ok', 'stale', 'never', 'no_limit']).describe('no_limit: no job with a freshness target feeds it'),
  rows: Count.describe('every stored version counts'),
  files: Count,
  bytes: Count,
  newest: Text.nullable().describe('the latest time covered by a row'),
  changed_at: Instant.nullable(),
  loaded_at: Instant.nullable(),
  limit_minutes: Count.nullable(),
  jobs: z.array(Text),
})
const SigningKey = z.strictObject({
  kid: Text,
  status: Text,
  valid_from: Count.nullable(),
  valid_to: Count.nullable(),
  compromised_from: Text.nullable(),
  created_at: Instant,
  receipts: Count,
})
export const AdminOverview = z.strictObject({
  at: Instant,
  processes: z.strictObject({ workers: Count, apis: Count }),
  release: z.strictObject({ release: Count, committed_at: Instant, job: Text, partition: Text }).nullable(),
  data_clock: Instant.nullable().describe('the present instant for market data in an installation of the bundled universe'),
  disk: z.strictObject({ free_bytes: Count, total_bytes: Count }).nullable().describe('of the data folder; null if it cannot be read'),
  raw: z.strictObject({ documents: Count, bytes: Count }),
  queue: z.strictObject({ waiting: Count, running: Count, retrying: Count, dead: Count }),
  quarantine: z.strictObject({ held: Count }),
  signing_keys: z.array(SigningKey),
  api_keys: z.strictObject({ live: Count, expired: Count, revoked: Count, owners: Count }),
  users: z.strictObject({ total: Count, verified: Count, administrators: Count, leaving: Count }),
  datasets: z.array(DatasetHeld),
  damaged: z.array(z.strictObject({ dataset: Text, sha256: Text, reason: Text, found_at: Instant })),
})

export const UpstreamStops = z.strictObject({
  count: Count,
  upstreams: z.array(
    z.strictObject({
      name: Text.describe('group of hosts that share a limit'),
      stopped_until: Text.nullable().describe('an instant; infinity: until it is lifted; null: it is not stopped'),
      reason: Text.nullable(),
      failing_since: Instant.nullable(),
      failures: Count.describe('in a row'),
    }),
  ),
})
export const LiftIn = z.strictObject({ name: z.string().min(1).max(200).describe('as GET /api/v1/admin/upstreams lists it') })
export const Lifted = z.strictObject({ name: Text, stopped_until: Text.nullable(), reason: Text.nullable() })

const Finding = z.strictObject({
  id: Count,
  dataset: Text,
  reason: Text,
  subject: Text,
  detail: Text,
  source: Text,
  raw_sha256: Text,
  url: Text,
  held_at: Instant,
  state: z.enum(['held', 'released', 'rejected']),
  decided_at: Instant.nullable(),
  note: Text.nullable(),
})
export const QuarantineList = z.strictObject({
  count: Count,
  groups: z
    .array(z.strictObject({ dataset: Text, reason: Text, state: Text, count: Count, newest: Instant }))
    .describe('all findings that match, counted by dataset and reason'),
  findings: z.array(Finding),
  next_cursor: NextCursor,
})
/** Characters of a document that an administrator sees next to the reasons. */
export const shownCharacters = 60_000
export const QuarantineFinding = z.strictObject({
  ...Finding.shape,
  record: z.record(Text, z.unknown()).nullable().describe('the row as it was read; null if none was read'),
  document: z
    .strictObject({
      url: Text,
      source: Text,
      retrieved_at: Instant,
      bytes: Count,
      sha256: Text,
      reader: Text.nullable(),
      release: Count.nullable(),
      text: Text.nullable().describe(`the first ${shownCharacters} characters; null if it is not text, or cannot be read`),
      whole: Flag.describe('whether text is the whole document'),
    })
    .nullable(),
})
export const DecisionIn = z.strictObject({
  decision: z.enum(['released', 'rejected']),
  note: z.string().max(900).nullable().optional(),
})
export const DecisionOut = z.strictObject({
  id: Count,
  decision: z.enum(['released', 'rejected']),
  state: z.enum(['sent', 'applied']).describe('sent: a worker applies it; applied: the document was read again'),
  release: Count.nullable().describe('the release that has the new rows; null: none follows, or the decision is not applied yet'),
  rows: z.record(Text, Count),
  newly_held: Count.describe('findings that first appear in this reading'),
})

const Cost = z.strictObject({
  route: Text,
  from: IsoDate.nullable(),
  to: IsoDate.nullable(),
  requests: Count,
  bytes: Count,
  hours: z.number().min(0),
})
export const BackfillCost = z.strictObject({
  job: Text,
  from_date: IsoDate,
  to_date: IsoDate,
  symbols: z.array(Text).nullable(),
  windows: Count,
  off: Text.nullable().describe('why the worker does not run this job; null: it runs it'),
  routes: z
    .array(z.strictObject({ ...Cost.shape, note: Text }))
    .describe('every route with its cost over the part of the range that it covers; empty if the job has only one way'),
  taken: z.array(Cost).describe('the routes that the backfill takes'),
})

export const RunIn = z.strictObject({
  date: GivenDay.nullable().optional().describe('default: today'),
  symbols: z.array(z.string().min(1).max(32)).min(1).max(500).nullable().optional().describe('for jobs that are cut by symbol'),
})
export const RunAccepted = z.strictObject({
  job: Text,
  partition: Text,
  joined: Flag.describe('true: the same run was waiting or running already'),
})

export const DeadLetters = z.strictObject({
  count: Count,
  dead_letters: z.array(
    z.strictObject({
      id: Text,
      job: Text,
      partition: Text,
      backfill_id: Count.nullable(),
      since: Instant,
      attempts: Count.nullable(),
      reason: Text,
    }),
  ),
})
export const RedriveIn = z.strictObject({
  ids: z.array(z.uuid()).min(1).max(1000).nullable().optional().describe('default: all of them'),
})
export const Redriven = z.strictObject({ redriven: Count })
