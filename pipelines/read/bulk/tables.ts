// The tables of a data set of the SEC's: tab-separated, one line a row, the first line its columns, joined by accession number.
// A table stays the bytes that it came as, with the places of each filing's lines; rows become text when their filing's turn comes.
import { Unreadable } from '#schemas/errors.ts'
import { ArchiveFault, type RefusedMember, readZip, zipBytes } from '../../fetch/sources/unzip.ts'

export type Row = { readonly cell: (column: string) => string | null }
export type Table = {
  readonly columns: readonly string[]
  /** The accession numbers in order of first occurrence. */
  readonly accessions: () => Iterable<string>
  readonly rowsOf: (accession: string) => Row[]
  readonly count: (accession: string) => number
  /** Lines that have another number of cells than the heading, by number and text. */
  readonly misshapen: readonly { readonly line: number; readonly text: string }[]
}

/** INFOTABLE.tsv of a 13F data set is about 400 MB. */
const caps = { members: 200, memberBytes: 1_073_741_824, totalBytes: 2_147_483_648, ratio: 200 }
const accessionColumn = 'ACCESSION_NUMBER'
const listedLines = 100

/**
 * The named tables of a data set. Throws `Unreadable`: a data set with a missing or damaged table is refused completely, since a
 * filing's rows are spread over several of them.
 */
export async function openTables<N extends string>(
  subject: string,
  bytes: Uint8Array,
  required: readonly N[],
  optional: readonly N[] = [],
): Promise<Record<N, Table>> {
  const wanted = new Set<string>([...required, ...optional])
  const tables = new Map<string, Table>()
  const fault = (member: RefusedMember): void => {
    throw new Unreadable(
      `archive_${member.reason}`,
      `${subject}: member ${JSON.stringify(member.name.slice(0, 80))}: ${member.detail}; the data set is refused whole`,
    )
  }
  try {
    for await (const { name, bytes: body } of readZip(zipBytes(bytes), caps, fault, name => wanted.has(tableName(name)))) {
      tables.set(tableName(name), indexTable(`${subject}: ${name}`, body))
    }
  } catch (cause) {
    if (!(cause instanceof ArchiveFault)) throw cause
    throw new Unreadable(`archive_${cause.reason}`, `${subject}: ${cause.message}`, { cause })
  }
  for (const name of required) {
    if (!tables.has(name)) throw new Unreadable('table_missing', `${subject}: has no ${name}.tsv`)
  }
  for (const name of optional) if (!tables.has(name)) tables.set(name, noTable)
  return Object.fromEntries(tables) as Record<N, Table>
}

const tableName = (member: string): string =>
  member
    .slice(member.lastIndexOf('/') + 1)
    .replace(/\.tsv$/i, '')
    .toUpperCase()
const noTable: Table = { columns: [], accessions: () => [], rowsOf: () => [], count: () => 0, misshapen: [] }

/** Finds the lines of each filing in one pass over the bytes. */
function indexTable(subject: string, bytes: Uint8Array): Table {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? 3 : 0
  const headEnd = lineEnd(buffer, start)
  const columns = textAt(buffer, start, headEnd)
    .split('\t')
    .map(name => name.trim().toUpperCase())
  const accessionAt = columns.indexOf(accessionColumn)
  if (accessionAt < 0) throw new Unreadable('column_missing', `${subject}: no column ${accessionColumn}`)
  const places = new Map<string, number[]>()
  const misshapen: { line: number; text: string }[] = []
  for (let at = headEnd + 1, line = 2; at < buffer.length; line += 1) {
    const end = lineEnd(buffer, at)
    if (end > at && buffer[at] !== 0x0d) {
      const accession = cellAt(buffer, at, end, accessionAt, columns.length)
      if (accession === null) {
        if (misshapen.length < listedLines) misshapen.push({ line, text: textAt(buffer, at, Math.min(end, at + 300)) })
      } else {
        const lines = places.get(accession)
        if (lines) lines.push(at)
        else places.set(accession, [at])
      }
    }
    at = end + 1
  }
  const numbers = new Map(columns.map((name, index) => [name, index]))
  const rowAt = (at: number): Row => {
    const cells = textAt(buffer, at, lineEnd(buffer, at)).split('\t')
    return {
      cell: column => {
        const index = numbers.get(column)
        return index === undefined ? null : cells[index]?.trim() || null
      },
    }
  }
  return {
    columns,
    accessions: () => places.keys(),
    rowsOf: accession => (places.get(accession) ?? []).map(rowAt),
    count: accession => places.get(accession)?.length ?? 0,
    misshapen,
  }
}

function lineEnd(buffer: Buffer, from: number): number {
  const end = buffer.indexOf(10, from)
  return end < 0 ? buffer.length : end
}
function textAt(buffer: Buffer, from: number, to: number): string {
  return buffer.toString('utf8', from, to > from && buffer[to - 1] === 0x0d ? to - 1 : to)
}

/** The text of one cell; null if the line has another number of cells than the heading. */
function cellAt(buffer: Buffer, from: number, to: number, wanted: number, columns: number): string | null {
  let start = from
  let cell = 0
  let found: string | null = null
  for (let at = from; at <= to; at += 1) {
    if (at < to && buffer[at] !== 9) continue
    if (cell === wanted) found = buffer.toString('latin1', start, at).trim()
    cell += 1
    start = at + 1
  }
  return cell === columns && /^\d{10}-\d\d-\d{6}$/.test(found ?? '') ? found : null
}

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
/** A day as in the data sets, `05-MAR-2024`, as `2024-03-05`; other text unchanged, for its reader to refuse; null for an empty cell. */
export function dataSetDay(text: string | null): string | null {
  const match = /^(\d{1,2})-([A-Za-z]{3})-(\d{4})$/.exec(text ?? '')
  const month = match ? months.indexOf((match[2] ?? '').toUpperCase()) + 1 : 0
  if (!match || month === 0) return text
  return `${match[3]}-${String(month).padStart(2, '0')}-${(match[1] ?? '').padStart(2, '0')}`
}
