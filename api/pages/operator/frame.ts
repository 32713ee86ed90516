// What the operator's pages share: the tabs, the message after an action, sizes and times.
import type { OperationError } from '#schemas/operation-calls.ts'
import { duration } from '../components/format.ts'
import { badge, missing, notice } from '../components/notice.ts'
import { tabbedPages } from '../components/tabbed-pages.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome } from '../page.ts'

const pages = tabbedPages(
  'Pages of the operator',
  {
    '/operator': 'Overview',
    '/operator/jobs': 'Jobs',
    '/operator/quarantine': 'Quarantine',
    '/operator/corrections': 'Corrections',
    '/operator/upstreams': 'Upstreams',
    '/operator/storage': 'Storage',
    '/operator/receipts': 'Receipts',
    '/operator/incidents': 'Incidents',
    '/operator/users': 'Users',
    '/operator/keys': 'API keys',
    '/operator/requests': 'Requests',
    '/operator/mail': 'Mail',
    '/operator/erasures': 'Erasures',
    '/operator/telemetry': 'Telemetry',
    '/operator/audit': 'Audit',
  },
  {
    lifted: 'The stop is lifted. The next job or request asks the upstream again.',
    redriven: 'The dead letters are back in their queues.',
    sent: 'The run was sent to the worker.',
    joined: 'The same run is waiting or running already.',
    backfill: 'The backfill was requested. A worker splits it into windows and runs them at a lower priority.',
    opened: 'The incident is announced on the status page.',
    changed: 'The incident is changed.',
    applied: 'The decision is applied: the document was read again.',
    decided: 'The decision was sent to a worker, which reads the document again.',
    corrected: 'The correction is applied. Answers of earlier releases keep the value before.',
    granted: 'The role of the account is changed.',
    disabled: 'The account is disabled: its sessions have ended, and its keys stopped.',
    enabled: 'The account is enabled.',
    factor_removed: 'The second factor is removed, and the holder is notified by mail.',
    reviewer: 'The permission to write expert reviews is changed.',
    key_revoked: 'The key is revoked.',
    mail_due: 'The mail is due now.',
    rotated: 'Answers are signed by a new key from now on.',
    revoked: 'The key is revoked. A worker signs its earlier receipts again.',
    continued: 'The receipt log continues.',
    requested: 'The worker does it as soon as it can. Load the page again to see the result.',
    fulfilled: 'The request is fulfilled, and the user is notified by mail.',
  },
)
export const { done } = pages
/** Heading, tabs and the message after an action. */
export const operatorHead = (
  title: Content,
  current: Parameters<typeof pages.head>[1],
  { lead, done: action }: { readonly lead?: Content; readonly done?: Parameters<typeof pages.head>[3] } = {},
): Html => pages.head(title, current, lead, action)

type Refused = { readonly ok: false; readonly status: number; readonly error: OperationError }
/** Why a section is empty; without a second factor, the way to set it up. */
export const refused = (outcome: Refused, what: string): Html =>
  needsFactor(outcome)
    ? notice(
        'warn',
        html`<p><strong>Set up a second factor first.</strong> Administration opens when it is confirmed. <a href="/operator/second-factor">Set it up</a></p>`,
      )
    : needsProof(outcome)
      ? notice('warn', html`<p><strong>${what} needs a sign-in of the last 15 minutes.</strong> <a href="/operator/sign-in">Sign in again</a></p>`)
      : missing(outcome, what)
export const needsFactor = ({ status, error }: Refused): boolean => status === 403 && error.detail.includes('second factor')
const needsProof = ({ status, error }: Refused): boolean => status === 403 && error.detail.includes('last 15 minutes')

/** The answer as HTML, or why it is missing. */
export const opened = <A>(outcome: Outcome<A>, what: string, show: (value: A) => Content): Content =>
  outcome.ok ? show(outcome.value) : refused(outcome, what)

export const jobPath = (name: string): string => `/operator/jobs/${encodeURIComponent(name)}`
export const runPath = (run: number): string => `/operator/runs/${run}`
const runTones = { done: 'good', failed: 'bad', lost: 'warn', running: 'info' } as const
export const runBadge = (state: string): Html => badge(state, runTones[state as keyof typeof runTones] ?? 'plain')

/** Bytes as people read them. */
export function size(bytes: number): string {
  const units = [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ] as const
  const [scale, unit] = units.find(([from]) => bytes >= from) ?? [1, 'B']
  return `${(bytes / scale).toFixed(scale === 1 ? 0 : 1)}\u00a0${unit}`
}

/** How long ago or ahead an instant is, with the instant as its title. */
export function relative(at: string, now: Date): Html {
  const seconds = Math.round((Date.parse(at) - now.getTime()) / 1000)
  const exact = `${at.slice(0, 19).replace('T', ' ')} UTC`
  const words = Math.abs(seconds) < 5 ? 'now' : seconds < 0 ? `${duration(-seconds)} ago` : `in ${duration(seconds)}`
  return html`<time datetime="${at}" title="${exact}">${words}</time>`
}
