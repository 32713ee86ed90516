// Operations on what belongs to a user, by file.
import { keyOperations } from './keys.ts'
import { watchlistOperations } from './watchlist.ts'

export const userOperations = [...watchlistOperations, ...keyOperations] as const
