// The handlers of user operations, by file.
import { developerHandlers } from '../developer/developer.ts'
import { telemetryHandlers } from '../telemetry/telemetry.ts'
import { accountPageHandlers } from './account-pages.ts'
import { accountHandlers } from './accounts.ts'
import { adminHandlers } from './admin.ts'
import { adminJobHandlers } from './admin-jobs.ts'
import { alertHandlers } from './alerts.ts'
import { billingHandlers } from './billing.ts'
import { captureHandlers } from './capture.ts'
import { keyHandlers } from './keys.ts'
import { portfolioHandlers } from './portfolio.ts'
import { privacyHandlers } from './privacy.ts'
import { pushHandlers } from './push.ts'
import { referralHandlers } from './referrals.ts'
import { secondFactorHandlers } from './second-factor.ts'
import { securityHandlers } from './security.ts'
import { securityPageHandlers } from './security-page.ts'
import type { UserTools } from './tools.ts'
import { watchlistHandlers } from './watchlist.ts'

export function userHandlers(tools: UserTools) {
  return {
    ...accountHandlers(tools),
    ...accountPageHandlers(tools),
    ...securityHandlers(tools),
    ...secondFactorHandlers(tools),
    ...securityPageHandlers(tools),
    ...alertHandlers(tools),
    ...watchlistHandlers(tools),
    ...portfolioHandlers(tools),
    ...developerHandlers(tools),
    ...keyHandlers(tools),
    ...privacyHandlers(tools),
    ...pushHandlers(tools),
    ...telemetryHandlers(tools),
    ...captureHandlers(tools),
    ...referralHandlers(tools),
    ...billingHandlers(tools),
    ...adminHandlers(tools),
    ...adminJobHandlers(tools),
  }
}
