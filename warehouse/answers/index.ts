// The register: operation -> its answer, collected from the files with builders. Pages, the API and reproductions all use it.
import { type Built, type Payload, type ReleaseContext, type RowOrigin, readDatasets, renderPayload } from '../context/answer.ts'
import { analystRecsAnswers } from './analyst-recs.ts'
import { arbAnswers } from './arb.ts'
import { beneficialOwnershipAnswers } from './beneficial-ownership.ts'
import { chartAnswers } from './chart.ts'
import { closesAnswers } from './closes.ts'
import { concallAnswers } from './concalls.ts'
import { corporateActionAnswers } from './corporate-actions.ts'
import { drillAnswers } from './drill.ts'
import { dualListingAnswers } from './dual-listings.ts'
import { earningsAnswers } from './earnings.ts'
import { earningsCalendarAnswers } from './earnings-calendar.ts'
import { economicCalendarAnswers } from './economic-calendar.ts'
import { eodAnswers } from './eod.ts'
import { filingDiffAnswers } from './filing-diff.ts'
import { filingSectionAnswers } from './filing-sections.ts'
import { filingValueAnswers } from './filing-values.ts'
import { filingAnswers } from './filings.ts'
import { form4Answers } from './form4.ts'
import { fundamentalsAnswers } from './fundamentals.ts'
import { holdingsAnswers } from './holdings.ts'
import { holdingsChangesAnswers } from './holdings-changes.ts'
import { holdingsIssuerAnswers } from './holdings-issuer.ts'
import { insiderClusterAnswers } from './insider-clusters.ts'
import { intradayAnswers } from './intraday.ts'
import { ipoCalendarAnswers } from './ipo-calendar.ts'
import { findBarOrigin, withUnlisted } from './listed.ts'
import { macroAnswers } from './macro.ts'
import { offeringAnswers } from './offerings.ts'
import { quoteAnswers } from './quotes.ts'
import { screenerAnswers } from './screener.ts'
import { shariaAnswers } from './sharia.ts'
import { purificationAnswers } from './sharia-purification.ts'
import { symbolAnswers } from './symbols.ts'
import { themeAnswers } from './themes.ts'
import type { Answer, Answers, AnyQuestion, QuestionOf, RequestedAt } from './types.ts'
import { withholdingAnswers } from './withholding.ts'

const answers = {
  ...arbAnswers,
  ...dualListingAnswers,
  ...themeAnswers,
  ...fundamentalsAnswers,
  ...earningsAnswers,
  ...earningsCalendarAnswers,
  ...ipoCalendarAnswers,
  ...analystRecsAnswers,
  ...symbolAnswers,
  ...quoteAnswers,
  ...eodAnswers,
  ...closesAnswers,
  ...corporateActionAnswers,
  ...chartAnswers,
  ...intradayAnswers,
  ...filingAnswers,
  ...filingSectionAnswers,
  ...filingValueAnswers,
  ...form4Answers,
  ...insiderClusterAnswers,
  ...offeringAnswers,
  ...filingDiffAnswers,
  ...beneficialOwnershipAnswers,
  ...holdingsAnswers,
  ...holdingsChangesAnswers,
  ...holdingsIssuerAnswers,
  ...screenerAnswers,
  ...economicCalendarAnswers,
  ...macroAnswers,
  ...withholdingAnswers,
  ...drillAnswers,
  ...shariaAnswers,
  ...purificationAnswers,
  ...concallAnswers,
} satisfies Answers

/** Operations that are answered from the lake. */
export type LakeOperation = keyof typeof answers
export const lakeOperationIds = Object.keys(answers) as readonly LakeOperation[]
export const isLakeOperation = (id: string): id is LakeOperation => Object.hasOwn(answers, id)

/** How an operation is answered. */
export const answerOf = (id: LakeOperation): Answer<never> => answers[id] as Answer<never>

/** The question of a request with what the request leaves open filled in, as receipts and pages name it. */
export const completeQuestion = (id: LakeOperation, question: AnyQuestion, at: RequestedAt): AnyQuestion =>
  answerOf(id).complete?.(question, at) ?? question

/** The payload of a request, or null if its subject does not exist. `now`: the instant of the request, for what the question leaves open. */
export async function buildPayload<Id extends LakeOperation>(
  id: Id,
  context: ReleaseContext,
  question: QuestionOf<Id> & { readonly as_of?: string | undefined },
  now: string,
): Promise<Payload | null> {
  const { symbol, ticker } = question as { readonly symbol?: unknown; readonly ticker?: unknown }
  const filings = new Map<string, RowOrigin>()
  const issuers = context.issuers.observed(origin => filings.set(origin.raw_sha256, origin))
  const known = await withUnlisted({ ...context, issuers }, symbol ?? ticker)
  const built = await answerOf(id).build(known, question as never, now)
  if (built === null) return null
  const asOf = question.as_of ?? null
  return renderPayload(withSymbolOrigins(built, filings, known, asOf), context.lake, asOf)
}

/**
 * The answer with the documents by which its symbol is known among its origins, and their datasets among its own: filings that gave it an
 * issuer, and a bar if no directory lists it. Its receipt is re-executed from its origins and the directories alone.
 */
function withSymbolOrigins(built: Built, filings: ReadonlyMap<string, RowOrigin>, context: ReleaseContext, asOf: string | null): Built {
  const { origins } = built
  const { lake, unlisted } = context
  return {
    ...built,
    datasets: [...new Set([...readDatasets(context, built.datasets), ...(unlisted === undefined ? [] : (['bars'] as const))])],
    origins: async () => {
      const own = typeof origins === 'function' ? await origins() : origins
      const known = new Set(own.map(each => each.raw_sha256))
      const bars = unlisted === undefined ? [] : await findBarOrigin(lake, [...unlisted], asOf)
      const more = [...filings.values(), ...bars].filter(each => !known.has(each.raw_sha256))
      return more.length === 0 ? own : [...own, ...more].sort((a, b) => (a.raw_sha256 < b.raw_sha256 ? -1 : 1))
    },
  }
}
