// The register: which reader takes the content of which forms. The submission's own reader (full-submission.ts) lists the filing;
// these read the documents of the submission.
import { scheduleContent } from '../beneficial-ownership/readers.ts'
import type { ContentReader } from '../filings/content-reader.ts'
import { earningsContent } from '../fundamentals/content.ts'
import { holdingsContent } from '../holdings/content.ts'
import { ownershipContent } from '../insider/content.ts'
import { offeringContent } from '../offerings/content.ts'
import { reportContent } from '../reports/content.ts'
import { riskFactorContent } from '../reports/risk-factor-content.ts'
import { transcriptContent } from '../transcripts/exhibit.ts'

export const contentReaders: readonly ContentReader[] = [
  ownershipContent,
  holdingsContent,
  scheduleContent,
  offeringContent,
  reportContent,
  earningsContent,
  riskFactorContent,
  transcriptContent,
]
