// Operations on a user's data, by file.

import { accountOperations } from './account.ts'
import { accountPageOperations } from './account-pages.ts'
import { adminOperations } from './admin.ts'
import { adminCorrectOperations } from './admin-correct.ts'
import { adminOperateOperations } from './admin-operate.ts'
import { adminPrivacyOperations } from './admin-privacy.ts'
import { adminSteerOperations } from './admin-steer.ts'
import { alertOperations } from './alerts.ts'
import { assistantOperations } from './assistant.ts'
import { billingOperations } from './billing.ts'
import { captureOperations } from './capture.ts'
import { developerOperations } from './developer.ts'
import { expertReviewOperations } from './expert-reviews.ts'
import { keyOperations } from './keys.ts'
import { portfolioOperations } from './portfolio.ts'
import { privacyOperations } from './privacy.ts'
import { pushOperations } from './push.ts'
import { receiptWatchOperations } from './receipt-watches.ts'
import { referralOperations } from './referrals.ts'
import { securityOperations } from './security.ts'
import { telemetryOperations } from './telemetry.ts'
import { watchlistOperations } from './watchlist.ts'

export const userOperations = [
  ...accountOperations,
  ...accountPageOperations,
  ...securityOperations,
  ...alertOperations,
  ...receiptWatchOperations,
  ...watchlistOperations,
  ...portfolioOperations,
  ...developerOperations,
  ...keyOperations,
  ...privacyOperations,
  ...pushOperations,
  ...telemetryOperations,
  ...captureOperations,
  ...referralOperations,
  ...billingOperations,
  ...assistantOperations,
  ...adminOperations,
  ...adminOperateOperations,
  ...adminSteerOperations,
  ...adminCorrectOperations,
  ...adminPrivacyOperations,
  ...expertReviewOperations,
] as const
