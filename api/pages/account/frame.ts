// What the pages of an account share: the tabs, the message after an action, and the mark of a form that takes effect once.
import { randomBytes } from 'node:crypto'
import { notice } from '../components/notice.ts'
import { linkTabs, pageHead } from '../components/parts.ts'
import { type Content, type Html, html } from '../html.ts'

const tabs = [
  ['/account', 'Overview'],
  ['/account/alerts', 'Alerts'],
  ['/account/watchlist', 'Watchlist'],
  ['/account/portfolio', 'Portfolio'],
  ['/account/receipts', 'Watched answers'],
  ['/account/billing', 'Tier and billing'],
  ['/account/security', 'Security and data'],
  ['/developer', 'API keys'],
] as const
type AccountPath = (typeof tabs)[number][0]

/** Messages after an action led back to a page, by the value of the parameter `done`. */
const messages = {
  named: 'The name is changed.',
  ended: 'The sessions are ended.',
  mailed: 'A link is mailed to your address. It is valid for 30 minutes.',
  consent: 'The consent or its withdrawal is recorded.',
  watching: 'The answer is watched. If it changed since its receipt, the change is listed in a moment.',
  tier: 'The request is received. You are notified by mail when it is fulfilled.',
  channels: 'The channels of the watch are changed.',
  unwatched: 'The answer is not watched any more.',
  created: 'The alert is set. It fires once, when its condition becomes true.',
  offering: 'The alert on the offering is set.',
  changed: 'The alert is changed.',
  deleted: 'The alert is deleted.',
  added: 'The listing is on the watchlist.',
  listed: 'The import is done.',
  removed: 'The listing is off the watchlist.',
  position_added: 'The position is added.',
  position_replaced: 'The position is replaced.',
  position_removed: 'The position is removed.',
  imported: 'The positions of the CSV are added.',
} as const
type Done = keyof typeof messages
export const doneWords = Object.keys(messages) as [Done, ...Done[]]

/** Heading, tabs and the message after an action. */
export const accountHead = (title: Content, current: AccountPath, lead: Content, done: Done | undefined): Html =>
  html`${pageHead(title, lead)}
${linkTabs(
  'Pages of your account',
  tabs.map(([href, label]) => ({ label, href, current: href === current })),
)}
${done !== undefined && notice('good', messages[done], { live: true })}`

/** A hidden field that makes each rendered form take effect once, however often it is submitted. */
export const onceField = (): Html => html`<input type="hidden" name="once" value="${randomBytes(16).toString('base64url')}">`
/** The option of a call for the field. */
export const onceOf = (once: string): { readonly idempotency_key?: string } => (once === '' ? {} : { idempotency_key: `page-${once}` })
