// Schedules that agencies publish as JSON: Statistics Canada's releases of key indicators, and BEA's dates by release.
import type { TextJson } from '#schemas/number-text.ts'
import { dateIn, instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { releaseTitled } from '#warehouse/rulesets/macro/releases.ts'
import { beaReleaseDatesUrl } from '../../fetch/sources/agency-calendars.ts'
import { statcanScheduleUrl } from '../../fetch/sources/statcan.ts'
import { isList, isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { notThisKind, publicationDay } from '../macro/observations.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { eventTable, looseDay } from './events.ts'

/** The Daily comes out at 08:30 Eastern; the list has days only. */
const theDaily = '08:30'

function parseStatcan(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isList(value)) return notThisKind(document, 'list of releases')
  const table = eventTable(document)
  for (const [at, row] of objectsOf(value, document.url).entries()) {
    const [title, period, date] = [textIn(row, 'title'), textIn(row, 'description'), looseDay(textIn(row, 'date'))]
    if (title === null || date === null) {
      table.refuse('bad_row', title ?? `row ${at + 1}`, 'no title or no date', { ...row })
      continue
    }
    const link = textIn(row, 'url') ?? textIn(row, 'link')
    table.add({
      schedule: 'statcan',
      event_id: `${title}: ${period ?? date}`.slice(0, 200),
      country: 'CA',
      agency: releaseTitled('CA', title)?.agency ?? 'Statistics Canada',
      release_id: null,
      title,
      period,
      date,
      scheduled_at: instantIn('America/Toronto', date, theDaily),
      url: link !== null && /^https:\/\/[^\s]{1,300}$/.test(link) ? link : null,
    })
  }
  return table.parsed('statcan', 'key indicators')
}

function parseBea(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isObject(value)) return notThisKind(document, 'object of releases')
  const table = eventTable(document)
  for (const [title, release] of Object.entries(value)) {
    const dates: TextJson | undefined = isObject(release) ? release['release_dates'] : undefined
    if (!isList(dates)) continue
    for (const printed of dates) {
      const at = Date.parse(typeof printed === 'string' && /T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(printed) ? printed : '')
      if (Number.isNaN(at) || publicationDay(String(printed).slice(0, 10)) === null) {
        table.refuse('bad_date', title, `"${String(printed).slice(0, 40)}" is not an instant with its zone`)
        continue
      }
      const scheduled_at = new Date(at).toISOString().replace('.000Z', 'Z')
      const date = dateIn('America/New_York', scheduled_at)
      table.add({
        schedule: 'bea',
        event_id: `${title} ${date}`.slice(0, 200),
        country: 'US',
        agency: releaseTitled('US', title)?.agency ?? 'Bureau of Economic Analysis',
        release_id: null,
        title,
        period: null,
        date,
        scheduled_at,
        url: null,
      })
    }
  }
  return table.parsed('bea', 'release dates')
}

export const statcanScheduleReader = reader('statcan.schedule', 'economic_events', {
  reads: url => url === statcanScheduleUrl,
  matches: (head, path) =>
    /^\s*\[\s*\{/.test(head) &&
    /"title"\s*:/.test(head) &&
    /"description"\s*:/.test(head) &&
    /"date"\s*:/.test(head) &&
    /schedule|statcan/i.test(path),
  parse: parseStatcan,
})
export const beaReleaseDatesReader = reader('bea.release-dates', 'economic_events', {
  reads: url => url === beaReleaseDatesUrl,
  matches: head => /^\s*\{/.test(head) && /"[^"]{1,200}"\s*:\s*\{\s*"release_dates"\s*:\s*\[/.test(head),
  parse: parseBea,
})
