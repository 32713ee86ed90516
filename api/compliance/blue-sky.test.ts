// The checks of an offering through the whole service: what is posted, what is answered, how it is refused, and that nothing of it is kept.
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { blueSkyOperations } from '#schemas/operations/blue-sky.ts'

const { key, post, server } = await worldService()

const [one, several] = blueSkyOperations
const answered = async (path: string, body: unknown): Promise<Record<string, unknown>> =>
  (await (await post(path, body)).json()) as Record<string, unknown>

describe('POST /api/v1/compliance/blue-sky', () => {
  it('answers according to its schema with the defaults of the request, the same bytes each time, without a receipt', async () => {
    const [response, again] = [
      await post(one.path, { investor_state: 'ny' }),
      await post(one.path, { investor_state: 'ny', offering_type: 'reg_d_506b' }),
    ]
    const text = await response.text()
    expect(await again.text()).toBe(text)
    expect(one.answer?.safeParse(JSON.parse(text)).error).toBeUndefined()
    expect([response.status, response.headers.get('x-receipt-id'), response.headers.get('cache-control')]).toEqual([
      200,
      null,
      expect.stringContaining('no-store'),
    ])
    expect(JSON.parse(text)).toMatchObject({
      ruleset: 'bluesky@2026-11',
      status: 'pass',
      investor_state: { asked: 'ny', code: 'NY', name: 'New York' },
      offering: { offering_type: 'reg_d_506b', offering_amount_usd: 5000000 },
      notice_filing: { status: 'due', due_days: 15, fee: { exact_usd: 1200 } },
      not_advice: true,
      as_of: '2026-11-20T00:00:00Z',
      release: null,
      sources: expect.arrayContaining([expect.objectContaining({ name: expect.stringContaining('F8') })]),
    })
  })
  it('takes an edition by either spelling, and lists them for one that is none', async () => {
    for (const name of ['bluesky@2026-11', 'blue-sky@2026-11'])
      expect(await answered(`${one.path}?ruleset=${name}`, { investor_state: 'TX' })).toMatchObject({ ruleset: 'bluesky@2026-11' })
    const response = await post(`${one.path}?ruleset=bluesky@2020-01`, { investor_state: 'TX' })
    expect([response.status, ((await response.json()) as { hint: string }).hint]).toEqual([400, expect.stringContaining('bluesky@2026-11')])
  })
  it.each([
    ['no state', {}, 'investor_state'],
    ['a province', { investor_state: 'Ontario' }, 'combined'],
    ['a state that is none', { investor_state: 'New Yrok' }, 'New York'],
    ['an exemption that is none', { investor_state: 'NY', offering_type: 'reg_d_506' }, 'reg_d_506b'],
    ['an exchange that is none', { investor_state: 'NY', exchange: 'Moon' }, 'NASDAQ'],
    ['a negative amount', { investor_state: 'NY', offering_amount_usd: -1 }, 'offering_amount_usd'],
    ['an amount in words', { investor_state: 'NY', offering_amount_usd: '5000000' }, 'offering_amount_usd'],
    ['half an investor', { investor_state: 'NY', max_non_accredited: 0.5 }, 'max_non_accredited'],
    ['a member that is not described', { investor_state: 'NY', income: 1 }, 'income'],
  ])('%s is 422 with the member and a hint', async (_name, body, hint) => {
    const response = await post(one.path, body)
    const result = (await response.json()) as { code: string; detail: { loc: string[] }[]; hint: string }
    expect([response.status, result.code, result.detail[0]?.loc[0]]).toEqual([422, 'validation_error', 'body'])
    expect(result.hint).toContain(hint)
  })
  it('takes POST alone, JSON, and a key', async () => {
    const wrong = await fetch(server.address + one.path, { headers: { authorization: `Bearer ${key}` } })
    const [open, broken] = [await post(one.path, { investor_state: 'NY' }, {}), await post(one.path, '{"investor_state":')]
    expect([wrong.status, open.status, broken.status]).toEqual([405, 401, 400])
  })
})

describe('POST /api/v1/compliance/blue-sky/states', () => {
  it('answers each state once with the sums, and lists what is no state', async () => {
    const body = await answered(several.path, {
      states: ['NY', 'new york', 'TX', 'Guam', 'QC'],
      offering_type: 'reg_d_506c',
      general_solicitation: true,
    })
    expect(several.answer?.safeParse(body).error).toBeUndefined()
    expect(body).toMatchObject({
      status: 'unknown',
      count: 3,
      states: [{ code: 'NY', asked: ['NY', 'new york'] }, { code: 'TX' }, { code: 'GU', status: 'unknown' }],
      not_states: [{ asked: 'QC', hint: expect.stringContaining('combined') }],
      totals: { exact_usd: 1200, low_usd: 1200, high_usd: 1700, exact: ['NY'], ranges: ['TX'], unknown: ['GU'], filing_system_usd: 160 },
    })
  })
  it.each([
    ['no states', { states: [] }],
    ['none that is a state', { states: ['Ontario', 'Bavaria'] }],
    ['too many', { states: Array.from({ length: 61 }, () => 'NY') }],
    ['no list', { states: 'NY' }],
  ])('%s is 422', async (_name, body) => {
    const response = await post(several.path, body)
    expect([response.status, ((await response.json()) as { detail: unknown[] }).detail]).toEqual([
      422,
      [expect.objectContaining({ loc: expect.arrayContaining(['body', 'states']) })],
    ])
  })
})
