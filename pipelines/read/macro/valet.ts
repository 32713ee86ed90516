// The Bank of Canada's series other than exchange rates: observations as printed, and the bank's names for them.

import { addDays } from '#schemas/days.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { isObject, textIn } from '../csv/body.ts'
import { type ObservationTable, publicationDay, seriesOf } from './observations.ts'

type Row = { readonly [name: string]: TextJson }

/**
 * Daily series are on the bank's site by noon of the following day (its rates and statistics pages: yields of a day are posted on the
 * next); for monthly and quarterly ones it states no time, so they are known from the retrieval.
 */
const dailySeries = /^(?:V39079|AVG\.INTWO|BD\.CDN\..+\.DQ\.YLD|TB\.CDN\..+)$/
function knownOf(series: string, date: string): { readonly known_from: string; readonly known_basis: 'published' } | object {
  if (!dailySeries.test(series) || publicationDay(date) === null) return {}
  const next = addDays(date, 1)
  return { known_from: instantIn('America/Toronto', next, '12:00'), known_basis: 'published' }
}

export function readValetCell(table: ObservationTable, series: string, date: string, cell: TextJson): void {
  const printed = isObject(cell) ? textIn(cell, 'v') : null
  // A member without a value has no information about the day: groups print all their series for every day of any series.
  if (printed === null) table.skip('no_value_of_series')
  else table.add({ series: `bank-of-canada:${series}`, date, vintage: null, vintage_basis: 'none', status: null, ...knownOf(series, date) }, printed)
}

export function describeValetSeries(table: ObservationTable, details: TextJson | undefined, group: string | null): void {
  if (!isObject(details)) return
  for (const [series, detail] of Object.entries(details)) {
    if (/^FX[A-Z]{6}$/.test(series) || !isObject(detail)) continue
    const [label, description] = [textIn(detail as Row, 'label'), textIn(detail as Row, 'description')]
    table.describe(
      seriesOf(`bank-of-canada:${series}`, label ?? series, {
        notes: description,
        frequency: dailySeries.test(series) ? 'daily' : null,
        table_id: group,
      }),
    )
  }
}
