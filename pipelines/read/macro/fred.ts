// FRED's observations. With a real-time period each value has the days between which it was current (ALFRED); without one,
// the document shows only that the values were current on the day of the request.

import { addDays } from '#schemas/days.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { firstVintage, fredPage } from '../../fetch/sources/fred.ts'
import { isObject, jsonOf, objectsOf, stem, textIn } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { fredDayEnds, notThisKind, observationTable, parameterOf, publicationDay } from './observations.ts'

type Row = { readonly [name: string]: TextJson }
type Vintage = { readonly date: string; readonly from: string; readonly to: string; readonly printed: string | null }

/** The series that a document is about: FRED's answers do not name it, so the address does, or the file that it was kept in. */
function seriesIn(url: string): string {
  const requested = parameterOf(url, 'series_id')
  if (requested !== null) return `fred:${requested.toUpperCase()}`
  const name = stem(url.replace(/^[a-z]+:/, ''))
  return /^[A-Z][A-Z0-9_]{1,39}$/.test(name) ? `fred:${name}` : `fred:file/${name.slice(0, 60)}`
}

function parse(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isObject(value) || value['observations'] === undefined) return notThisKind(document, 'member observations')
  const series = seriesIn(document.url)
  const table = observationTable(document)
  const requested = { from: dayOf(textIn(value, 'realtime_start')), to: dayOf(textIn(value, 'realtime_end')) }
  if (requested.from === null || requested.to === null) return notThisKind(document, 'real-time period')
  const units = textIn(value, 'units')
  if (units !== null && units !== 'lin') table.skip(`transformed_to_${units}`)
  const name = units === null || units === 'lin' ? series : `${series}/${units}`
  const vintages: Vintage[] = []
  const rows = objectsOf(value['observations'], `${document.source} ${document.url}`)
  for (const [at, row] of rows.entries()) {
    const [date, from, to] = [dayOf(textIn(row, 'date')), publicationDay(dayOf(textIn(row, 'realtime_start'))), dayOf(textIn(row, 'realtime_end'))]
    if (date === null || from === null || to === null) {
      table.refuse('bad_date', name, `observation ${at + 1} has no date or no real-time period`, { ...(row as Row) })
    } else vintages.push({ date, from, to, printed: textIn(row, 'value') })
  }
  const first = firstArchived(vintages)
  for (const [at, { date, from, to, printed }] of vintages.entries()) {
    // A period that begins with the request's was cut there: the value may have been current before.
    const seen = (from === requested.from && requested.from !== firstVintage) || (from === first.from && date < first.date)
    const vintage_basis = seen ? 'seen' : 'released'
    table.add({ series: name, date, vintage: from, vintage_basis, status: null, known_from: fredDayEnds(from), known_basis: 'published' }, printed)
    const next = vintages[at + 1]
    const isLast = next === undefined || next.date !== date
    // The source took the value back and put none in its place.
    if (
      textIn(value, 'output_type') === '1' &&
      isLast &&
      to < requested.to &&
      requested.to === '9999-12-31' &&
      (at < vintages.length - 1 || isLastPage(value, rows.length))
    ) {
      const gone = addDays(to < from ? from : to, 1)
      table.add(
        {
          series: name,
          date,
          vintage: gone,
          vintage_basis: 'released',
          status: 'withdrawn',
          known_from: fredDayEnds(gone),
          known_basis: 'published',
        },
        null,
      )
    }
  }
  return table.parsed(nextPage(document.url, value))
}

/** After the last row of a page that another one follows, the period's next vintage may follow. */
const isLastPage = (value: Row, rows: number): boolean => Number(textIn(value, 'count') ?? 0) <= Number(textIn(value, 'offset') ?? 0) + rows

/** The day on which the archive of a series begins, and the newest period at that time: earlier periods were published earlier. */
function firstArchived(vintages: readonly Vintage[]): { readonly from: string; readonly date: string } {
  const from = vintages.reduce((least, each) => (each.from < least ? each.from : least), '9999-12-31')
  const date = vintages.reduce((latest, each) => (each.from === from && each.date > latest ? each.date : latest), '0000-01-01')
  return { from, date }
}

function nextPage(url: string, value: Row): string[] {
  const address = URL.parse(url)
  const [count, offset, limit] = ['count', 'offset', 'limit'].map(name => Number(textIn(value, name) ?? Number.NaN)) as [number, number, number]
  if (address?.protocol !== 'https:' || !(count > offset + limit) || limit !== fredPage) return []
  address.searchParams.set('offset', String(offset + limit))
  return [address.href]
}

export const fredObservationsReader = reader('fred.observations', 'macro_observations', {
  reads: url => url.startsWith('https://api.stlouisfed.org/fred/series/observations?'),
  matches: head => /^\s*\{\s*"realtime_start"/.test(head) && /"observations"\s*:\s*\[/.test(head) && /"output_type"/.test(head),
  parse,
})
