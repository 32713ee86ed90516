// The register of stored pages: for each operation with pages, its standard request, and the requests whose answers a batch of rows
// changes. The pipeline builds pages by it and the API serves by it; every other request is answered from the lake.
import { answerOf, type LakeOperation, lakeOperationIds } from './index.ts'
import type { StoredPage } from './paged/stored-page.ts'

export { distinct } from './paged/changed.ts'
export type { ChangedRows, PageQuestion } from './paged/stored-page.ts'

export type PagedOperation = StoredPage & { readonly operation: LakeOperation }
export const pagedOperations: readonly PagedOperation[] = lakeOperationIds.flatMap(operation => {
  const { page } = answerOf(operation)
  return page ? [{ operation, ...page }] : []
})

const byOperation = new Map(pagedOperations.map(paged => [paged.operation, paged]))
/** How the pages of an operation are requested and built; undefined if it has none. */
export const pagedOperation = (id: LakeOperation): PagedOperation | undefined => byOperation.get(id)
