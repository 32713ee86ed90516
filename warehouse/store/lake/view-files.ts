// The files of a view or a macro of warehouse.duckdb, as SQL: paths relative to the data folder, in runs of keys or of one symbol.
import { dirname, relative, sep } from 'node:path'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import type { LakeFile } from './catalogue.ts'
import { bucketsOf, keyRunsOf } from './key-runs.ts'
import { lakePath } from './open.ts'

/** The SHA-256 that names a file, from its path; equal for every spelling of the path. */
export const hashInName = 'parse_filename(filename, true)'

/** A text as SQL. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
/**
 * A path as SQL: relative to the data folder, in front of which the macro data_folder() writes the folder. DuckDB resolves a relative path
 * by the folder of the process and not by that of the database file, and a table function takes no subquery, so a view cannot find the
 * file that contains it.
 */
export const inFolder = (data: string, path: string): string => `data_folder() || ${text(`/${relative(data, path).replaceAll(sep, '/')}`)}`
/** The same in front of a pattern: `*`, `?` and `[` in the path of the data folder match only themselves. */
export const inLiteralFolder = (data: string, pattern: string): string =>
  inFolder(data, pattern).replace('data_folder()', "regexp_replace(data_folder(), '([*?[])', '[\\1]', 'g')")
/** Lists of paths, as SQL, with the condition that the rows of their files meet in the order of bytes, whatever `default_collation` a session has. */
type Reads = (dataset: DatasetDefinition, files: readonly LakeFile[], data: string) => readonly { readonly list: string; readonly where: string }[]
export const everyFile: Reads = (dataset, files, data) =>
  keyRunsOf(dataset, files).map(({ files: some, limits }) => ({
    list: listOf(some, data),
    where: limits === null ? '' : ` where "${dataset.order[0]}" collate C between ${text(limits[0])} and ${text(limits[1])}`,
  }))

const pathsOf = (files: readonly LakeFile[], data: string): readonly string[] => files.map(file => inFolder(data, lakePath(data, file)))

/** More files than this are written as one text, which DuckDB splits: it takes 20 µs to plan each element of a list. */
const mostElements = 8
export function listOf(files: readonly LakeFile[], data: string): string {
  if (files.length <= mostElements) return `[${pathsOf(files, data).join(', ')}]`
  const paths = files.map(file => lakePath(data, file))
  // The folder of the dataset, which has one of each bucket.
  const folder = dirname(dirname(paths[0] as string))
  const names = paths.map(path => relative(folder, path).replaceAll(sep, '/')).join(' ')
  return `[${inFolder(data, folder)} || '/' || file for file in string_split(${text(names)}, ' ')]`
}

/** The files that can have rows of the macro's parameter `of_symbol`. */
export const filesOfSymbol: Reads = (_dataset, files, data) => [{ list: `[${pathsOfSymbol(files, data).join(', ')}]`, where: '' }]
/**
 * The paths of the files that can have rows of the macro's parameter `of_symbol`: of a run of sorted files with disjoint keys the last one
 * that begins at or before it. DuckDB opens every file of a list to read its limits, which takes 0.1 ms per file.
 */
export const pathsOfSymbol = (files: readonly LakeFile[], data: string): readonly string[] =>
  bucketsOf(files).flatMap(({ sorted, isDisjoint }) => {
    if (sorted.length === 1 || !isDisjoint || sorted.some(file => file.key_min.includes(' '))) return pathsOf(sorted, data)
    // Two texts in place of two lists: DuckDB takes 20 µs to plan each element of a list.
    const keys = text(sorted.map(file => file.key_min).join(' '))
    const names = text(sorted.map(file => file.sha256).join(''))
    const place = `greatest(1, len([k for k in string_split(${keys}, ' ') if k collate C <= of_symbol]))`
    const folder = inFolder(data, dirname(lakePath(data, sorted[0] as LakeFile)))
    return [`${folder} || '/' || substr(${names}, 64 * (${place} - 1) + 1, 64) || '.parquet'`]
  })
