// Every kind of schedule of releases.
import type { Reader } from '../parsed.ts'
import { fredReleaseDatesReader } from './fred-dates.ts'
import { beaCalendarReader, blsCalendarReader } from './ical.ts'
import { beaReleaseDatesReader, statcanScheduleReader } from './json-schedules.ts'

export const economicCalendarReaders: readonly Reader[] = [
  fredReleaseDatesReader,
  blsCalendarReader,
  beaCalendarReader,
  beaReleaseDatesReader,
  statcanScheduleReader,
]
