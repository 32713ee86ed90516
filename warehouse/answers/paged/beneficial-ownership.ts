// Stored pages of Schedules 13D and 13G: the last days of each.
import type { ScheduleKind } from '#schemas/beneficial-ownership.ts'
import { formsOf } from '../../datasets/beneficial-ownership/beneficial-ownership.ts'
import { changedValues, hasOnly } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

/** The last 21 days of one schedule: the answer also counts filings that an index lists and that are not read yet. */
export const schedulePage = (schedule: ScheduleKind): StoredPage => ({
  from: ['ownership_schedules', 'filings'],
  standard: question => hasOnly(question, 'days', 'limit') && question['days'] === 21 && question['limit'] === 100,
  changed: rows =>
    changedValues(rows, ['ownership_schedules'], 'schedule').includes(schedule) ||
    changedValues(rows, ['filings'], 'form').some(form => formsOf(schedule).includes(form))
      ? [{ days: 21, limit: 100 }]
      : [],
})
