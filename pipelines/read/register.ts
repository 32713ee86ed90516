// The register: which readers read which documents, most particular first.

import { barReaders } from './bars/readers.ts'
import { beneficialOwnershipReaders } from './beneficial-ownership/readers.ts'
import { bulkReaders } from './bulk/readers.ts'
import { businessActivityReaders } from './business-activities/drop-in.ts'
import { calendarReaders } from './calendars/readers.ts'
import { corporateActionReaders } from './corporate-actions/readers.ts'
import { correctionReaders } from './corrections/document.ts'
import { dualListingReaders } from './dual-listings/drop-in.ts'
import { economicCalendarReaders } from './economic-calendar/readers.ts'
import { filingReaders } from './edgar/readers.ts'
import { errorPageReaders } from './error-pages/error-page.ts'
import { fundamentalsReaders } from './fundamentals/company-facts.ts'
import { fxReaders } from './fx/readers.ts'
import { holdingsReaders } from './holdings/readers.ts'
import { insiderReaders } from './insider/readers.ts'
import { intradayReaders } from './intraday/readers.ts'
import { macroReaders } from './macro/readers.ts'
import type { Reader } from './parsed.ts'
import { quoteReaders } from './quotes/readers.ts'
import { symbolReaders } from './symbols/readers.ts'
import { transcriptReaders } from './transcripts/readers.ts'
import { venueReaders } from './venues/polygon.ts'

export const readers: readonly Reader[] = [
  ...correctionReaders,
  ...bulkReaders,
  ...holdingsReaders,
  ...insiderReaders,
  ...beneficialOwnershipReaders,
  ...filingReaders,
  ...fundamentalsReaders,
  ...symbolReaders,
  ...venueReaders,
  ...fxReaders,
  ...macroReaders,
  ...economicCalendarReaders,
  ...dualListingReaders,
  ...businessActivityReaders,
  ...calendarReaders,
  ...corporateActionReaders,
  ...quoteReaders,
  ...intradayReaders,
  ...transcriptReaders,
  ...barReaders,
  ...errorPageReaders,
]
