// Statistics Canada, vectors: each value with its marks and the Eastern minute in which it was released; and the metadata of tables.

import type { Frequency } from '#schemas/macro.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { questionAt } from '../../fetch/sources/question.ts'
import { isList, isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { clockOf, notThisKind, type ObservationTable, observationTable, publicationDay, seriesOf } from './observations.ts'

type Row = { readonly [name: string]: TextJson }
const rest = 'https://www150.statcan.gc.ca/t1/wds/rest/'

/** Code set "frequency" of the service. */
const frequencies: Readonly<Record<string, Frequency>> = {
  '1': 'daily',
  '2': 'weekly',
  '6': 'monthly',
  '9': 'quarterly',
  '11': 'semiannual',
  '12': 'annual',
}
const frequencyOf = (code: string | null): Frequency | null => (code === null ? null : (frequencies[code] ?? 'other'))
/** Code sets "status" and "symbol", as the tables print them; 0 is nothing to say. */
const statuses: Readonly<Record<string, string>> = { '1': '..', '2': '0s', '3': 'A', '4': 'B', '5': 'C', '6': 'D', '7': 'E', '8': 'F', '9': '...' }
const symbols: Readonly<Record<string, string>> = { '1': 'p', '2': 'r', '3': 'x', '4': 'E', '5': 'F' }

function markOf(point: Row): string | null {
  const code = (name: string, table: Readonly<Record<string, string>>): string | null => {
    const printed = textIn(point, name)
    return printed === null || printed === '0' ? null : (table[printed] ?? `${name} ${printed}`)
  }
  const marks = [code('statusCode', statuses), code('symbolCode', symbols), code('securityLevelCode', { '1': 'x' })].filter(mark => mark !== null)
  return marks.length === 0 ? null : marks.join(' ')
}

/** `2019-01-08T08:30`, Eastern, as instant and day; empty if the service does not state it. */
function released(point: Row): Pick<Fact<'macro_observations'>, 'known_from' | 'known_basis'> & { readonly day: string | null } {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(textIn(point, 'releaseTime') ?? '')
  const [day, clock] = [publicationDay(dayOf(match?.[1])), clockOf(match?.[2])]
  return day === null || clock === null ? { day: null } : { day, known_from: instantIn('America/Toronto', day, clock), known_basis: 'published' }
}

function readVector(object: Row, table: ObservationTable, at: number): void {
  const id = textIn(object, 'vectorId')
  const points = object['vectorDataPoint']
  if (id === null || !isList(points)) {
    table.refuse('no_vector', `element ${at + 1}`, 'neither vectorId nor vectorDataPoint', null)
    return
  }
  const series = `statcan:v${id}`
  let frequency: Frequency | null = null
  let scale: string | null = null
  for (const point of points.filter(isObject)) {
    const date = dayOf(textIn(point, 'refPer'))
    if (date === null) {
      table.refuse('bad_date', series, `a value has the reference period "${String(textIn(point, 'refPer')).slice(0, 40)}"`, { ...point })
      continue
    }
    frequency ??= frequencyOf(textIn(point, 'frequencyCode'))
    scale ??= scaleOf(textIn(point, 'scalarFactorCode'))
    const { day, ...known } = released(point)
    table.add(
      { series, date, vintage: day, vintage_basis: day === null ? 'none' : 'released', status: markOf(point), ...known },
      textIn(point, 'value'),
    )
  }
  const product = textIn(object, 'productId')
  const title = textIn(object, 'SeriesTitleEn') ?? `Vector ${id}${product === null ? '' : ` of table ${tableName(product)}`}`
  table.describe(seriesOf(series, title, { frequency, scale, table_id: product === null ? null : tableName(product) }))
}

/** Code set "scalar": powers of ten. */
function scaleOf(code: string | null): string | null {
  const power = Number(code ?? 0)
  return Number.isInteger(power) && power > 0 && power <= 9 ? `10^${power}` : null
}
/** `18100004` or `1810000401` as `18-10-0004`, the way tables are quoted. */
export const tableName = (product: string): string => `${product.slice(0, 2)}-${product.slice(2, 4)}-${product.slice(4, 8)}`

function parseVectors(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isList(value)) return notThisKind(document, 'list of vectors')
  const table = observationTable(document)
  for (const [at, element] of objectsOf(value, document.url).entries()) {
    const object = element['object']
    if (textIn(element, 'status') === 'SUCCESS' && isObject(object)) readVector(object, table, at)
    else {
      const status = typeof object === 'string' ? object : isObject(object) ? (textIn(object, 'responseStatusCode') ?? '') : ''
      table.refuse('vector_failed', `element ${at + 1}`, `status ${textIn(element, 'status')}: "${status.slice(0, 120)}"`, null)
    }
  }
  return table.parsed()
}

export const statcanVectorsReader = reader('statcan.vectors', 'macro_observations', {
  reads: url => /^getDataFromVector|^getBulkVectorData|^getChangedSeriesDataFromVector/.test(ownPath(url)),
  matches: head => /^\s*\[\s*\{/.test(head) && /"vectorDataPoint"/.test(head),
  parse: parseVectors,
})
const ownPath = (url: string): string => (url.startsWith(rest) ? questionAt(url).url.slice(rest.length) : '')

function parseCube(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const elements = isList(value) ? value : [value]
  const table = observationTable(document)
  for (const [at, element] of elements.entries()) {
    const cube = isObject(element) && isObject(element['object']) ? element['object'] : element
    const product = isObject(cube) ? textIn(cube, 'productId') : null
    const title = isObject(cube) ? textIn(cube, 'cubeTitleEn') : null
    if (!isObject(cube) || product === null || title === null) {
      table.refuse('no_cube', `element ${at + 1}`, 'neither productId nor cubeTitleEn', null)
      continue
    }
    const dimensions = isList(cube['dimension']) ? cube['dimension'].filter(isObject) : []
    table.skip(
      'members_described',
      dimensions.reduce((count, each) => count + (isList(each['member']) ? each['member'].length : 0), 0),
    )
    table.describe(
      seriesOf(`statcan:${product}`, title, {
        frequency: frequencyOf(textIn(cube, 'frequencyCode')),
        observation_start: dayOf(textIn(cube, 'cubeStartDate')),
        observation_end: dayOf(textIn(cube, 'cubeEndDate')),
        last_updated: textIn(cube, 'releaseTime'),
        table_id: tableName(product),
        notes:
          dimensions
            .map(each => textIn(each, 'dimensionNameEn'))
            .filter(name => name !== null)
            .join('; ') || null,
      }),
    )
  }
  return table.parsed()
}

export const statcanCubeReader = reader('statcan.cube-metadata', 'macro_observations', {
  reads: url => ownPath(url).startsWith('getCubeMetadata'),
  matches: head => /^\s*[[{]/.test(head) && /"cubeTitleEn"/.test(head) && /"productId"/.test(head),
  parse: parseCube,
})
