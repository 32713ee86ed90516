import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BadRequest } from '#schemas/errors.ts'
import { postedBy } from './posted.ts'

const posted = postedBy('try', { total_shares: 'shares', state: 'state', ticker: 'TICKER' }, text => text.replace('POST /x', 'crossfile x'))
const thrown = (work: () => unknown): BadRequest => {
  try {
    work()
  } catch (error) {
    return error as BadRequest
  }
  throw new Error('nothing was thrown')
}
const refusing = (message: string, hint: string) => (): never => {
  throw new BadRequest(message, { hint })
}

describe('members of a body as options', () => {
  it('numbers are read with thousands commas, and refused by their option', () => {
    expect([posted.number('shares', '1,250'), posted.number('shares', undefined)]).toEqual([1250, undefined])
    expect(thrown(() => posted.number('shares', 'ten')).message).toBe('try: --shares: "ten" is not a number such as 10000 or 1.25')
  })
  it('the first fault of a body names its option, or the word that is none', () => {
    const body = z.strictObject({ ticker: z.string().min(1, 'expected a symbol'), total_shares: z.int() })
    expect(posted.checked(body, { ticker: 'A', total_shares: 1 })).toEqual({ ticker: 'A', total_shares: 1 })
    expect(thrown(() => posted.checked(body, { ticker: 'A', total_shares: undefined })).message).toBe('try: --shares: is missing')
    expect(thrown(() => posted.checked(body, { ticker: '', total_shares: 1 })).message).toBe('try: TICKER: expected a symbol')
  })
  it('a refusal of one member is one of its option', () => {
    const error = thrown(() => posted.naming(refusing('state: there is none', 'state: one of A, or POST /x')))
    expect([error.message, error.hint]).toEqual(['try: --state: there is none', 'one of A, or crossfile x'])
  })
  it('a refusal of several names them where they stand, and leaves the rest of the sentence', async () => {
    const refusal = refusing('total_shares 1 are too few', 'no part is more than total_shares: mend one')
    const error = thrown(() => posted.naming(refusal))
    expect([error.message, error.hint]).toEqual(['try: --shares 1 are too few', 'no part is more than --shares: mend one'])
    await expect(posted.namingLater(async () => refusal())).rejects.toThrow('try: --shares 1 are too few')
  })
  it('what names no member, and what is no refusal, stays as it is', () => {
    const other = new BadRequest('ruleset x: there is none', { hint: 'y' })
    const fault = new TypeError('total_shares')
    for (const error of [other, fault])
      expect(
        thrown(() =>
          posted.naming(() => {
            throw error
          }),
        ),
      ).toBe(error)
  })
})
