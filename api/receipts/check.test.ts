// Checks of texts against signed answers, over HTTP and on the command line.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerOf, worldService } from '#fixtures/service.ts'
import { envOf, keptIo } from '#pipelines/cli/kept-io.ts'
import { main } from '#pipelines/cli/main.ts'
import type { ReceiptCheckAnswer } from '#schemas/claims.ts'
import { findActiveKid, revokeKey } from '#warehouse/store/receipts/rotation.ts'

const { db, get, post, warehouse } = await worldService()
const path = '/api/v1/receipts/check'
const home = mkdtempSync(join(tmpdir(), 'receipts-check-'))
const signed = async (question: string): Promise<string> => String((await answerOf(await get(question))).body['receipt_id'])
const check = async (text: string, receipts: readonly string[]) => await answerOf(await post(path, { text, receipts }))
const form4 = await signed('/api/v1/data/form4?ticker=BRLX')
const prices = await signed('/api/v1/market/eod/GLPR.TO?from=2026-11-16&to=2026-11-19&receipt=1')
const text =
  'Castellane Capital Partners disposed of 200,000 shares of Borealis Copper on November 12, 2026. GLPR.TO closed at 112.03 CAD on November 19, 2026, and at 113.03 CAD on November 18.'

describe('a check of a text', () => {
  it('binds figures to several receipts, each with its place, and names what is not in them', async () => {
    const { status, body } = await check(text, [form4, prices])
    expect(status).toBe(200)
    const { figures, names, receipts, supported, unsupported } = body as unknown as ReceiptCheckAnswer
    expect(figures.map(each => [each.text, each.code, each.binding?.receipt_id === form4, each.binding?.pointer ?? null])).toEqual([
      ['200,000', 'value', true, '/transactions/0/shares'],
      ['November 12, 2026', 'date', true, '/transactions/0/transaction_date'],
      ['112.03 CAD', 'value', false, '/bars/3/close'],
      ['November 19, 2026', 'date', false, '/bars/3/date'],
      ['113.03 CAD', 'other_rounding', false, null],
      ['November 18', 'date', false, '/bars/2/date'],
    ])
    expect([supported, unsupported]).toEqual([5, 1])
    expect(names.map(each => each.status)).not.toContain('unsupported')
    expect(receipts.map(each => [each.receipt_id, each.question])).toEqual([
      [form4, 'GET /api/v1/data/form4?limit=100&ticker=BRLX'],
      [prices, expect.stringContaining('GET /api/v1/market/eod/GLPR.TO?')],
    ])
  })

  it('makes an answer that is not stored again, and compares its bytes with the signed ones', async () => {
    const dropped = await db
      .updateTable('page')
      .set({ payload: null, receipt_id: null })
      .where('receipt_id', '=', prices)
      .returning(['operation', 'question', 'release_from'])
      .execute()
    expect(dropped).toHaveLength(1)
    const { status, body } = await check('GLPR.TO closed at 112.03 CAD on November 19, 2026.', [prices])
    expect([status, body['supported']]).toEqual([200, 2])
    expect((body['receipts'] as { payload: string }[])[0]?.payload).toBe('made_again')
    // Bytes of someone else under the id of the receipt are never read.
    const [page] = dropped
    await db
      .updateTable('page')
      .set({ payload: Buffer.from('{"bars":[{"close":999.99}]}'), receipt_id: prices })
      .where('operation', '=', page?.operation ?? '')
      .where('question', '=', page?.question ?? '')
      .where('release_from', '=', page?.release_from ?? 0)
      .execute()
    const swapped = await check('GLPR.TO closed at 999.99 CAD.', [prices])
    expect([swapped.status, swapped.body['supported']]).toEqual([200, 0])
  })

  it('refuses unknown, malformed, too many and too few receipts, and texts that are too long or empty', async () => {
    expect((await check(text, [`r1_${'a'.repeat(52)}`])).status).toBe(404)
    expect((await check(text, ['r1_short'])).status).toBe(422)
    expect((await check(text, [])).status).toBe(422)
    expect(
      (
        await check(
          text,
          Array.from({ length: 21 }, () => form4),
        )
      ).status,
    ).toBe(422)
    expect((await check('', [form4])).status).toBe(422)
    expect((await check('x'.repeat(16_001), [form4])).status).toBe(422)
    expect((await check('x'.repeat(300_000), [form4])).status).toBe(413)
    expect((await post(path, { text, receipts: [form4] }, {})).status).toBe(401)
  })

  it('names each receipt once, and says so of the answer that the receipt cites', async () => {
    const { status, body } = await check(`Figures of ${form4}: 200,000 shares were disposed of.`, [form4, form4])
    expect(status).toBe(200)
    expect((body as unknown as ReceiptCheckAnswer).figures.map(each => each.code)).toEqual(['identifier', 'value'])
    expect((body as unknown as ReceiptCheckAnswer).receipts).toHaveLength(1)
  })

  it('is `crossfile receipts check`', async () => {
    const file = join(home, 'note.txt')
    writeFileSync(file, text)
    const io = keptIo(envOf(warehouse.config))
    expect(await main(['receipts', 'check', file, form4, prices], io, {})).toBe(1)
    const out = io.output.out.join('\n')
    expect(out).toContain('supported   1:41  200,000  =  200000 shares at /transactions/0/shares')
    expect(out).toContain('6 figures: 5 supported, 0 ambiguous, 1 unsupported')
    writeFileSync(file, 'Castellane Capital Partners disposed of 200,000 shares.')
    expect(await main(['receipts', 'check', file, form4], keptIo(envOf(warehouse.config)), {})).toBe(0)
    expect(await main(['receipts', 'check', join(home, 'none.txt'), form4], keptIo(envOf(warehouse.config)), {})).toBe(2)
  })

  it('refuses a receipt of a stolen key, and one whose statement was changed in the database', async () => {
    const kid = (await findActiveKid(db)) ?? ''
    await db
      .updateTable('receipt')
      .set({ signature: Buffer.alloc(64) })
      .where('receipt_id', '=', form4)
      .execute()
    const changed = await check(text, [form4])
    expect([changed.status, changed.text]).toEqual([422, expect.stringContaining('is not valid: signature_wrong')])
    await revokeKey(db, kid, '1970-01-01T00:00:00Z')
    const stolen = await check(text, [prices])
    expect([stolen.status, stolen.text]).toEqual([422, expect.stringMatching(/is not valid: key_compromised/)])
  })
})
