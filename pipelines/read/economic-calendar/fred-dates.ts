// FRED's release dates: of one release, or of all from a day on. Future dates are those that the agencies announced. FRED has no time of
// day and covers hundreds of releases: only those of the agencies in the ruleset are kept.
import { addDays } from '#schemas/days.ts'
import { instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { releaseOfFred } from '#warehouse/rulesets/macro/releases.ts'
import { firstVintage } from '../../fetch/sources/fred.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dayOf } from '../csv/cells.ts'
import { notThisKind, parameterOf, publicationDay } from '../macro/observations.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { eventTable, knownBy } from './events.ts'

function parse(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isObject(value) || value['release_dates'] === undefined) return notThisKind(document, 'member release_dates')
  const table = eventTable(document)
  const rows = objectsOf(value['release_dates'], document.url)
  const releases = new Set<string>()
  for (const [at, row] of rows.entries()) {
    const [id, date] = [textIn(row, 'release_id'), publicationDay(dayOf(textIn(row, 'date')))]
    if (id === null || date === null) {
      table.refuse('bad_row', `row ${at + 1}`, 'no release_id or no date', { ...row })
      continue
    }
    releases.add(id)
    const release = releaseOfFred(Number(id))
    if (release === null) {
      table.skip('release_not_registered')
      continue
    }
    table.add({
      schedule: 'fred',
      event_id: `${id} ${date}`,
      country: release.country,
      agency: release.agency,
      release_id: id,
      title: textIn(row, 'release_name') ?? release.titles[0] ?? id,
      period: null,
      date,
      scheduled_at: release.time === null ? null : instantIn(release.time_zone, date, release.time),
      url: `https://fred.stlouisfed.org/release?rid=${id}`,
      ...knownBy(date, document.retrieved_at),
    })
  }
  const [count, offset] = ['count', 'offset'].map(name => Number(textIn(value, name) ?? Number.NaN)) as [number, number]
  const isLastPage = !(count > offset + rows.length)
  const scope =
    parameterOf(document.url, 'release_id') ?? (releases.size === 1 && !document.url.includes('/releases/') ? [...releases][0] : undefined)
  const days = rows.map(row => publicationDay(dayOf(textIn(row, 'date')))).filter(day => day !== null)
  const requested = dayOf(textIn(value, 'realtime_start'))
  // A page may end and begin in the middle of a day; with future dates requested, the last one shows that nothing else is due.
  const ahead = parameterOf(document.url, 'include_release_dates_with_no_data') === 'true'
  const from = offset > 0 ? shifted(days[0], 1) : requested !== null && requested > firstVintage ? requested : undefined
  const to = isLastPage ? (ahead ? '9999-12-31' : undefined) : shifted(days.at(-1), -1)
  const covers = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  return table.parsed('fred', scope === undefined ? 'all' : `release ${scope}`, covers, nextPage(document, isLastPage, offset))
}

const shifted = (date: string | undefined, days: number): string | undefined => (date === undefined ? undefined : addDays(date, days))

function nextPage(document: RawDocument, isLastPage: boolean, offset: number): string[] {
  const address = URL.parse(document.url)
  const limit = Number(address?.searchParams.get('limit'))
  if (address?.protocol !== 'https:' || isLastPage || !(limit > 0)) return []
  address.searchParams.set('offset', String(offset + limit))
  return [address.href]
}

export const fredReleaseDatesReader = reader('fred.release-dates', 'economic_events', {
  reads: url => /^https:\/\/api\.stlouisfed\.org\/fred\/(?:release|releases)\/dates\?/.test(url),
  matches: head => /^\s*\{\s*"realtime_start"/.test(head) && /"release_dates"\s*:/.test(head),
  parse,
})
