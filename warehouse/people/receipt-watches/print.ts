// Formats watches and their changes for responses.
import type { Selectable } from 'kysely'
import type { WatchChannel } from '#schemas/receipt-watches.ts'
import type { ReceiptWatchTables } from './tables.ts'

export type WatchRow = Selectable<ReceiptWatchTables['receipt_watch']>
type ChangeRow = Selectable<ReceiptWatchTables['receipt_change']> & Pick<WatchRow, 'question' | 'push' | 'mail'>

/** The feed has every change of every watch. */
const channelsOf = ({ push, mail }: Pick<WatchRow, 'push' | 'mail'>): WatchChannel[] => [
  ...(push ? (['push'] as const) : []),
  ...(mail ? (['mail'] as const) : []),
  'changes',
]

export const printedWatch = (row: WatchRow): object => ({
  id: row.watch_id,
  question: row.question,
  channels: channelsOf(row),
  first_receipt_id: row.first_receipt_id,
  receipt_id: row.receipt_id,
  changes: row.changes,
  changed_at: row.changed_at,
  checked_release: row.checked_release,
  checked_at: row.checked_at,
  problem: row.problem,
  created_at: row.created_at,
})

/** Path of the page that shows a change, for links in mail and push. */
export const changePath = (before: string, after: string): string => `/r/${before}/diff/${after}`
/** Path of the operation that lists all of its values. */
const diffPath = (before: string, after: string): string => `/api/v1/data/receipts/${before}/diff/${after}`

export function printedChange(row: ChangeRow): object {
  const skipped: Readonly<Record<WatchChannel, string | null>> = { push: row.push_skipped, mail: row.mail_skipped, changes: null }
  return {
    id: row.change_id,
    position: row.position,
    watch_id: row.watch_id,
    question: row.question,
    before: { receipt_id: row.before_receipt_id, release: row.before_release, as_of: row.before_as_of },
    after: { receipt_id: row.after_receipt_id, release: row.after_release, as_of: row.after_as_of },
    found_at: row.found_at,
    count: row.count,
    reason: row.reason,
    changes: row.differences,
    causes: row.causes,
    diff: diffPath(row.before_receipt_id, row.after_receipt_id),
    page: changePath(row.before_receipt_id, row.after_receipt_id),
    channels: channelsOf(row).map(channel => ({ channel, queued: skipped[channel] === null, skipped: skipped[channel] })),
  }
}
