// Events of one schedule document, and the days that the document covers: an event that a later document no longer lists has moved.
import { IsoDate } from '#schemas/values.ts'
import { publicationDay } from '../macro/observations.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'

type Event = Fact<'economic_events'>

export type EventTable = {
  readonly add: (event: Event) => void
  readonly refuse: (reason: string, subject: string, detail: string, record?: Readonly<Record<string, unknown>> | null) => void
  readonly skip: (reason: string, count?: number) => void
  /** `scope`: what the document lists; `covers`: the days that it lists completely, otherwise those from its first to its last event. */
  readonly parsed: (
    schedule: string,
    scope: string,
    covers?: { readonly from?: string; readonly to?: string } | undefined,
    follow?: readonly string[],
  ) => Parsed
}

export function eventTable(document: Pick<RawDocument, 'source' | 'url'>): EventTable {
  const events = new Map<string, Event>()
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  return {
    add: event => {
      // A period that appears twice (an estimate and a later one of the same title) keeps both days.
      const id = events.has(event.event_id) && events.get(event.event_id)?.date !== event.date ? `${event.event_id} ${event.date}` : event.event_id
      events.set(id, { ...event, event_id: id })
    },
    refuse: (reason, subject, detail, record = null) => {
      refused.push({ dataset: 'economic_events', reason, subject, detail: `${document.source} ${subject}: ${detail}`, record })
    },
    skip: (reason, count = 1) => {
      skipped[reason] = (skipped[reason] ?? 0) + count
    },
    parsed: (schedule, scope, covers = {}, follow = []) => {
      const list = [...events.values()]
      const days = list.map(event => event.date).sort()
      const [from, to] = [covers.from ?? days[0], covers.to ?? days.at(-1)]
      const known = list.length === 0 || from === undefined || to === undefined
      const listed = list.map(event => event.event_id).sort()
      return {
        facts: known
          ? {}
          : { economic_events: list, economic_schedules: [{ schedule, scope, covers_from: from, covers_to: to, event_ids: listed.join('\n') }] },
        refused,
        skipped,
        follow,
      }
    },
  }
}

/** A past release was known on its day at the latest; a future one is known from the schedule's retrieval. */
export function knownBy(date: string, retrieved_at: string): { readonly known_from: string; readonly known_basis: 'published' } | object {
  return date < retrieved_at.slice(0, 10) ? { known_from: `${date}T23:59:59Z`, known_basis: 'published' } : {}
}

/** `2026-08-07`, `2026/08/07` or `20260807` as a day; null for anything else. */
export function looseDay(text: string | null): string | null {
  const match = /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)/.exec((text ?? '').trim())
  const day = match ? `${match[1]}-${match[2]}-${match[3]}` : null
  return day !== null && IsoDate.safeParse(day).success ? publicationDay(day) : null
}
