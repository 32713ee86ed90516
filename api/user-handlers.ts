// The handlers of user operations, by file.

import { accountPageHandlers } from './developer/account-pages.ts'
import { developerHandlers } from './developer/developer.ts'
import { securityPageHandlers } from './developer/security-page.ts'
import { telemetryHandlers } from './telemetry/telemetry.ts'
import { accountHandlers } from './users/accounts.ts'
import { adminHandlers } from './users/admin.ts'
import { adminCorrectHandlers } from './users/admin-correct.ts'
import { adminJobHandlers } from './users/admin-jobs.ts'
import { adminOperateHandlers } from './users/admin-operate.ts'
import { adminPrivacyHandlers } from './users/admin-privacy.ts'
import { adminReceiptHandlers } from './users/admin-receipts.ts'
import { adminSteerHandlers } from './users/admin-steer.ts'
import { alertHandlers } from './users/alerts.ts'
import { billingHandlers } from './users/billing.ts'
import { captureHandlers } from './users/capture.ts'
import { expertReviewHandlers } from './users/expert-reviews.ts'
import { keyHandlers } from './users/keys.ts'
import { portfolioHandlers } from './users/portfolio.ts'
import { privacyHandlers } from './users/privacy.ts'
import { pushHandlers } from './users/push.ts'
import { receiptWatchHandlers } from './users/receipt-watches.ts'
import { referralHandlers } from './users/referrals.ts'
import { secondFactorHandlers } from './users/second-factor.ts'
import { securityHandlers } from './users/security.ts'
import type { UserTools } from './users/tools.ts'
import { watchlistHandlers } from './users/watchlist.ts'

export function userHandlers(tools: UserTools) {
  return {
    ...accountHandlers(tools),
    ...accountPageHandlers(tools),
    ...securityHandlers(tools),
    ...secondFactorHandlers(tools),
    ...securityPageHandlers(tools),
    ...alertHandlers(tools),
    ...receiptWatchHandlers(tools),
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
    ...adminOperateHandlers(tools),
    ...adminReceiptHandlers(tools),
    ...adminCorrectHandlers(tools),
    ...adminPrivacyHandlers(tools),
    ...adminSteerHandlers(tools),
    ...expertReviewHandlers(tools),
  }
}
