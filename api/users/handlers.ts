// The handlers of user operations, by file.
import { developerHandlers } from '../developer/developer.ts'
import { accountHandlers } from './accounts.ts'
import { alertHandlers } from './alerts.ts'
import { keyHandlers } from './keys.ts'
import { portfolioHandlers } from './portfolio.ts'
import { pushHandlers } from './push.ts'
import type { UserTools } from './tools.ts'
import { watchlistHandlers } from './watchlist.ts'

export function userHandlers(tools: UserTools) {
  return {
    ...accountHandlers(tools),
    ...alertHandlers(tools),
    ...watchlistHandlers(tools),
    ...portfolioHandlers(tools),
    ...developerHandlers(tools),
    ...keyHandlers(tools),
    ...pushHandlers(tools),
  }
}
