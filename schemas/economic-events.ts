// The economic calendar: on which day an agency releases which figures, as its own schedule or FRED's list of release dates has it.
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Instant, IsoDate, Text } from './values.ts'

const scheduleTerms = terms('3 days', 'public schedules of the agencies; FRED terms for its list of release dates')

export const economicEvents = defineDataset('economic_events', 'Economic events', scheduleTerms, {
  description:
    'One row per release of an agency and period (or day, if the schedule names no period). A moved release is a new version of its row. There is no consensus, because no official schedule has one.',
  facts: {
    schedule: Text.describe('Whose list: fred, bls, bea, statcan'),
    event_id: Text.describe("The list's own name of the event, or release and period"),
    country: Text.describe('ISO 3166 alpha-2'),
    agency: Text.nullable().describe('Null if the list does not state the agency'),
    release_id: Text.nullable().describe("FRED's number of the release"),
    title: Text, // as the schedule prints it
    period: Text.nullable().describe('What the figures are about, as printed'),
    date: IsoDate.describe('In the time zone of the agency'),
    scheduled_at: Instant.nullable().describe('If the schedule states the time of day'),
    url: Text.nullable(),
  },
  rows: { key: ['schedule', 'event_id'], time: 'date' },
})
export type EconomicEvent = RowOf<typeof economicEvents>

export const economicSchedules = defineDataset('economic_schedules', 'Schedules of economic events', scheduleTerms, {
  description:
    'One row per schedule document: the days that it covers and the events that it lists, so that an event that a later schedule of the same days no longer has is known to be moved or dropped.',
  facts: {
    schedule: Text, // the list: fred, bls, bea, statcan
    scope: Text.describe('What the document lists: all, or one release of a list that is requested by release'),
    covers_from: IsoDate, // the first day that the document covers
    covers_to: IsoDate, // the last day that the document covers
    event_ids: Text.describe('The events listed, one a line, in order'),
  },
  rows: { key: ['schedule', 'scope', 'covers_from', 'covers_to'], time: 'covers_from' },
})
export type EconomicSchedule = RowOf<typeof economicSchedules>
