// Operations on what belongs to a user, by file.
import { keyOperations } from './keys.ts'
import { pushOperations } from './push.ts'
import { watchlistOperations } from './watchlist.ts'

export const userOperations = [...watchlistOperations, ...keyOperations, ...pushOperations] as const
