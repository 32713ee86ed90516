// Further facts for the OpenAPI description of an operation: Idempotency-Key, 409, 503. A test sends requests that produce them.
import type { Operation } from './operation.ts'

/** Operations that read Idempotency-Key: a repeated request with the same key gets the first answer again for a day. */
const keyed: ReadonlySet<string> = new Set([
  'update_me',
  'create_alert',
  'update_alert',
  'create_ipo_alert',
  'update_ipo_alert',
  'add_watchlist_item',
  'change_watchlist_item',
  'add_position',
  'replace_position',
  'import_positions',
  'process_report',
  'create_key',
  'update_key',
  'delete_my_account',
  'cancel_my_erasure',
  'register_device',
  'subscribe_push',
  'unsubscribe_push',
  'test_push',
  'attribute_referral',
  'convert_referral',
  'change_tier',
  'cancel_billing',
  'create_checkout',
  'share_chat',
  'give_assistant_feedback',
  'set_admin',
  'fulfil_account_request',
  'backfill_job',
  'open_incident',
  'change_incident',
  'create_expert_review',
  'set_reviewer',
])

/** True if an operation takes an Idempotency-Key. It can then answer 409: the request conflicts with stored state, or its key belongs to another request. */
export const takesIdempotencyKey = ({ id }: Pick<Operation, 'id'>): boolean => keyed.has(id)

/** Operations without a path parameter that can answer 404: their body or query refers to a row, a symbol or a component. */
const naming: ReadonlySet<string> = new Set([
  'list_status_history',
  'create_alert',
  'dry_run_alert',
  'annotate_moves',
  'process_report',
  'add_watchlist_item',
  'remove_device',
  'unsubscribe_push',
  'test_push',
  'attribute_referral',
  'convert_referral',
  'stream_chat',
  'check_assistant_text',
])
/** Whether an operation can answer 404: a resource of the request, or the release of the request or its cursor, does not exist. */
export const canBeMissing = ({ id, path, data, question }: Pick<Operation, 'id' | 'path' | 'data' | 'question'>): boolean =>
  path.includes('{') || data || 'cursor' in question.shape || naming.has(id)

const sessionOver = 'To the page: the session is over, or the form belongs to another session'
/** Forms of pages answer 200 with the page again if a field is wrong, or 303 to another page. By operation, its answers other than `success`. */
const others: Readonly<Record<string, readonly (readonly [status: number, description: string])[]>> = {
  post_developer_sign_in: [[200, 'The page again, with what was wrong']],
  post_developer_sign_up: [[200, 'The page again, with what was wrong']],
  post_developer_forgotten: [[200, 'The page again, with what was wrong']],
  post_developer_key: [[303, 'To the page: the session is over, or the form was sent before']],
  post_totp_enrol: [[303, sessionOver]],
  post_totp_confirm: [[303, sessionOver]],
  post_totp_remove: [[200, 'The page again, with what was wrong']],
  post_export: [[303, sessionOver]],
  post_erase: [[303, sessionOver]],
  stream_chat: [[204, 'The stream has ended, and Last-Event-ID is its last event']],
}
export const otherSuccesses = ({ id }: Pick<Operation, 'id'>): readonly (readonly [status: number, description: string])[] => others[id] ?? []

/** Whether an operation can answer 503: it reads the database or the lake, or it checks a key or a session in the database. */
export const canBeUnavailable = ({ access, served_from, cost, id }: Pick<Operation, 'access' | 'served_from' | 'cost' | 'id'>): boolean =>
  access !== 'public' || !['process', 'pure'].includes(served_from) || cost > 0 || id === 'get_readiness'
