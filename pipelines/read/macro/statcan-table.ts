// Statistics Canada, whole tables: the CSV of a table, the CSV that describes it, and the zip with both. A table has every vector and no
// day of release; its values are known from the retrieval.
import { Unreadable } from '#schemas/errors.ts'
import type { Frequency } from '#schemas/macro.ts'
import { archiveCaps } from '../../fetch/sources/recorded.ts'
import { ArchiveFault, readZip, zipBytes } from '../../fetch/sources/unzip.ts'
import { columnName, csvCells, csvRows, headerOf, isObject, jsonOf, type TableRow, textIn } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import { nothing, type Parsed, type RawDocument, type Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { notThisKind, type ObservationTable, observationTable, periodStart, seriesOf } from './observations.ts'
import { tableName } from './statcan.ts'

const needed = ['refdate', 'geo', 'vector', 'value'] as const
/** Columns that are the same in every table; the others are its dimensions. */
const fixed = new Set([
  ...['refdate', 'dguid', 'uom', 'uomid', 'scalarfactor', 'scalarid', 'vector', 'coordinate', 'value', 'status', 'symbol', 'terminated', 'decimals'],
])
const productIn = (url: string): string | null => /(?:^|[^\d])(\d{8})(?:-eng|_MetaData)?(?:\.csv|\.zip|$)/i.exec(url)?.[1] ?? null

function describe(table: ObservationTable, series: string, cells: TableRow['cells'], product: string | null): void {
  const title = Object.entries(cells)
    .filter(([name, cell]) => !fixed.has(name) && cell !== '')
    .map(([, cell]) => cell)
    .join('; ')
  const scale = cells['scalarfactor']?.trim() ?? ''
  table.describe(
    seriesOf(series, title || series, {
      units: cells['uom'] || null,
      scale: scale === '' || scale === 'units' ? null : scale,
      table_id: product === null ? null : tableName(product),
    }),
  )
}

function parseTable(document: RawDocument): Parsed {
  const table = observationTable(document)
  const product = productIn(document.url)
  const described = new Set<string>()
  for (const { cells, at } of csvRows(document, needed)) {
    const id = /^v\d{1,12}$/i.exec(cells['vector'] ?? '')?.[0]?.toLowerCase()
    const date = periodStart(cells['refdate'] ?? null)
    if (id === undefined || date === null || dayOf(date) === null) {
      const detail = `line ${at} has vector "${cells['vector']}" and period "${cells['refdate']}", expected v and digits, and a year, month or day`
      table.refuse(id === undefined ? 'no_vector' : 'bad_date', id ?? `line ${at}`, detail, { ...cells })
      continue
    }
    const series = `statcan:${id}`
    if (!described.has(series)) describe(table, series, cells, product)
    described.add(series)
    const marks = [cells['status'], cells['symbol'], cells['terminated'] === 't' ? 't' : ''].filter(mark => mark !== undefined && mark !== '')
    table.add({ series, date, vintage: null, vintage_basis: 'none', status: marks.length === 0 ? null : marks.join(' ') }, cells['value'] ?? null)
  }
  return table.parsed()
}

export const statcanTableReader = reader('statcan.table', 'macro_observations', {
  reads: () => false, // comes in a zip, or as a file
  matches: head => needed.every(name => headerOf(head).includes(name)),
  parse: parseTable,
})

const words: Readonly<Record<string, Frequency>> = {
  daily: 'daily',
  weekly: 'weekly',
  monthly: 'monthly',
  quarterly: 'quarterly',
  annual: 'annual',
}
/** The first two lines describe the table; what follows, its dimensions, members, symbols and notes, is counted. */
function parseMetadata(document: RawDocument): Parsed {
  const [header, first, ...others] = csvCells(document)
  const names = (header?.cells ?? []).map(columnName)
  const cell = (name: string): string | null => first?.cells[names.indexOf(columnName(name))]?.trim() || null
  const [title, product] = [cell('Cube Title'), cell('Product Id')]
  if (title === null || product === null) return notThisKind(document, 'Cube Title and Product Id')
  const table = observationTable(document)
  table.skip('lines_of_description', others.length)
  table.describe(
    seriesOf(`statcan:${product}`, title, {
      frequency: words[(cell('Frequency') ?? '').toLowerCase()] ?? (cell('Frequency') === null ? null : 'other'),
      observation_start: dayOf(cell('Start Reference Period')),
      observation_end: dayOf(cell('End Reference Period')),
      table_id: tableName(product),
      notes: cell('Archive Status'),
    }),
  )
  return table.parsed()
}

export const statcanMetadataReader = reader('statcan.table-metadata', 'macro_observations', {
  reads: () => false,
  matches: head => ['cubetitle', 'productid'].every(name => headerOf(head).includes(name)),
  parse: parseMetadata,
})

/** The address of a table: the zip is the job's next request. */
export const statcanTableAddressReader = reader('statcan.table-address', 'macro_observations', {
  reads: url => url.startsWith('https://www150.statcan.gc.ca/t1/wds/rest/getFullTableDownloadCSV/'),
  matches: head => /^\s*\{\s*"status"\s*:\s*"SUCCESS"\s*,\s*"object"\s*:\s*"https:[^"]{1,200}\.zip"/.test(head),
  parse: document => {
    const value = jsonOf(document)
    const address = isObject(value) ? textIn(value, 'object') : null
    if (address === null || !/^https:\/\/www150\.statcan\.gc\.ca\/[\w./-]{1,200}\.zip$/.test(address))
      return notThisKind(document, 'address of a zip')
    return { ...nothing, follow: [address] }
  },
})

/** The zip of a table, member by member. */
export const statcanZipReader = reader('statcan.table-zip', 'macro_observations', {
  reads: url => /^https:\/\/www150\.statcan\.gc\.ca\/n1\/tbl\/csv\/\d{8}-(?:eng|fra)\.zip$/.test(url),
  recognise: () => null, // a recorded folder is unpacked before it is read
  parse: document => {
    throw new Unreadable('read_in_parts', `${document.url}: a zip is read member by member`)
  },
  parts: async function* (document) {
    const refused: Refused[] = []
    const hold = (name: string, reason: string, detail: string): void => {
      refused.push({
        dataset: 'macro_observations',
        reason,
        subject: name.slice(0, 200),
        detail: `${document.url}: ${name.slice(0, 200)}: ${detail}`,
        record: null,
      })
    }
    try {
      for await (const { name, bytes } of readZip(zipBytes(document.body), archiveCaps, member => hold(member.name, member.reason, member.detail))) {
        const member = { ...document, body: bytes, url: `${document.url}#${name}` }
        yield /metadata/i.test(name) ? parseMetadata(member) : parseTable(member)
      }
    } catch (error) {
      if (error instanceof ArchiveFault) throw new Unreadable(error.reason, `${document.url}: ${error.message}`, { cause: error })
      throw error
    }
    if (refused.length > 0) yield { ...nothing, refused }
  },
})
