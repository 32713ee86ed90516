// Changes of watched answers and their notices, in one transaction with the new answer of the watch: after a crash, each change is stored
// once with all of its notices, or not at all.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { AnswerCause, ChangedValue, ReceiptDiff } from '#schemas/receipt-diff.ts'
import { keptCauses, keptChanges, keptDifferences, noticesOfDay } from '#schemas/receipt-watches.ts'
import { causeText } from '../../answers/receipt-diff/cause-text.ts'
import type { Db } from '../../store/postgres.ts'
import { enqueueMails, type Mail } from '../mail/enqueue.ts'
import { enqueuePush } from '../push/send.ts'
import { changePath } from './print.ts'

/** Bytes of differing values that a change keeps. */
const keptBytes = 32 * 1024
/** Values that a mail lists. */
const mailedValues = 5
/** Characters of a value in a mail. */
const mailedLength = 120

export type ChangeTools = {
  readonly now: string
  /** The service's public address, without a trailing slash; empty if not configured. */
  readonly baseUrl: string
  readonly crashPoint: (name: string) => void
}

type Taken = { readonly watch_id: string; readonly user_id: string; readonly question: string; readonly push: boolean; readonly mail: boolean }
type Reader = { readonly email: string; readonly verified: boolean }

/** The same change has the same id on every attempt, and so do its mail and its push. */
const changeId = (watchId: string, afterReceiptId: string): string =>
  `c_${hash('sha256', `${watchId}\n${afterReceiptId}`, 'buffer').toString('base64url').slice(0, 20)}`

/**
 * Writes the change of some watches of one question, in the caller's transaction, except for watches that were deleted or have another
 * answer by now. `release`: the one that gave the new answer. Returns the number of changes.
 */
export async function writeChanges(
  trx: Db,
  watchIds: readonly string[],
  difference: ReceiptDiff,
  { datasets, release }: { readonly datasets: readonly string[]; readonly release: number },
  tools: ChangeTools,
): Promise<number> {
  await trx.selectFrom('receipt_change_turn').select('one').forUpdate().execute()
  const { rows: taken } = await sql<Taken>`
    update receipt_watch set receipt_id = ${difference.after.receipt_id}, checked_release = ${release}, checked_at = ${tools.now}::timestamptz,
      datasets = ${[...datasets]}::text[], problem = null, changes = changes + 1, changed_at = ${tools.now}::timestamptz
    where watch_id = any(${[...watchIds]}::text[]) and receipt_id = ${difference.before.receipt_id} and checked_release < ${release}
    returning watch_id, user_id, question, push, mail`.execute(trx)
  tools.crashPoint('watches-taken')
  if (taken.length === 0) return 0
  const readers = await readersOf(
    trx,
    taken.map(each => each.user_id),
  )
  const kept = keptOf(difference)
  const often = await findOften(
    trx,
    taken.map(each => each.watch_id),
    tools.now,
  )
  const mails: Mail[] = []
  const rows = []
  for (const watch of taken) {
    const reader = readers.get(watch.user_id)
    const skipped = often.has(watch.watch_id) ? `more than ${noticesOfDay} changes in 24 hours: see the feed` : null
    if (watch.mail && reader?.verified && skipped === null) mails.push(mailOf(watch, reader.email, difference, tools.baseUrl))
    const pushed = watch.push && skipped === null ? await push(trx, watch, difference) : 0
    rows.push({
      change_id: changeId(watch.watch_id, difference.after.receipt_id),
      watch_id: watch.watch_id,
      user_id: watch.user_id,
      before_receipt_id: difference.before.receipt_id,
      before_release: difference.before.release,
      before_as_of: difference.before.as_of,
      after_receipt_id: difference.after.receipt_id,
      after_release: difference.after.release,
      after_as_of: difference.after.as_of,
      found_at: tools.now,
      count: difference.count,
      reason: difference.reason,
      ...kept,
      mail_skipped: watch.mail ? (skipped ?? (reader?.verified ? null : 'the address is not verified')) : null,
      push_skipped: watch.push ? (skipped ?? (pushed > 0 ? null : 'no browser is registered')) : null,
    })
  }
  await trx.insertInto('receipt_change').values(rows).execute()
  await enqueueMails(trx, mails)
  await removeOldest(
    trx,
    taken.map(each => each.watch_id),
  )
  tools.crashPoint('watches-written')
  return rows.length
}

