// Flow-through shares and the combined answer through the whole service: what is posted, what comes back, and how it is refused.
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { flowThroughOperations } from '#schemas/operations/flow-through.ts'

const { key, post, server } = await worldService({ worker: false })

const [calculate, combine] = flowThroughOperations
const shares = { share_price: 1, num_shares: 10_000, income: 1_000_000, jurisdiction: 'BC' }

describe('POST /api/v1/compliance/flow-through', () => {
  it('answers according to its schema, the same bytes each time, unsigned and not to be kept', async () => {
    const [first, again] = [
      await post(calculate.path, shares),
      await post(calculate.path, { ...shares, warrant_value: 0, commodity: 'gold', fts_type: 'regular' }),
    ]
    const text = await first.text()
    expect(text).toBe(await again.text())
    const body = JSON.parse(text)
    expect(calculate.answer?.safeParse(body).error).toBeUndefined()
    expect(body).toMatchObject({ net_cost: 3162, break_even: { proceeds: 4316.72 }, ruleset: 'fts@2026', release: null, not_advice: true })
    expect(body.sources.map((source: { name: string }) => source.name).join()).toContain('F18')
    expect([first.headers.get('x-receipt-id'), first.headers.get('cache-control')]).toEqual([null, expect.stringContaining('no-store')])
  })
  it('keeps the digits of what is posted and of what it answers', async () => {
    const text = await (await post(calculate.path, '{"share_price":0.1,"num_shares":3,"income":300000.10,"jurisdiction":"ON"}')).text()
    expect(text).toContain('"cost":0.3,')
    expect(text).toContain('"income":300000.1,')
  })
  it('answers under the edition that is asked for', async () => {
    const body = await (await post(`${calculate.path}?ruleset=fts@2025`, shares)).json()
    expect(body).toMatchObject({ ruleset: 'fts@2025', tax_year: 2025, as_of: '2025-12-31T00:00:00Z' })
  })
  it.each([
    ['negative shares', { ...shares, num_shares: -5 }, 422, 'num_shares'],
    ['half a share', { ...shares, num_shares: 0.5 }, 422, 'num_shares'],
    ['a price in words', { ...shares, share_price: '1.25' }, 422, 'share_price'],
    ['no income', { share_price: 1, num_shares: 1, jurisdiction: 'ON' }, 422, 'income'],
    ['no jurisdiction', { share_price: 1, num_shares: 1, income: 1 }, 422, 'jurisdiction'],
    ['a province that is none', { ...shares, jurisdiction: 'Manitobia' }, 422, 'Manitoba'],
    ['another country', { ...shares, jurisdiction: 'Germany' }, 400, 'AB, BC'],
    ['a state', { ...shares, jurisdiction: 'WA' }, 400, 'AB, BC'],
    ['an unknown kind of share', { ...shares, fts_type: 'super' }, 422, 'regular'],
    ['a member that is not described', { ...shares, more: 1 }, 422, 'more'],
    ['broken JSON', '{"share_price":', 400, ''],
  ])('%s is refused with a hint', async (_name, body, status, hint) => {
    const response = await post(calculate.path, body)
    const answered = (await response.json()) as { detail: unknown; code: string; hint: string }
    expect([response.status, answered.code]).toEqual([status, status === 422 ? 'validation_error' : 'bad_request'])
    expect(answered.hint).toContain(hint)
    expect(Array.isArray(answered.detail)).toBe(status === 422)
  })
  it('refuses an unknown edition, a wrong parameter, GET, and a request without key', async () => {
    const [edition, parameter, get, open] = await Promise.all([
      post(`${calculate.path}?ruleset=fts@1999`, shares),
      post(`${calculate.path}?receipt=1`, shares),
      fetch(server.address + calculate.path, { headers: { authorization: `Bearer ${key}` } }),
      post(calculate.path, shares, {}),
    ])
    expect([edition.status, ((await edition.json()) as { hint: string }).hint]).toEqual([400, expect.stringContaining('fts@2026')])
    expect([parameter.status, get.status, open.status]).toEqual([400, 405, 401])
  })
})

describe('POST /api/v1/compliance/combined', () => {
  it.each([
    ['NY', 'computed', 'not_applicable'],
    ['Nova Scotia', 'not_applicable', 'computed'],
  ])('%s: the offering is %s, the tax %s', async (investor_state, law, tax) => {
    const body = await (await post(combine.path, { investor_state, is_flow_through: true })).json()
    expect(combine.answer?.safeParse(body).error).toBeUndefined()
    expect(body).toMatchObject({ offering: { status: law }, tax: { status: tax }, release: null, not_advice: true })
  })
  it('takes one ruleset or two', async () => {
    const [one, two, three] = await Promise.all(
      ['fts@2025', 'bluesky@2026-11,fts@2026', 'fts@2026,fts@2025,fts@2026'].map(names =>
        post(`${combine.path}?ruleset=${names}`, { investor_state: 'ON' }),
      ),
    )
    expect([await one?.json(), await two?.json()]).toMatchObject([{ ruleset: 'bluesky@2026-11,fts@2025' }, { ruleset: 'bluesky@2026-11,fts@2026' }])
    expect(three?.status).toBe(400)
  })
  it.each([
    ['no place', {}, 422, 'investor_state'],
    ['a place on neither side', { investor_state: 'Bavaria' }, 422, 'state of the United States'],
    ['an unknown exemption', { investor_state: 'ON', offering_type: 'reg_z' }, 422, 'reg_d_506b'],
  ])('%s is refused with a hint', async (_name, body, status, hint) => {
    const response = await post(combine.path, body)
    expect([response.status, ((await response.json()) as { hint: string }).hint]).toEqual([status, expect.stringContaining(hint)])
  })
})
