// The handlers of user operations, by file.
import type { UserTools } from './tools.ts'

export function userHandlers(_tools: UserTools) {
  return {}
}
