// What an administrator sees and steers besides jobs and quarantine: logs of runs, storage, backups, receipts and their keys, API keys, mail.
import { z } from 'zod'
import { JobRun } from './admin.ts'
import { NextCursor } from './answer.ts'
import { KeyName } from './keys.ts'
import { Tier } from './plans.ts'
import { Count, Flag, GivenInstant, Instant, Text } from './values.ts'

export const RunLog = z.strictObject({
  run: JobRun,
  count: Count,
  lines: z.array(
    z.strictObject({
      line: Count.describe('from 1, without gaps'),
      at: Instant,
      level: z.enum(['debug', 'info', 'warn', 'error']),
      message: Text,
    }),
  ),
  next_after: Count.nullable().describe('after for the following lines; null: these are the last ones so far'),
})

export const Unread = z.strictObject({
  documents: Count.describe('stored and never read, because a process ended before its commit'),
  example: Text.nullable(),
})
export const AdminStorage = z.strictObject({
  database_bytes: Count,
  tables: z
    .array(z.strictObject({ table: Text, bytes: Count, rows: Count.describe('as Postgres estimates') }))
    .describe('the twenty largest, with their indexes'),
  raw: z.array(z.strictObject({ source: Text, documents: Count, bytes: Count, newest: Instant })).describe('largest first'),
  models: z
    .array(z.strictObject({ model: Text, release: Count, as_of: Text.nullable(), rows: Count, bytes: Count, built_at: Instant, build_ms: Count }))
    .describe('the newest fifty builds'),
  unread: Unread.nullable().describe('null: no worker answered'),
  damaged: z.array(z.strictObject({ dataset: Text, sha256: Text, reason: Text, found_at: Instant })),
})

export const Backups = z.strictObject({
  place: Text.nullable().describe('null: CROSSFILE_BACKUP_TO is not set'),
  count: Count,
  backups: z
    .array(
      z.strictObject({ backup: Text, taken_at: Instant, release: Count, files: Count, bytes: Count, tables: Count, keys: Flag, crossfile: Text }),
    )
    .describe('newest first; keys: whether it has the keys folder, encrypted'),
  damaged: z.array(Text).describe('manifests that cannot be read, with the reason'),
})

const Fault = z.strictObject({ message: Text, hint: Text })
export const AdminReceipts = z.strictObject({
  receipts: Count,
  signing: z
    .strictObject({
      fault: Fault.nullable().describe('why answers are not signed; null: they are'),
      held: z.array(Text).describe('ids of the keys whose private half the worker has'),
    })
    .nullable()
    .describe('as a worker sees it; null: no worker answered'),
  waiting: Count.describe('receipts of revoked keys that a worker still has to sign again'),
  keys: z.array(
    z.strictObject({
      kid: Text,
      status: z.enum(['pending', 'active', 'retired', 'compromised']),
      valid_from: Count.nullable(),
      valid_to: Count.nullable(),
      compromised_from: Text.nullable(),
      created_at: Instant,
      receipts: Count,
    }),
  ),
  log: z.strictObject({
    origin: Text.nullable().describe('null before the first checkpoint'),
    size: Count,
    waiting: Count.describe('receipts that are not in the log yet'),
    fault: Fault.nullable(),
    keys: z.array(Text).describe('verifier keys (C2SP signed-note) for the operators of witnesses'),
    witnesses: z.array(
      z.strictObject({
        name: Text,
        url: Text,
        state: Text,
        detail: Text.nullable(),
        state_since: Instant,
        size: Count.describe('entries that it cosigned'),
        succeeded_at: Instant.nullable(),
      }),
    ),
  }),
  reproductions: z
    .array(
      z.strictObject({
        seed: Text,
        population: Count.describe('entries of the log among which the sample was drawn'),
        size: Count,
        started_at: Instant,
        ended_at: Instant.nullable(),
        equal: Count,
        different: Count,
        not_possible: Count,
      }),
    )
    .describe('the newest twenty samples of receipts whose answers were computed again'),
})

