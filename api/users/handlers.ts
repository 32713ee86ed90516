// The handlers of user operations, by file.
import { keyHandlers } from './keys.ts'
import type { UserTools } from './tools.ts'

export function userHandlers(tools: UserTools) {
  return { ...keyHandlers(tools) }
}
