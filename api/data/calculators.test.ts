// The two calculators through the whole service: request bodies, refusals, receipts and their verification.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { worldService } from '#fixtures/service.ts'
import { maxDrillText } from '#schemas/drill.ts'
import { drillOperations } from '#schemas/operations/drill.ts'
import { withholdingOperations } from '#schemas/operations/withholding.ts'

const { get, key, server } = await worldService()

const keyed = { authorization: `Bearer ${key}` }
const post = (body: unknown, query = ''): Promise<Response> =>
  fetch(`${server.address}/api/v1/data/drill/interpret${query}`, {
    method: 'POST',
    headers: { ...keyed, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const text = 'Hole GL-26-014 returned 12.5 m @ 3.2 g/t Au from 120 m incl. 2 m @ 10 g/t Au from 124 m.'

describe('POST /api/v1/data/drill/interpret', () => {
  it('answers according to its schema, the same bytes each time', async () => {
    const [first, second] = [await (await post({ text })).text(), await (await post({ deposit_type: 'default', intervals: [], text })).text()]
    expect(first).toBe(second)
    expect(drillOperations[0].answer?.safeParse(JSON.parse(first)).error).toBeUndefined()
    expect(JSON.parse(first).intervals[0].including).toHaveLength(1)
  })
  it('signs the hash of what was posted; the same request gives the same receipt', async () => {
    const [first, again] = [await post({ text }, '?receipt=1'), await post({ text, intervals: [] }, '?receipt=1')]
    const id = first.headers.get('x-receipt-id')
    expect(id).toMatch(/^r1_/)
    expect(again.headers.get('x-receipt-id')).toBe(id)
    const { input_sha256 } = (await first.json()) as { input_sha256: string }
    expect(input_sha256).toBe(
      createHash('sha256')
        .update(JSON.stringify({ deposit_type: 'default', intervals: [], text }))
        .digest('hex'),
    )
    const verified = (await (await get(`/api/v1/lineage/verify/${id}`)).json()) as Record<string, unknown>
    expect(verified).toMatchObject({ valid: true, reproduced: null, reproduced_reason: expect.stringContaining('send the same request') })
    expect(JSON.stringify(verified)).toContain(`POST /api/v1/data/drill/interpret?input_sha256=${input_sha256}&ruleset=drill%402026-11`)
    expect((await post({ text: `${text} ` }, '?receipt=1')).headers.get('x-receipt-id')).not.toBe(id)
  })
  it('reads a long text aside, with the answer that a short one gets', async () => {
    const long = `${text}\n\n${'The company owns ground. '.repeat(1000)}`
    const answered = (await (await post({ text: long })).json()) as { intervals: { ref: string }[] }
    expect(answered.intervals.map(each => each.ref)).toEqual(['1'])
    const refused = await post({ text: long, intervals: [{ length: -1, au_gpt: 1 }] })
    expect([refused.status, await refused.json()]).toEqual([
      422,
      expect.objectContaining({ code: 'validation_error', detail: [expect.objectContaining({ loc: ['body', 'intervals', 0, 'length'] })] }),
    ])
  })
  it.each([
    ['no text', {}, 422, 'text'],
    ['another deposit type', { text, deposit_type: 'porphyri' }, 422, 'porphyry'],
    ['a negative grade', { text, intervals: [{ length: 5, au_gpt: -1 }] }, 422, 'intervals.0.au_gpt'],
    ['a member that is not described', { text, more: 1 }, 422, 'more'],
    ['a text that is too long', { text: 'x'.repeat(maxDrillText + 1) }, 422, String(maxDrillText)],
    ['a text whose bytes are too many', { text: 'é'.repeat(maxDrillText / 2 + 1) }, 422, String(maxDrillText)],
    ['a body that is too long', { text: 'x'.repeat(3 * 1024 * 1024) }, 413, 'send at most'],
    ['broken JSON', '{"text":', 400, ''],
  ])('%s is refused with a hint', async (_name, body, status, hint) => {
    const response = await post(body)
    const result = (await response.json()) as { detail: unknown; hint: string }
    expect(response.status).toBe(status)
    expect(result.hint).toContain(hint)
    expect(Array.isArray(result.detail)).toBe(status === 422)
  })
  it('takes POST alone, and a key', async () => {
    const [wrong, open] = await Promise.all([
      get('/api/v1/data/drill/interpret'),
      fetch(`${server.address}/api/v1/data/drill/interpret`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"text":""}',
      }),
    ])
    expect([wrong.status, open.status]).toEqual([405, 401])
  })
})

describe('GET /api/v1/data/withholding', () => {
  it('answers one combination at the top level, and the table without one', async () => {
    const one = (await (await get('/api/v1/data/withholding?issuer_country=us&account_type=TFSA&amount=1000.00')).json()) as Record<string, unknown>
    expect(withholdingOperations[0].answer?.safeParse(one).error).toBeUndefined()
    expect(one).toMatchObject({ rate_pct: 15, recoverable: 'none', withheld_amount: 150, count: 1, not_advice: true, ruleset: 'withholding@2026-11' })
    const all = (await (await get('/api/v1/data/withholding')).json()) as { count: number; rows: unknown[] }
    expect(withholdingOperations[0].answer?.safeParse(all).error).toBeUndefined()
    expect(all.rows).toHaveLength(all.count)
    expect(all.count).toBeGreaterThan(100)
  })
  it('gives its rows as csv and excel', async () => {
    for (const format of ['csv', 'excel']) {
      const lines = (await (await get(`/api/v1/data/withholding?issuer_country=CA&instrument=common&format=${format}`)).text()).trim().split('\r\n')
      expect([lines.length, lines[0]?.startsWith(format === 'csv' ? 'issuer_country,' : 'issuer_country\t')]).toEqual([16, true])
    }
  })
  it('is signed, and made again from its ruleset alone', async () => {
    const signed = (await (await get('/api/v1/data/withholding?issuer_country=CA&account_type=roth_ira&receipt=1')).json()) as { receipt_id: string }
    const verified = await (await get(`/api/v1/lineage/verify/${signed.receipt_id}`)).json()
    expect(verified).toMatchObject({ valid: true, reproduced: true })
  })
  it.each([
    ['issuer_country=UK', 'CA or US'],
    ['account_type=isa', 'tfsa'],
    ['issuer_country=US&account_type=tfsa&instrument=bond', 'etf_ca_listed'],
    ['account_type=tfsa&ownership_pct=101', '0 to 100'],
    ['account_type=tfsa&amount=-5', '0 or more'],
    ['ruleset=withholding@1999-01', 'withholding@2026-11'],
    ['account=tfsa', 'account_type'],
  ])('%s is 400 with a hint', async (query, hint) => {
    const response = await get(`/api/v1/data/withholding?${query}`)
    expect([response.status, ((await response.json()) as { hint: string }).hint]).toEqual([400, expect.stringContaining(hint)])
  })
})
