// Every operation that is answered from the lake, by file. Pages, signatures and reproductions refer only to these.
import { beneficialOwnershipOperations } from './beneficial-ownership.ts'
import { calendarOperations } from './calendars.ts'
import { concallOperations } from './concalls.ts'
import { crossBorderOperations } from './cross-border.ts'
import { dataOperations } from './data.ts'
import { drillOperations } from './drill.ts'
import { filingDiffOperations } from './filing-diff.ts'
import { filingValueOperations } from './filing-values.ts'
import { fundamentalsOperations } from './fundamentals.ts'
import { holdingsOperations } from './holdings.ts'
import { insiderClusterOperations } from './insider-clusters.ts'
import { intradayOperations } from './intraday.ts'
import { macroOperations } from './macro.ts'
import { marketOperations } from './market.ts'
import { offeringOperations } from './offerings.ts'
import { referenceOperations } from './reference.ts'
import { screenerOperations } from './screener.ts'
import { shariaOperations } from './sharia.ts'
import { themeOperations } from './themes.ts'
import { withholdingOperations } from './withholding.ts'

export const lakeOperations = [
  ...referenceOperations,
  ...marketOperations,
  ...macroOperations,
  ...intradayOperations,
  ...calendarOperations,
  ...dataOperations,
  ...holdingsOperations,
  ...filingValueOperations,
  ...insiderClusterOperations,
  ...filingDiffOperations,
  ...beneficialOwnershipOperations,
  ...fundamentalsOperations,
  ...offeringOperations,
  ...screenerOperations,
  ...crossBorderOperations,
  ...themeOperations,
  ...withholdingOperations,
  ...drillOperations,
  ...shariaOperations,
  ...concallOperations,
] as const
