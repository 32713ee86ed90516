// Lake files read by their sorted copies. A copy has the rows of one file, so a release is read from the copies of its files, and from the
// files that have none: the same rows in either case. A copy that is damaged, or that a bucket has and cannot send now, is not used; its file
// is read instead.
import { existsSync } from 'node:fs'
import type { DatasetDefinition, SortedCopy } from '#schemas/dataset.ts'
import { Damaged, StoreUnavailable } from '#schemas/errors.ts'
import type { LakeFile } from './catalogue.ts'
import { type Proof, proofOf, proofOfAll } from './proof.ts'
import { columnList, fileRelation, type Relation } from './relation.ts'
import type { Expected, Verified, Verifier } from './verifier.ts'

/** The copies of files, by the SHA-256 of the file; files without a copy are missing from the map. */
export type FindCopies = (copy: SortedCopy, files: readonly LakeFile[]) => Promise<ReadonlyMap<string, Expected>>

/** The dataset with the columns of the copy only. */
export const copiedColumns = (dataset: DatasetDefinition, copy: SortedCopy): DatasetDefinition => ({
  ...dataset,
  columns: dataset.columns.filter(({ name }) => copy.columns.includes(name)),
})

/** The rows of files, each read from its copy if there is a whole one. Only the columns of the copy exist. */
export async function copiedRelation(
  dataset: DatasetDefinition,
  copy: SortedCopy,
  files: readonly LakeFile[],
  verifier: Verifier,
  find: FindCopies,
): Promise<Relation> {
  const narrow = copiedColumns(dataset, copy)
  const known = await find(copy, files)
  const copies = new Map<string, Verified>()
  let isAway = false
  for (const file of files) {
    const expected = known.get(file.sha256)
    // Each attempt at a bucket that is away takes seconds.
    if (expected === undefined || (isAway && !existsSync(expected.path))) continue
    const whole = await openWhole(verifier, expected)
    if (whole === 'away') isAway = true
    else if (whole !== null) copies.set(file.sha256, whole)
  }
  const others = files.filter(file => !copies.has(file.sha256))
  const verified = await Promise.all(others.map(file => verifier.open(file)))
  const proof = proofOfAll([{ proof: proofOf(verifier, verified) }, { proof: proofOfCopies(verifier, [...copies.values()]) }])
  const own = fileRelation(
    narrow,
    others.map((file, at) => ({ path: verified[at]?.path as string, fresh_release: file.fresh_release, lacks: file.lacks })),
  )
  if (copies.size === 0) return { ...own, proof }
  // The name distinguishes the parameters of the two relations.
  const named = { ...narrow, name: copy.name }
  const copied = fileRelation(
    named,
    [...copies.values()].map(({ path }) => ({ path, fresh_release: null, lacks: [] })),
  )
  if (others.length === 0) return { ...copied, proof }
  const columns = columnList(narrow)
  return {
    sql: `(select ${columns} from ${own.sql} union all select ${columns} from ${copied.sql})`,
    parameters: { ...own.parameters, ...copied.parameters },
    proof,
  }
}

/** The copy if its content is as expected; null if it is damaged or missing, which the verifier reports; `away`: its bucket does not answer. */
async function openWhole(verifier: Verifier, expected: Expected): Promise<Verified | null | 'away'> {
  try {
    return await verifier.openPath(expected)
  } catch (error) {
    if (error instanceof Damaged) return null
    if (error instanceof StoreUnavailable) return 'away'
    throw error
  }
}

/** Copies that turn out damaged make the read repeat, without them: their files have the same rows. */
function proofOfCopies(verifier: Verifier, copies: readonly Verified[]): Proof {
  const proof = proofOf(verifier, copies)
  let whole = true
  return {
    confirm: async () => whole && (await proof.confirm()),
    async recheck() {
      try {
        await proof.recheck()
      } catch (error) {
        if (!(error instanceof Damaged)) throw error
        whole = false
      }
    },
  }
}
