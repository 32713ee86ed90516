// Converts cells of macro documents to observations: keeps digits, makes the source's missing values null, and counts every dropped row.
import { Unreadable } from '#schemas/errors.ts'
import { instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { dayOf, decimalOf } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'

type Observation = Fact<'macro_observations'>
export type Series = Fact<'macro_series'>

/** Words for a value that is not there: FRED's point, empty cells, the dots of StatCan. */
const isGap = (text: string | null): boolean => text === null || /^(?:|\.{1,3}|n\/?a|nan|null)$/i.test(text.trim())

/** The definition of a series, if a document states only parts of it. */
export const seriesOf = (series: string, title: string, more: Partial<Omit<Series, 'series' | 'title'>> = {}): Series => ({
  series,
  title,
  units: null,
  scale: null,
  frequency: null,
  seasonal_adjustment: null,
  observation_start: null,
  observation_end: null,
  last_updated: null,
  table_id: null,
  notes: null,
  copyright: null,
  ...more,
})

export type ObservationTable = {
  readonly refuse: (reason: string, subject: string, detail: string, record?: Readonly<Record<string, unknown>> | null) => void
  readonly skip: (reason: string, rows?: number) => void
  /** Adds a value as printed; `printed` null or a word for missing becomes null. A key that came before must say the same. */
  readonly add: (observation: Omit<Observation, 'value'>, printed: string | null) => void
  readonly describe: (series: Series) => void
  readonly parsed: (follow?: readonly string[]) => Parsed
}

export function observationTable(document: Pick<RawDocument, 'source' | 'url'>): ObservationTable {
  const rows = new Map<string, Observation>()
  const described = new Map<string, Series>()
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  const refuse: ObservationTable['refuse'] = (reason, subject, detail, record = null) => {
    refused.push({ dataset: 'macro_observations', reason, subject, detail: `${document.source} ${subject}: ${detail}`, record })
  }
  const skip: ObservationTable['skip'] = (reason, count = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + count
  }
  return {
    refuse,
    skip,
    describe: series => described.set(series.series, series),
    add: (observation, printed) => {
      const { series, date, vintage } = observation
      const value = isGap(printed) ? null : decimalOf(printed)
      if (value === null && !isGap(printed)) {
        refuse('bad_number', series, `${date} is "${String(printed).slice(0, 40)}", expected a decimal`, { series, date, value: printed })
        return
      }
      const key = `${series} ${date} ${vintage} ${observation.known_from ?? ''}`
      const held = rows.get(key)
      if (held === undefined) rows.set(key, { ...observation, value })
      else if (held.value !== value)
        refuse('two_values_of_a_period', series, `${date} is ${value} and, before, ${held.value}; the first is kept`, { series, date, value })
      else skip('repeated')
    },
    parsed: (follow = []) => ({
      facts: {
        ...(described.size === 0 ? {} : { macro_series: [...described.values()] }),
        ...(rows.size === 0 ? {} : { macro_observations: [...rows.values()] }),
      },
      refused,
      skipped,
      follow,
    }),
  }
}

/** Earliest possible day of publication; excludes the time zones of earlier centuries. */
export const publicationDay = (text: string | null): string | null => (text !== null && text >= '1700' && text < '2200' ? text : null)
/** A clock `HH:MM`, or null. */
export const clockOf = (text: string | null | undefined): string | null => (/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text ?? '') ? (text as string) : null)

/** The end of a day at FRED, in St. Louis: FRED gives only the day, and the value was not public before it. */
export const fredDayEnds = (date: string): string => instantIn('America/Chicago', date, '23:59')

/** The first day of `2014`, `2014-03`, `2014-03-07`, `2014Q2` or `2014M03`; null for anything else. */
export function periodStart(text: string | null): string | null {
  const match = /^(\d{4})(?:-?(?:Q([1-4])|M?(0[1-9]|1[0-2]))(?:-(0[1-9]|[12]\d|3[01]))?)?$/.exec((text ?? '').trim())
  if (!match) return null
  const [, year, quarter, month, day] = match
  return dayOf(`${year}-${quarter ? String(Number(quarter) * 3 - 2).padStart(2, '0') : (month ?? '01')}-${day ?? '01'}`)
}

/** The last part of an address or path that names a file, without its ending. */
export function parameterOf(url: string, name: string): string | null {
  return URL.parse(url)?.searchParams.get(name) ?? null
}

/** Throws `Unreadable` for a document with none of its kind's members. */
export function notThisKind(document: RawDocument, missing: string): never {
  throw new Unreadable('missing_member', `${document.source} ${document.url}: no ${missing}`)
}
