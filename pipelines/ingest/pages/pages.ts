// After a commit, rebuilds and signs the pages of everything that it touched, in the same transaction
// (warehouse/answers/paged.ts defines which those are).

import { NotFound, Upstream } from '#schemas/errors.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { buildPayload, type LakeOperation } from '#warehouse/answers/index.ts'
import { type ChangedRows, distinct, type PageQuestion, pagedOperation, pagedOperations } from '#warehouse/answers/paged.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import type { Payload, ReleaseContext } from '#warehouse/context/answer.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import type { Page } from '#warehouse/store/pages.ts'
import type { Signer } from '#warehouse/store/receipts/signer.ts'

/** Above this number, the pages of one operation are only marked as changed, and each is built when it is first requested. */
const builtAtOnce = 1000
/** One per connection: DuckDB can run several small queries at a time. */
const builtTogether = 4

type Query = { readonly operation: LakeOperation; readonly question: PageQuestion }

const operations = new Map(lakeOperations.map(operation => [operation.id as string, operation]))

/** True if a batch has rows from which pages are made. */
export const touchesPages = (rows: ChangedRows): boolean => pagedOperations.some(paged => paged.from.some(name => (rows.get(name)?.length ?? 0) > 0))

/** The questions whose pages a batch changes. */
export function changedQuestions(rows: ChangedRows, context: ReleaseContext): Query[] {
  return pagedOperations.flatMap(({ operation, from, changed }) =>
    from.some(name => (rows.get(name)?.length ?? 0) > 0) ? changed(rows, context).map(question => ({ operation, question })) : [],
  )
}

/** Marks the pages of a release as changed without building them: each is built when it is first requested. */
export const markPages = (requested: readonly Query[], release: number, committedAt: string): Page[] =>
  requested.map(({ operation, question }) => ({
    operation,
    question: canonicalQuery(question),
    release_from: release,
    as_of: committedAt,
    payload: null,
    receipt: null,
  }))

/** Builds and signs the pages of a release; `context` is at that release. */
export async function buildPages(
  requested: readonly Query[],
  whole: ReleaseContext,
  release: number,
  committedAt: string,
  signer: Signer,
): Promise<Page[]> {
  if (requested.length === 0) return []
  return await whole.lake.holding(
    partsOf(requested, whole),
    async lake => await buildAll(requested, { ...whole, lake }, release, committedAt, signer),
  )
}

type Parts = { -readonly [D in keyof Parameters<Lake['holding']>[0]]: readonly string[] }
/** The rows that the pages of a batch are built from, read once for all of them. Nothing is read for pages that are only marked. */
function partsOf(requested: readonly Query[], context: ReleaseContext): Parts {
  const parts: Parts = {}
  for (const { operation, parts: read } of pagedOperations) {
    const questions = requested.filter(each => each.operation === operation).map(each => each.question)
    if (!read || questions.length === 0 || questions.length > atOnce(operation)) continue
    for (const [name, keys] of Object.entries(read(questions, context)) as [keyof Parts, readonly string[]][])
      if (keys.length > 0) parts[name] = distinct([...(parts[name] ?? []), ...keys])
  }
  return parts
}

async function buildAll(requested: readonly Query[], context: ReleaseContext, release: number, committedAt: string, signer: Signer): Promise<Page[]> {
  const counts = new Map<string, number>()
  for (const { operation } of requested) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  const pages: Page[] = []
  for (let from = 0; from < requested.length; from += builtTogether) {
    const built = await Promise.all(
      requested.slice(from, from + builtTogether).map(async ({ operation, question }): Promise<Page | null> => {
        const common = { operation, question: canonicalQuery(question), release_from: release, as_of: committedAt }
        if ((counts.get(operation) ?? 0) > atOnce(operation)) return { ...common, payload: null, receipt: null }
        const answer = await answered(operation, question, context, committedAt)
        // A page that can no longer be built replaces the previous one, so that the client gets the reason.
        if (answer === 'not_made') return { ...common, payload: null, receipt: null }
        return answer && { ...common, payload: answer.payload, receipt: await signPayload(definitionOf(operation), question, answer, signer) }
      }),
    )
    pages.push(...built.filter(page => page !== null))
  }
  return pages
}

const definitionOf = (id: string): { readonly id: string; readonly method: string; readonly path: string } => {
  const found = operations.get(id)
  if (!found || !pagedOperation(id as LakeOperation)) throw new TypeError(`no paged operation ${id}`)
  return found
}
const atOnce = (operation: LakeOperation): number => pagedOperation(operation)?.atOnce ?? builtAtOnce
async function answered(
  operation: LakeOperation,
  question: PageQuestion,
  context: ReleaseContext,
  now: string,
): Promise<Payload | null | 'not_made'> {
  try {
    return await buildPayload(operation, context, question as never, now)
  } catch (error) {
    if (error instanceof NotFound || error instanceof Upstream) return 'not_made'
    throw error
  }
}
