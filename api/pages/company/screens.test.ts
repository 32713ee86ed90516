// The dates ahead of a listing: a failed answer is no sentence about dates.
import { describe, expect, it } from 'vitest'
import type { AnswerOf } from '#schemas/operations.ts'
import type { Outcome } from '../page.ts'
import { calendarSection } from './screens.ts'

const given = <A>(value: A): Outcome<A> => ({ ok: true, value, text: '', name: '', url: '', release: 1, as_of: null, receipt_id: null })
const failed = (status: number): Outcome<never> => ({ ok: false, status, error: { detail: 'the database is away', code: 'x', docs: '' } })
const noReport = given({ next_report: null } as AnswerOf<'get_earnings'>)
const noActions = given({ actions: [] } as unknown as AnswerOf<'list_corporate_actions'>)
const textOf = (earnings: typeof noReport, actions: typeof noActions): string => String(calendarSection(earnings, actions, '2026-11-20'))
const none = 'No date ahead is confirmed'

describe('the dates ahead', () => {
  it('are none only if both answers have none; an issuer that is not followed has none', () => {
    expect(textOf(noReport, noActions)).toContain(none)
    expect(textOf(failed(404), noActions)).toContain(none)
  })
  it('give the reason while an answer is missing', () => {
    for (const [earnings, actions] of [
      [failed(503), noActions],
      [noReport, failed(503)],
      [failed(503), failed(503)],
    ] as const) {
      const text = textOf(earnings, actions)
      expect([text.includes(none), text.includes('not available at the moment')]).toEqual([false, true])
    }
  })
})
