// FRED's metadata of series and releases. Descriptions of series are kept. Vintage days, release descriptions and tables of contents
// are only counted: the days are on the observations, and the rest is not a figure.

import type { Frequency } from '#schemas/macro.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { isList, isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { nothing } from '../parsed.ts'
import { reader } from '../reader.ts'
import { notThisKind, observationTable, seriesOf } from './observations.ts'

const frequencies: Readonly<Record<string, Frequency>> = {
  D: 'daily',
  W: 'weekly',
  BW: 'other',
  M: 'monthly',
  Q: 'quarterly',
  SA: 'semiannual',
  A: 'annual',
}
const api = 'https://api.stlouisfed.org/fred/'
const member = (head: string, name: string): boolean => new RegExp(`"${name}"\\s*:`).test(head)

function objectIn(document: RawDocument): { readonly [name: string]: TextJson } {
  const value = jsonOf(document)
  return isObject(value) ? value : notThisKind(document, 'object')
}

/** The sentences of a series' notes that concern rights. */
export function copyrightIn(notes: string | null): string | null {
  const sentences = (notes ?? '')
    .slice(0, 20_000)
    .split(/(?<=[.!])\s+|\n+/)
    .filter(sentence => /copyright|©|all rights reserved|permission/i.test(sentence))
  return sentences.length === 0 ? null : sentences.join(' ').slice(0, 1000)
}

function parseSeries(document: RawDocument): Parsed {
  const value = objectIn(document)
  if (!isList(value['seriess'])) return notThisKind(document, 'member seriess')
  const table = observationTable(document)
  for (const row of objectsOf(value['seriess'], document.url)) {
    const [id, title] = [textIn(row, 'id'), textIn(row, 'title')]
    if (id === null || title === null) {
      table.refuse('no_id', 'series', 'a series without id or title', { ...row })
      continue
    }
    const notes = textIn(row, 'notes')
    table.describe(
      seriesOf(`fred:${id}`, title, {
        units: textIn(row, 'units'),
        frequency: frequencies[textIn(row, 'frequency_short') ?? ''] ?? 'other',
        seasonal_adjustment: textIn(row, 'seasonal_adjustment'),
        observation_start: dayOf(textIn(row, 'observation_start')),
        observation_end: dayOf(textIn(row, 'observation_end')),
        last_updated: textIn(row, 'last_updated'),
        notes,
        copyright: copyrightIn(notes),
      }),
    )
  }
  return table.parsed()
}

/** A reader that inspects a document and counts its content. */
const counted = (name: string, path: RegExp, has: string, count: string, lengthOf: (value: TextJson | undefined) => number | null): Reader =>
  reader(`fred.${name}`, 'macro_observations', {
    reads: url => url.startsWith(api) && path.test(url.slice(api.length)),
    matches: head => /^\s*\{\s*"(?:realtime_start|release_id)"/.test(head) && member(head, has),
    parse: document => {
      const length = lengthOf(objectIn(document)[has])
      return length === null ? notThisKind(document, `member ${has}`) : { ...nothing, skipped: { [count]: length } }
    },
  })
const listLength = (value: TextJson | undefined): number | null => (isList(value) ? value.length : null)

export const fredSeriesReader = reader('fred.series', 'macro_observations', {
  reads: url => url.startsWith(`${api}series?`),
  matches: head => /^\s*\{\s*"realtime_start"/.test(head) && member(head, 'seriess'),
  parse: parseSeries,
})
export const fredVintageDatesReader = counted('vintage-dates', /^series\/vintagedates\?/, 'vintage_dates', 'vintage_dates', listLength)
export const fredReleasesReader = counted('releases', /^(?:release|releases|series\/release)\?/, 'releases', 'release_descriptions', listLength)
export const fredReleaseTablesReader = counted('release-tables', /^release\/tables\?/, 'elements', 'table_elements', value =>
  isObject(value) ? Object.keys(value).length : null,
)