export const RotateIn = z.strictObject({
  active: z.string().min(1).max(64).nullable().describe('the key that signs now, so that a repeated request changes nothing; null: none does'),
})
export const Rotated = z.strictObject({
  state: z.enum(['sent', 'applied']).describe('sent: a worker does it; applied: it is done'),
  kid: Text.nullable().describe('the key that signs from now on'),
  retired: Text.nullable(),
  release: Count.nullable(),
})
export const RevokeIn = z.strictObject({
  from: z.union([GivenInstant, z.literal('now')]).describe('the earliest time at which another person may have had the key'),
  confirm: z.string().min(1).max(64).describe('the id of the key again: this cannot be undone'),
})
export const Revoked = z.strictObject({
  state: z.enum(['sent', 'applied']),
  kid: Text,
  from: Text,
  valid_before: Count.nullable().describe('receipts stored before: they stay valid, and a worker signs them again'),
  failing: Count.nullable().describe('receipts stored since: they fail until their answers are signed again'),
  new_key: Text.nullable().describe('the key that signs in its place; null: another key was active, or none could be made'),
  fault: Text.nullable().describe('why no new key could be made'),
})
export const LogContinued = z.strictObject({
  state: z.enum(['sent', 'applied']),
  did: z.enum(['nothing', 'accepted', 'recovered']).nullable(),
  size: Count.nullable(),
})

export const UserActive = z.strictObject({ is_active: z.boolean() })

const AnyKey = z.strictObject({
  key_id: Text,
  name: Text,
  owner: Text.nullable().describe('id of the account; null: the operator'),
  owner_email: Text.nullable(),
  last4: Text,
  tier: Tier,
  scopes: z.array(Text),
  state: z.enum(['live', 'expired', 'revoked', 'halted']).describe('halted: its account is disabled, or its erasure is queued'),
  created_at: Instant,
  expires_at: Instant.nullable(),
  revoked_at: Instant.nullable(),
  last_used_at: Instant.nullable(),
})
export const AdminKeys = z.strictObject({ count: Count, keys: z.array(AnyKey), next_cursor: NextCursor })
export const OperatorKeyIn = z.strictObject({
  name: KeyName,
  tier: Tier.exclude(['anonymous']).default('core'),
  scopes: z
    .array(z.enum(['data:read', 'market:read', 'mcp:research', 'mcp:mineral']))
    .min(1)
    .max(4)
    .default(['data:read', 'market:read']),
  expires_in_days: z.int('expected a whole number of days').min(1).max(36_500).nullable().default(365).describe('null: never'),
})
export const OperatorKey = z.strictObject({
  key: Text.nullable().describe('the text of the key, only once: null for a repeated Idempotency-Key'),
  ...AnyKey.shape,
})

export const AdminMail = z.strictObject({
  count: Count,
  sends: Flag.describe('whether a mail server is set (CROSSFILE_SMTP_URL); without one, mail waits'),
  mails: z.array(
    z.strictObject({
      mail_id: Count,
      state: z.enum(['waiting', 'sent', 'given_up']),
      to_address: Text,
      kind: Text,
      subject: Text,
      created_at: Instant,
      next_try_at: Instant,
      attempts: Count,
      sent_at: Instant.nullable(),
      given_up_at: Instant.nullable(),
      error: Text.nullable(),
    }),
  ),
  next_cursor: NextCursor,
})
export const MailRetried = z.strictObject({ mail_id: Count, state: z.literal('waiting') })

export const AuditVerified = z.strictObject({
  intact: Flag,
  broken_at: Count.nullable().describe('the first entry that does not follow from the one before'),
  entries: Count,
  head: z
    .strictObject({ seq: Count, at: Instant, hash: Text })
    .nullable()
    .describe('note it: entries that are removed at the end leave a shorter chain that is intact'),
})
