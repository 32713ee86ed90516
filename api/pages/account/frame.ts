// What the pages of an account share: the tabs, and the message after an action.
import { tabbedPages } from '../components/tabbed-pages.ts'

const pages = tabbedPages(
  'Pages of your account',
  {
    '/account': 'Overview',
    '/account/alerts': 'Alerts',
    '/account/watchlist': 'Watchlist',
    '/account/portfolio': 'Portfolio',
    '/account/receipts': 'Watched answers',
    '/account/billing': 'Tier and billing',
    '/account/security': 'Security and data',
    '/developer': 'API keys',
  },
  {
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
  },
)
export const { done } = pages
export const accountHead = pages.head
