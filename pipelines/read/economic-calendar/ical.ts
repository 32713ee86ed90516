// The calendars that BLS and BEA publish as iCalendar (RFC 5545): one VEVENT a release, in Eastern time or UTC.
import { Unreadable } from '#schemas/errors.ts'
import { dateIn, instantIn } from '#warehouse/rulesets/exchange-calendars/zone.ts'
import { releaseTitled } from '#warehouse/rulesets/macro/releases.ts'
import { textOf } from '../csv/body.ts'
import { clockOf } from '../macro/observations.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { type EventTable, eventTable, looseDay } from './events.ts'

type Property = { readonly value: string; readonly parameters: string }
const eastern = 'America/New_York'

/** The events of a calendar, property by property; folded lines are put together again (RFC 5545, 3.1). */
function eventsOf(text: string): ReadonlyMap<string, Property>[] {
  const events: Map<string, Property>[] = []
  let current: Map<string, Property> | null = null
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    if (/^BEGIN:VEVENT$/i.test(line.trim())) current = new Map()
    else if (/^END:VEVENT$/i.test(line.trim())) {
      if (current) events.push(current)
      current = null
    } else if (current) {
      const match = /^([A-Za-z-]+)((?:;[^:";]*(?:"[^"]*")?)*):(.*)$/.exec(line)
      if (match && !current.has(match[1]!.toUpperCase())) current.set(match[1]!.toUpperCase(), { parameters: match[2]!, value: unescaped(match[3]!) })
    }
  }
  return events
}
const unescaped = (text: string): string =>
  text
    .replace(/\\[nN]/g, '\n')
    .replace(/\\([,;\\])/g, '$1')
    .trim()

/** `20260903T083000` with a zone, `…Z` or a bare day; zones other than Eastern are not read. Null for other text. */
function startOf(property: Property | undefined): { readonly date: string; readonly at: string | null } | null {
  const match = /^(\d{8})(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$/.exec(property?.value ?? '')
  const day = looseDay(match?.[1] ?? null)
  if (!match || day === null) return null
  const [, , hour, minute, , utc] = match
  if (hour === undefined) return { date: day, at: null }
  const clock = clockOf(`${hour}:${minute}`)
  if (clock === null) return null
  if (utc !== undefined) {
    const at = `${day}T${clock}:00Z`
    return { date: dateIn(eastern, at), at }
  }
  const zone = /TZID="?([^";]+)/i.exec(property?.parameters ?? '')?.[1] ?? eastern
  if (!/^(?:US[-/]Eastern|America\/New_York|Eastern Standard Time|EST5EDT)$/i.test(zone)) return null
  return { date: day, at: instantIn(eastern, day, clock) }
}

const periodIn = (text: string): string | null =>
  /(?:\bfor|,)\s+((?:(?:January|February|March|April|May|June|July|August|September|October|November|December|Annual|[1-4](?:st|nd|rd|th) Quarter|(?:First|Second|Third|Fourth) Quarter)\s+(?:for\s+)?)?(?:19|20)\d\d)\b/i.exec(
    text,
  )?.[1] ?? null

function readEvent(event: ReadonlyMap<string, Property>, table: EventTable, schedule: 'bls' | 'bea', agency: string, at: number): void {
  const title = event.get('SUMMARY')?.value.split('\n')[0] ?? ''
  const start = startOf(event.get('DTSTART'))
  if (title === '' || start === null) {
    table.refuse(
      'bad_event',
      title || `event ${at + 1}`,
      `DTSTART is "${event.get('DTSTART')?.value.slice(0, 40)}", expected a day or an Eastern time`,
    )
    return
  }
  if (/^CANCELLED$/i.test(event.get('STATUS')?.value ?? '')) {
    table.skip('cancelled_event')
    return
  }
  const uid = event.get('UID')?.value ?? ''
  const url = event.get('URL')?.value ?? ''
  const period = periodIn(title) ?? periodIn(event.get('DESCRIPTION')?.value.slice(0, 2000) ?? '')
  table.add({
    schedule,
    event_id: (uid === '' ? `${title} ${start.date}` : uid).slice(0, 200),
    country: 'US',
    agency: releaseTitled('US', title)?.agency ?? agency,
    release_id: null,
    title: title.slice(0, 300),
    period,
    date: start.date,
    scheduled_at: start.at,
    url: /^https?:\/\/[^\s]{1,300}$/.test(url) ? url : null,
  })
}

const parseAs =
  (schedule: 'bls' | 'bea', agency: string) =>
  (document: RawDocument): Parsed => {
    const text = textOf(document).replace(/^\ufeff/, '')
    if (!/^\s*BEGIN:VCALENDAR/i.test(text)) throw new Unreadable('not_a_calendar', `${document.url}: no BEGIN:VCALENDAR`)
    if (!/END:VCALENDAR\s*$/i.test(text)) throw new Unreadable('cut_calendar', `${document.url}: no END:VCALENDAR`)
    const table = eventTable(document)
    for (const [at, event] of eventsOf(text).entries()) readEvent(event, table, schedule, agency, at)
    return table.parsed(schedule, 'all')
  }

/** A recorded calendar names its publisher in its head. */
const calendarOf = (words: RegExp) => (head: string) => /^\ufeff?\s*BEGIN:VCALENDAR/i.test(head) && words.test(head)

export const blsCalendarReader = reader('bls.calendar', 'economic_events', {
  reads: url => /^https:\/\/www\.bls\.gov\/schedule\/.*\.ics$/.test(url),
  matches: calendarOf(/bls\.gov|Bureau of Labor Statistics/i),
  parse: parseAs('bls', 'Bureau of Labor Statistics'),
})
export const beaCalendarReader = reader('bea.calendar', 'economic_events', {
  reads: url => /^https:\/\/www\.bea\.gov\/news\/schedule\/ics\/.*\.ics$/.test(url),
  matches: calendarOf(/bea\.gov|Bureau of Economic Analysis/i),
  parse: parseAs('bea', 'Bureau of Economic Analysis'),
})
