// The register of pages. To add one: a file that declares it with `page`, and a line here, in the order of the navigation.
import { alertsPage } from './account/alerts.ts'
import { billingPage } from './account/billing.ts'
import { accountPage } from './account/overview.ts'
import { portfolioPage } from './account/portfolio.ts'
import { watchedReceiptsPage } from './account/receipts.ts'
import { watchlistPage } from './account/watchlist.ts'
import { answerPage } from './answer.ts'
import { assistantPage, sharedChatPage } from './assistant/assistant.ts'
import { blueSkyPage } from './calculators/blue-sky.ts'
import { calculatorsPage } from './calculators/calculators.ts'
import { delistingPage } from './calculators/delisting.ts'
import { drillPage } from './calculators/drill.ts'
import { flowThroughPage } from './calculators/flow-through.ts'
import { withholdingPage } from './calculators/withholding.ts'
import { companyPage } from './company/company.ts'
import { guidePage, nestedGuidePage } from './docs/guide.ts'
import { docsHomePage } from './docs/home.ts'
import { llmsPage } from './docs/llms.ts'
import { operationPage } from './docs/operation.ts'
import { docsSearchPage } from './docs/search.ts'
import { filingPage } from './filings/filing.ts'
import { companyInsidersPage, insidersPage } from './filings/insiders.ts'
import { riskFactorsPage } from './filings/risk-factors.ts'
import { holdersPage } from './holdings/holders.ts'
import { managerPage } from './holdings/manager.ts'
import { ownershipPage } from './holdings/ownership.ts'
import { homePage } from './home/home.ts'
import { searchPage } from './home/search.ts'
import { calendarsPage } from './market/calendars.ts'
import { macroPage, macroSeriesPage } from './market/macro.ts'
import { pairPage, pairsPage } from './market/pairs.ts'
import { screenerPage } from './market/screener.ts'
import { themesPage } from './market/themes.ts'
import { operatorCorrectionsPage } from './operator/corrections.ts'
import { operatorErasuresPage } from './operator/erasures.ts'
import { operatorIncidentsPage } from './operator/incidents.ts'
import { operatorJobPage, operatorJobsPage } from './operator/jobs.ts'
import { operatorKeysPage, operatorMailPage } from './operator/keys.ts'
import { operatorPage, operatorUpstreamsPage } from './operator/overview.ts'
import { operatorAuditPage, operatorRequestsPage, operatorUsersPage } from './operator/people.ts'
import { operatorFindingPage, operatorQuarantinePage } from './operator/quarantine.ts'
import { operatorReceiptsPage } from './operator/receipts.ts'
import { operatorRunPage } from './operator/run.ts'
import { operatorFactorPage, operatorSignInPage } from './operator/sign-in.ts'
import { operatorStoragePage } from './operator/storage.ts'
import { operatorTelemetryPage } from './operator/telemetry.ts'
import type { Page } from './page.ts'
import { callsPage } from './reading/calls.ts'
import { updatePage, updatesPage } from './reading/updates.ts'
import { receiptDiffPage } from './receipts/diff.ts'
import { receiptPage, receiptsPage } from './receipts/receipt.ts'
import { statusFeed, statusPage } from './status/status.ts'

export const pages: readonly Page[] = [
  homePage,
  searchPage,
  screenerPage,
  companyPage,
  filingPage,
  riskFactorsPage,
  insidersPage,
  companyInsidersPage,
  ownershipPage,
  managerPage,
  holdersPage,
  calendarsPage,
  macroPage,
  macroSeriesPage,
  pairsPage,
  pairPage,
  themesPage,
  calculatorsPage,
  withholdingPage,
  drillPage,
  flowThroughPage,
  blueSkyPage,
  delistingPage,
  updatesPage,
  updatePage,
  callsPage,
  receiptsPage,
  receiptPage,
  receiptDiffPage,
  statusPage,
  statusFeed,
  docsHomePage,
  docsSearchPage,
  guidePage,
  nestedGuidePage,
  operationPage,
  llmsPage,
  assistantPage,
  sharedChatPage,
  accountPage,
  alertsPage,
  watchlistPage,
  portfolioPage,
  watchedReceiptsPage,
  billingPage,
  operatorSignInPage,
  operatorFactorPage,
  operatorPage,
  operatorJobsPage,
  operatorJobPage,
  operatorRunPage,
  operatorQuarantinePage,
  operatorCorrectionsPage,
  operatorFindingPage,
  operatorUpstreamsPage,
  operatorStoragePage,
  operatorReceiptsPage,
  operatorIncidentsPage,
  operatorUsersPage,
  operatorKeysPage,
  operatorRequestsPage,
  operatorMailPage,
  operatorErasuresPage,
  operatorTelemetryPage,
  operatorAuditPage,
  answerPage,
]

/** True for pages that show HTML: the others return data, a feed, or text for programs. */
export const isShown = ({ path }: Page): boolean => !['/answer', '/status.atom', '/llms.txt'].includes(path)
