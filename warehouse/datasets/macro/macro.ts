import type { MacroObservation, MacroSeries } from '#schemas/macro.ts'
import { ownName } from '../../rulesets/macro/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, [
  'find-observations',
  'find-rates',
  'find-latest',
  'find-latest-rates',
  'find-held-series',
  'find-released',
])

export type ObservationRow = Omit<MacroObservation, 'withdrawn'>
export type Range = { readonly from: string | null; readonly to: string | null }

/** A rate's series, e.g. `bank-of-canada:FXUSDCAD`, by its first currency; null for other series. */
const ratePair = (series: string): string | null => /^bank-of-canada:FX([A-Z]{3})[A-Z]{3}$/.exec(series)?.[1] ?? null

/** Every version of the observations of a series, by period and then by the instant at which it became known. */
export async function findObservations(lake: Lake, series: string, { from, to }: Range, asOf: string | null): Promise<ObservationRow[]> {
  const bounds = { from: from ?? '0001-01-01', to: to ?? '9999-12-31', as_of: asOf }
  const base = ratePair(series)
  if (base !== null)
    return await lake.query<ObservationRow>(statements['find-rates'], { ...bounds, series: ownName(series) }, { fx_rates_history: [base] })
  return await lake.query<ObservationRow>(statements['find-observations'], bounds, { macro_observations_history: [series] })
}

export type NewestRows = {
  /** The two newest periods with a value, newest first. */
  readonly valued: readonly ObservationRow[]
  /** The newest periods, also those that the source marks as missing, oldest first. */
  readonly recent: readonly ObservationRow[]
}
/** The newest values of each series that has any, and its last periods (`recent` of them). */
export async function findLatest(lake: Lake, series: readonly string[], asOf: string | null, recent = 0): Promise<ReadonlyMap<string, NewestRows>> {
  const bounds = { as_of: asOf, recent }
  const bases = [...new Set(series.map(ratePair).filter(base => base !== null))]
  const [values, rates] = await Promise.all([
    lake.query<ObservationRow>(statements['find-latest'], bounds, { macro_observations: series.filter(each => ratePair(each) === null) }),
    bases.length === 0 ? [] : lake.query<ObservationRow>(statements['find-latest-rates'], bounds, { fx_rates: bases }),
  ])
  const found = new Map<string, NewestRows>()
  for (const [name, rows] of Map.groupBy([...values, ...rates], row => row.series)) {
    const valued = rows.filter(row => row.value !== null).slice(0, 2)
    if (valued.length > 0) found.set(name, { valued, recent: rows.slice(0, recent).reverse() })
  }
  return found
}

/** The sources' descriptions of some series, by series. */
export async function findSeries(lake: Lake, series: readonly string[], asOf: string | null): Promise<ReadonlyMap<string, MacroSeries>> {
  const rows = await lake.query<MacroSeries>('select * from macro_series order by series', { as_of: asOf }, { macro_series: series })
  return new Map(rows.map(row => [row.series, row]))
}

export type HeldSeries = { readonly series: string; readonly source: string; readonly raw_sha256: string }
/** The series with stored data, each with one of its documents. */
export async function findHeldSeries(lake: Lake, asOf: string | null): Promise<HeldSeries[]> {
  return await lake.query<HeldSeries>(statements['find-held-series'], { as_of: asOf }, { macro_observations: 'all', fx_rates: 'all' })
}

export type ReleasedRow = Pick<MacroObservation, 'series' | 'date' | 'value' | 'known_from' | 'source' | 'raw_sha256'> & { readonly vintage: string }
/** Values published between two days, of sources that state the day. */
export async function findReleased(lake: Lake, series: readonly string[], from: string, to: string, asOf: string | null): Promise<ReleasedRow[]> {
  return series.length === 0
    ? []
    : await lake.query<ReleasedRow>(statements['find-released'], { from, to, as_of: asOf }, { macro_observations: series })
}
