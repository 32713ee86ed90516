// The requests of the macro jobs: the registered series of each source, and the release schedules.
import { addDays } from '#schemas/days.ts'
import { registeredSeries, worldBankIndicators } from '#warehouse/rulesets/macro/rules.ts'
import { beaCalendarUrl, beaReleaseDatesUrl, blsCalendarUrl } from '../../fetch/sources/agency-calendars.ts'
import { valetUrl } from '../../fetch/sources/bank-of-canada.ts'
import { firstVintage, fredCsvUrl, fredObservationsUrl, fredReleaseDatesUrl, fredSeriesUrl } from '../../fetch/sources/fred.ts'
import { cubeUrl, releasedVectorsUrl, statcanScheduleUrl, tableUrl, vectorsAtOnce, vectorsUrl } from '../../fetch/sources/statcan.ts'
import { worldBankUrl } from '../../fetch/sources/worldbank.ts'
import { current, final, type Plan } from './plan.ts'

const year = (date: string): number => Number(date.slice(0, 4))
/** The following pages that a document names. */
const nextPages: Plan['next'] = (_url, read) => read.follow.map(current)
/** A series that the source discontinued is a valid response. */
const maybe = (url: string) => ({ url, final: false, mayBeMissing: true })

function inLots<T>(list: readonly T[], size: number): T[][] {
  const lots: T[][] = []
  for (let at = 0; at < list.length; at += size) lots.push(list.slice(at, at + size))
  return lots
}
const exchangeRate = /^FX[A-Z]{6}$/
const valetSeries = registeredSeries('bank-of-canada').filter(name => !exchangeRate.test(name))
const vectors = registeredSeries('statcan')
/** About ten years of a monthly series, and all values of most quarterly ones. */
const latestPeriods = 130
/** The World Bank's values are revised for about so many years back. */
const worldBankYears = 25

/**
 * The values that were current since the beginning of last year. The day advances only once a year, so that values that were cut there
 * (`seen`) are not reported again every day.
 */
const sinceLastYear = (today: string): string => `${year(today) - 1}-01-01`

export const macroPlans: readonly (readonly [string, Plan])[] = [
  [
    'fred-series',
    {
      first: ({ today }) => registeredSeries('fred').flatMap(id => [maybe(fredSeriesUrl(id)), maybe(fredObservationsUrl(id, sinceLastYear(today)))]),
      next: nextPages,
    },
  ],
  // The whole archive of vintages; FRED returns at most 2,000 vintages per request, which only daily series exceed.
  [
    'fred-vintages',
    {
      first: ({ symbols }) =>
        (symbols ?? registeredSeries('fred'))
          .filter(id => !/^D(?:GS|FEDTAR|COIL|EXCA)/.test(id))
          .map(id => maybe(fredObservationsUrl(id, firstVintage))),
      next: nextPages,
    },
  ],
  ['fred-csv', { first: () => registeredSeries('fred').map(id => maybe(fredCsvUrl(id))) }],
  ['fred-release-dates', { first: ({ from, today }) => [current(fredReleaseDatesUrl(addDays(from < today ? from : today, -14)))], next: nextPages }],
  [
    'boc-series',
    // One request per series: one unknown name would fail a whole batch.
    { first: ({ from }) => valetSeries.map(name => maybe(valetUrl([name], addDays(from, -400)))) },
  ],
  ['statcan-vectors', { first: () => inLots(vectors, vectorsAtOnce).map(lot => current(vectorsUrl(lot, latestPeriods))) }],
  ['statcan-releases', { first: ({ from, to }) => inLots(vectors, vectorsAtOnce).map(lot => current(releasedVectorsUrl(lot, from, to))) }],
  [
    'statcan-tables',
    {
      // The command line takes digits for a CIK and pads them to ten.
      first: ({ symbols }) => (symbols ?? []).map(id => id.replace(/^0+/, '')).flatMap(id => [maybe(cubeUrl(id)), maybe(tableUrl(id))]),
      next: (_url, read) => read.follow.map(final),
    },
  ],
  [
    'worldbank-indicators',
    {
      first: ({ to }) => worldBankIndicators.map(({ world_bank }) => maybe(worldBankUrl(world_bank, year(to) - worldBankYears, year(to)))),
      next: nextPages,
    },
  ],
  ['statcan-schedule', { first: () => [current(statcanScheduleUrl)] }],
  ['bls-calendar', { first: () => [current(blsCalendarUrl)] }],
  ['bea-calendar', { first: () => [maybe(beaCalendarUrl), maybe(beaReleaseDatesUrl)] }],
]
