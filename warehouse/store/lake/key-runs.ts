// Files of a dataset in runs of neighbouring keys. DuckDB opens every file of a list to read its limits; a run with its limits in the
// statement is left out as a whole.
import type { DatasetDefinition } from '#schemas/dataset.ts'
import type { LakeFile } from './catalogue.ts'
import { compareKeys } from './key-order.ts'

/** `limits`: the least and the greatest key of the files; null if they are not known, or would leave out too little. */
export type KeyRun = { readonly files: readonly LakeFile[]; readonly limits: readonly [string, string] | null }

/** Fewer files are opened faster than a statement of many parts is planned. */
const fewestFiles = 64

/** The files of each bucket in the order of their keys, and whether no two of them can have the same key. */
export const bucketsOf = (files: readonly LakeFile[]): readonly { readonly sorted: readonly LakeFile[]; readonly isDisjoint: boolean }[] =>
  [...Map.groupBy(files, file => file.bucket).values()].map(bucket => {
    const sorted = sortedByKey(bucket)
    const isDisjoint = sorted.every(({ key_min }, at) => at === 0 || compareKeys(sorted[at - 1]?.key_max as string, key_min) < 0)
    return { sorted, isDisjoint }
  })
const sortedByKey = (files: readonly LakeFile[]): LakeFile[] => files.toSorted((a, b) => compareKeys(a.key_min, b.key_min))

/** All files, in about as many runs as each has files. Files of a few days have keys of the whole dataset: they are one run without limits. */
export function keyRunsOf(dataset: DatasetDefinition, files: readonly LakeFile[]): readonly KeyRun[] {
  const key = dataset.columns.find(column => column.name === dataset.order[0])
  // Limits are compared as text, and a row without a key is within none.
  const comparable = key?.type === 'VARCHAR' && !key.nullable
  const narrow = comparable ? bucketsOf(files).flatMap(({ sorted, isDisjoint }) => (sorted.length > 1 && isDisjoint ? sorted : [])) : []
  if (narrow.length < fewestFiles) return [{ files, limits: null }]
  const sorted = sortedByKey(narrow)
  const size = Math.ceil(Math.sqrt(sorted.length))
  const runs: KeyRun[] = []
  for (let at = 0; at < sorted.length; at += size) {
    const some = sorted.slice(at, at + size)
    const last = some.reduce((greatest, { key_max }) => (compareKeys(key_max, greatest) > 0 ? key_max : greatest), '')
    runs.push({ files: some, limits: [some[0]?.key_min as string, last] })
  }
  const taken = new Set(narrow)
  const wide = files.filter(file => !taken.has(file))
  return wide.length === 0 ? runs : [...runs, { files: wide, limits: null }]
}
