// Operations on what belongs to a user, by file.

import { accountOperations } from './account.ts'
import { alertOperations } from './alerts.ts'
import { developerOperations } from './developer.ts'
import { keyOperations } from './keys.ts'
import { portfolioOperations } from './portfolio.ts'
import { pushOperations } from './push.ts'
import { watchlistOperations } from './watchlist.ts'

export const userOperations = [
  ...accountOperations,
  ...alertOperations,
  ...watchlistOperations,
  ...portfolioOperations,
  ...developerOperations,
  ...keyOperations,
  ...pushOperations,
] as const
