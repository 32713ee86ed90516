// The handlers of user operations, by file.
import { keyHandlers } from './keys.ts'
import { pushHandlers } from './push.ts'
import type { UserTools } from './tools.ts'
import { watchlistHandlers } from './watchlist.ts'

export function userHandlers(tools: UserTools) {
  return { ...watchlistHandlers(tools), ...keyHandlers(tools), ...pushHandlers(tools) }
}
