// The work of a check: bounded by a number of comparisons, and far below it for ordinary texts.
import { describe, expect, it } from 'vitest'
import { BadRequest } from '#schemas/errors.ts'
import { checkClaimsInThread } from './check-in-thread.ts'
import { checkText } from './check-text.ts'

const bars = (n: number, of: (at: number) => object): { text: string; receipt_id: null } => ({
  text: JSON.stringify({ count: n, currency: 'CAD', bars: Array.from({ length: n }, (_, at) => of(at)) }),
  receipt_id: null,
})
const ordinary = bars(2_000, at => ({
  date: new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10),
  close: 100 + at / 100,
  volume: 1_000_000 + at * 17,
  note: `the session ${at} of 7 shares`,
}))
/** Every value is the same small number, and every text quotes it. */
const hostile = bars(3_000, () => ({ close: 1, note: 'one share' }))

describe('the check of a long text', () => {
  it('compares a figure with the values near it: an ordinary text of 16,000 characters is checked whole', () => {
    const text = 'The close was 105.5 CAD on 2021-07-04, 3 shares were sold. '.repeat(270).slice(0, 16_000)
    const { figures, supported } = checkText(text, [ordinary, ordinary, ordinary])
    expect(figures).toHaveLength(3 * 270)
    expect(supported).toBeGreaterThan(500)
  })
  it('is refused with 422 if its figures can mean too many values, in the thread too', async () => {
    const text = 'one share, '.repeat(1_400)
    expect(() => checkText(text, [hostile])).toThrow(BadRequest)
    await expect(checkClaimsInThread({ text, answers: [hostile] })).rejects.toMatchObject({
      status: 422,
      hint: 'send a shorter text, or fewer receipts',
    })
    expect((await checkClaimsInThread({ text: 'The close was 105.5 CAD.', answers: [ordinary] })).supported).toBe(1)
  })
})
