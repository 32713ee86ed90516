// What the sort keys in cursors hold, by operation. A cursor carries a check sum and no secret, so a client can make one; what it holds is
// checked like every other input before a statement reads it.
import { outsideDays } from './days.ts'
import { isCalendarDay } from './values.ts'

/** `instant`: a moment within the supported days. `day`: a calendar day. `count`: a whole number from 0. `text`: any text. */
type Part = 'instant' | 'day' | 'count' | 'text'
const alert: readonly Part[] = ['instant', 'text']

/** An operation that is not listed compares its keys in memory, where every value has a place in the order. */
const keys: Readonly<Record<string, readonly Part[]>> = {
  get_13f_changes: ['count'],
  get_13f_issuer: ['count'],
  get_13f_manager: ['count'],
  get_filing_diff: ['count'],
  get_form4: ['instant', 'text', 'count'],
  get_intraday: ['instant'],
  get_macro_series: ['text'],
  list_13f_managers: ['text'],
  list_account_requests: ['count'],
  list_activist_13d: ['instant', 'text'],
  list_admin_users: ['instant', 'text'],
  list_alert_firings: alert,
  list_alerts: alert,
  list_arb_pairs: ['text'],
  list_audit: ['count'],
  list_dual_listings: ['text'],
  list_expert_reviews: ['instant', 'text'],
  list_ipo_alerts: alert,
  list_job_runs: ['count'],
  list_my_consent: ['count'],
  list_passive_13g: ['instant', 'text'],
  list_positions: ['count'],
  list_symbols: ['text'],
  list_themes: ['text'],
  run_screener: ['text'],
  search_concalls: ['count', 'day', 'text', 'text', 'count'],
}
/** Largest `count`: ids and places in lists are far below, and it fits every integer column. */
const mostCount = 2_147_483_647

/** Whether the sort key of a cursor is one that the operation makes. */
export function isKeyOf(operation: string, key: readonly unknown[]): boolean {
  const parts = keys[operation]
  if (key.some(part => typeof part === 'string' && (part.includes('\u0000') || !part.isWellFormed()))) return false
  return parts === undefined || (parts.length === key.length && parts.every((part, at) => fits[part](key[at])))
}
const fits: Readonly<Record<Part, (value: unknown) => boolean>> = {
  text: value => typeof value === 'string',
  day: value => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isCalendarDay(value),
  count: value => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= mostCount,
  instant: value =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d(:?\d\d)?)?$/.test(value) && isWithin(value),
}
function isWithin(text: string): boolean {
  const ms = Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))
  return !Number.isNaN(ms) && outsideDays(ms) === null
}