async function readersOf(trx: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, Reader>> {
  const rows = await trx
    .selectFrom('app_user')
    .select(['user_id', 'email', 'email_verified_at'])
    .where('user_id', 'in', [...new Set(userIds)])
    .execute()
  return new Map(rows.map(row => [row.user_id, { email: row.email, verified: row.email_verified_at !== null }]))
}

/** The first differing values and causes, within the bounds; a value names only causes that are kept. */
function keptOf({ changes, causes }: ReceiptDiff): { readonly differences: string; readonly causes: string } {
  const kept: ChangedValue[] = []
  let bytes = 0
  for (const change of changes.slice(0, keptDifferences)) {
    bytes += Buffer.byteLength(JSON.stringify(change))
    if (bytes > keptBytes) break
    kept.push({ ...change, causes: change.causes.filter(at => at < keptCauses) })
  }
  return { differences: JSON.stringify(kept), causes: JSON.stringify(causes.slice(0, keptCauses)) }
}

/** The watches that changed as often within a day as mail and push may report. */
async function findOften(trx: Db, watchIds: readonly string[], now: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ watch_id: string }>`
    select watch_id from receipt_change where watch_id = any(${[...watchIds]}::text[]) and found_at > ${now}::timestamptz - interval '24 hours'
    group by watch_id having count(*) >= ${noticesOfDay}`.execute(trx)
  return new Set(rows.map(each => each.watch_id))
}

async function removeOldest(trx: Db, watchIds: readonly string[]): Promise<void> {
  await sql`delete from receipt_change c using (
      select change_id, row_number() over (partition by watch_id order by position desc) as place
      from receipt_change where watch_id = any(${[...watchIds]}::text[])
    ) as ranked where ranked.change_id = c.change_id and ranked.place > ${keptChanges}`.execute(trx)
}

const dedupeKey = ({ watch_id }: Taken, { after }: ReceiptDiff): string => `answer ${changeId(watch_id, after.receipt_id)}`
const values = (count: number): string => (count === 1 ? '1 value differs' : `${count} values differ`)
const summary = ({ reason, count }: ReceiptDiff): string => (reason === null ? values(count) : `the values were not compared: ${reason}`)

function push(trx: Db, watch: Taken, difference: ReceiptDiff): Promise<number> {
  const { before, after } = difference
  return enqueuePush(trx, {
    user_id: watch.user_id,
    dedupe_key: dedupeKey(watch, difference),
    title: 'An answer changed',
    body: `${watch.question.slice(0, 200)}: ${summary(difference)}, release ${before.release} to ${after.release}.`,
    url: changePath(before.receipt_id, after.receipt_id),
  })
}

const short = (value: string | null): string =>
  value === null ? '(absent)' : value.length > mailedLength ? `${value.slice(0, mailedLength)}…` : value

/** One line for each of the first values, with what caused it. */
function lines({ changes, causes, count }: ReceiptDiff): string {
  const listed = changes.slice(0, mailedValues).map(({ path, before, after, causes: at }) => {
    const why = at.map(index => causes[index]).filter((cause): cause is AnswerCause => cause !== undefined)
    return `  ${path}: ${short(before)} -> ${short(after)}${why.length === 0 ? '' : `\n      ${why.map(causeText).join('; ')}`}`
  })
  const named = new Set(changes.flatMap(change => change.causes))
  const whole = causes.filter((_, at) => !named.has(at)).slice(0, mailedValues)
  return [
    ...listed,
    ...(count > mailedValues ? [`  and ${count - mailedValues} more`] : []),
    ...(whole.length === 0 ? [] : ['Of the answer as a whole:', ...whole.map(cause => `  ${causeText(cause)}`)]),
  ].join('\n')
}

function mailOf(watch: Taken, to_address: string, difference: ReceiptDiff, baseUrl: string): Mail {
  const { before, after } = difference
  const link = `${baseUrl}${changePath(before.receipt_id, after.receipt_id)}`
  return {
    dedupe_key: dedupeKey(watch, difference),
    user_id: watch.user_id,
    to_address,
    kind: 'answer_changed',
    subject: 'An answer that you watch changed',
    body: `${watch.question}\n\nRelease ${before.release} to ${after.release}: ${summary(difference)}.\n${lines(difference)}\n\nThe difference: ${link}\nThe receipt of before: ${before.receipt_id}\nThe receipt of now: ${after.receipt_id}\n\nYour watches: ${baseUrl}/account/receipts\nThis is research data, not advice.\n`,
  }
}
