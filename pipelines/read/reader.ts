// How a reader is described: name and dataset on the first line, then how its documents are found and read.
import type { DatasetName } from '#schemas/index.ts'
import { headerOf } from './csv/body.ts'
import type { Parsed, RawDocument, Reader } from './parsed.ts'

type Described = Pick<Reader, 'reads' | 'parse' | 'parts'> &
  (
    | Pick<Reader, 'recognise'>
    | {
        /** True if a recorded file is of this kind, by its first 64 KiB as text and its path in the recorded folder. */
        readonly matches: (head: string, path: string) => boolean
      }
  )

/** A reader whose source is the first part of its name. With `matches`, the address of a recorded file is `recorded:<path>`. */
export function reader(name: `${string}.${string}`, dataset: DatasetName, described: Described): Reader {
  const recognise =
    'matches' in described ? (path: string, head: string) => (described.matches(head, path) ? `recorded:${path}` : null) : described.recognise
  const { reads, parse, parts } = described
  return { name, source: name.slice(0, name.indexOf('.')), dataset, reads, recognise, parse, ...(parts ? { parts } : {}) }
}

/** A reader of CSV files in the drop-in folder, which no address leads to: a file is identified by its header (names as `headerOf` folds them). */
export const dropInReader = (
  name: `csv.${string}`,
  dataset: DatasetName,
  matches: (header: readonly string[]) => boolean,
  parse: (document: RawDocument) => Parsed,
): Reader => reader(name, dataset, { reads: () => false, matches: head => matches(headerOf(head)), parse })
