// The job that writes daily updates: sentences of a day from one release, the answers that they refer to signed, and both stored in
// one transaction.
import { some } from '#schemas/counts.ts'
import { addDays } from '#schemas/days.ts'
import { Upstream } from '#schemas/errors.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { type OperationId, operationOf } from '#schemas/operations.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import { easternDay } from '#warehouse/rules/arb/market-hours.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import { insertPages, type Page } from '#warehouse/store/pages.ts'
import type { Signer } from '#warehouse/store/receipts/signer.ts'
import type { UpdateAnswer } from '#warehouse/updates/ask.ts'
import { buildDay } from '#warehouse/updates/build.ts'
import { windowOf } from '#warehouse/updates/day.ts'
import { updateRules } from '#warehouse/updates/rules.ts'
import { addUpdate, newestUpdateDay } from '#warehouse/updates/store.ts'
import { type SignedDraft, type Update, writeUpdates } from '#warehouse/updates/write.ts'
import type { IngestTools } from '../../ingest/ingest.ts'
import { findSigningLogged } from '../../ingest/signing.ts'

type Tools = Pick<IngestTools, 'db' | 'writer' | 'contexts' | 'keysFolder' | 'log' | 'models'> & {
  /** Called with a line about each day. */
  readonly report?: (line: string) => void
}
export type Written = { readonly day: string; readonly slug: string; readonly revision: number }

/** Slugs that the note of a run names; of more, it has the number of each day. */
const mostNamed = 5
/** What a run wrote, for its note. */
export function noteOfUpdates(written: readonly Written[]): string {
  const named = ({ slug, revision }: Written): string => (revision === 1 ? slug : `${slug} (revision ${revision})`)
  if (written.length <= mostNamed) return written.map(named).join(', ')
  return [...Map.groupBy(written, each => each.day)]
    .map(([day, own]) => {
      const revised = own.filter(each => each.revision > 1).length
      return `${day}: ${some(own.length, 'update')}${revised === 0 ? '' : `, ${revised} of them revised`}`
    })
    .join('; ')
}

/** Days that are checked again, because a source may report them late. */
const againDays = 3
/** Days that the first run makes up. */
const firstDays = 7

/** The days that are due at an instant: those that have ended in New York, from some days before the newest update on. */
function dueDays(newest: string | null, now: string): string[] {
  const last = addDays(easternDay(now), -1)
  const first = newest === null ? addDays(last, 1 - firstDays) : addDays(newest < last ? newest : last, 1 - againDays)
  const days: string[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day)
  return days
}

/** Writes the updates of the days that are due. `now` is the data clock's instant. */
export async function writeDueUpdates(tools: Tools, now: string, signal: AbortSignal): Promise<Written[]> {
  return await writeDays(tools, dueDays(await newestUpdateDay(tools.db), now), signal)
}

/** Writes the updates of some days from the newest release. Throws `Upstream` while there is no signing key: a sentence has a receipt. */
export async function writeDays(tools: Tools, days: readonly string[], signal: AbortSignal): Promise<Written[]> {
  const { release } = await loadCatalogue(tools.db)
  if (release === 0) return []
  const written: Written[] = []
  for (const day of days) {
    signal.throwIfAborted()
    written.push(...(await writeDay(tools, day, release)))
  }
  return written
}

async function writeDay(tools: Tools, day: string, release: number): Promise<Written[]> {
  const { drafts, window } = await sentencesOf(tools, day, release)
  const answers = new Set(drafts.map(draft => draft.source)).size
  tools.report?.(
    `${day}: ${some(drafts.length, 'sentence')} from ${some(answers, 'answer')} of release ${release}${drafts.length === 0 ? '' : ', to be signed'}`,
  )
  if (drafts.length === 0) return []
  return await tools.db.transaction().execute(async trx => {
    const { signer, fault } = await findSigningLogged(trx, tools)
    if (signer === null)
      throw new Upstream(`updates of ${day} are not written, because no answer can be signed: ${fault.message}`, { hint: fault.hint })
    const { sentences, pages } = await signed(drafts, signer)
    await insertPages(trx, pages)
    const written: Written[] = []
    for (const update of writeUpdates(window, sentences, { release, rules: updateRules.id, most: updateRules.most_of_a_rule })) {
      const revision = await addUpdate(trx, update)
      if (revision !== null) written.push({ day, slug: update.slug, revision })
    }
    return written
  })
}

async function sentencesOf(tools: Tools, day: string, release: number): ReturnType<typeof buildDay> {
  const { db, writer, contexts, models } = tools
  const lake = openLake(await loadCatalogue(db), writer.connections, writer.verifier, release)
  const known = await contexts(lake, windowOf(day).until)
  return await buildDay(models ? { ...known, models } : known, day)
}

type Drafts = Awaited<ReturnType<typeof buildDay>>['drafts']
/** Each sentence with the receipt of its answer; an answer that several refer to is signed once. */
async function signed(drafts: Drafts, signer: Signer): Promise<{ readonly sentences: readonly SignedDraft[]; readonly pages: readonly Page[] }> {
  const pages = new Map<UpdateAnswer, Page>()
  for (const { source } of drafts) {
    if (pages.has(source)) continue
    const { operation, question, payload } = source
    const receipt = await signPayload(operationOf(operation as OperationId), question, payload, signer)
    pages.set(source, {
      operation,
      question: canonicalQuery(question),
      release_from: Math.max(payload.release, 1),
      as_of: payload.as_of,
      payload: payload.payload,
      receipt,
    })
  }
  const sentences = drafts.map(draft => ({ draft, receipt_id: pages.get(draft.source)?.receipt?.receipt_id as string }))
  return { sentences, pages: [...pages.values()] }
}

/** The updates of a day as written from a release, for comparison with the stored ones. Nothing is stored. */
export async function rewriteDay(tools: Tools, day: string, release: number): Promise<Update[]> {
  const { drafts, window } = await sentencesOf(tools, day, release)
  return await tools.db.transaction().execute(async trx => {
    const { signer, fault } = await findSigningLogged(trx, tools)
    if (signer === null) throw new Upstream(`updates of ${day} are not compared: ${fault.message}`, { hint: fault.hint })
    const { sentences } = await signed(drafts, signer)
    return writeUpdates(window, sentences, { release, rules: updateRules.id, most: updateRules.most_of_a_rule })
  })
}
