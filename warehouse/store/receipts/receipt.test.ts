import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aReceipt, aSigner, aStatementInput, payload } from '#fixtures/receipts/vectors.ts'
import { issueReceipt, payloadOf, spliceReceiptId } from './receipt.ts'
import { buildStatement } from './statement.ts'

const id = aReceipt().receipt_id

describe('a receipt', () => {
  it('is the same bytes each time it is issued', () => {
    const again = aReceipt()
    expect(again.receipt_id).toBe('r1_cyops2vjrpksm5ae56jpd2lzitfk4otxrcqp55qv6sj327vmpxza')
    expect(again.statement_bytes.equals(aReceipt().statement_bytes)).toBe(true)
    expect(again.signature.equals(aReceipt().signature)).toBe(true)
  })

  it('keeps its id under another key, and changes it with its content', () => {
    const ids = [
      aReceipt(),
      aReceipt({ release: 43 }),
      aReceipt({ as_of: '2026-11-02T21:04:10Z' }),
      aReceipt({ transform: 'insider/2' }),
      aReceipt({ schema: 'form4/2' }),
      aReceipt({ payload: Buffer.from('{}') }),
      aReceipt({ sources: [] }),
      aReceipt({ name: 'GET /api/v1/data/form4?ticker=QNTX' }),
      aReceipt({ manifest_sha256: '33'.repeat(32) }),
      aReceipt({ media_type: 'text/csv' }),
    ].map(receipt => receipt.receipt_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is never issued over what does not fit its schema', () => {
    const statement = buildStatement(aStatementInput())
    const withCaller = { ...statement, predicate: { ...statement.predicate, caller: 'user-7' } }
    expect(() => issueReceipt(withCaller, aSigner)).toThrow('receipt statement predicate')
  })
})

describe('the id in the body', () => {
  it('is its last member, and without it the bytes are the signed ones', () => {
    const body = spliceReceiptId(payload, id)
    expect(body.toString()).toBe(`${payload.toString().slice(0, -1)},"receipt_id":"${id}"}`)
    expect(Object.keys(JSON.parse(body.toString())).at(-1)).toBe('receipt_id')
    expect(payloadOf(body)).toEqual({ payload, receipt_id: id })
  })

  it('comes off any JSON object as it went on', () => {
    const anObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).filter(o => !('receipt_id' in o))
    fc.assert(
      fc.property(anObject, object => {
        const bytes = Buffer.from(JSON.stringify(object))
        const body = spliceReceiptId(bytes, id)
        expect(JSON.parse(body.toString())).toEqual({ ...JSON.parse(bytes.toString()), receipt_id: id })
        expect(payloadOf(body).payload.equals(bytes)).toBe(true)
      }),
      { seed: 20261120 },
    )
  })

  it('is not found inside a text or a nested object that ends the body', () => {
    for (const object of [{ a: { receipt_id: id } }, { a: `,"receipt_id":"${id}"}` }, { a: [{ receipt_id: id }] }]) {
      const bytes = Buffer.from(JSON.stringify(object))
      expect(payloadOf(bytes)).toEqual({ payload: bytes, receipt_id: null })
      expect(payloadOf(spliceReceiptId(bytes, id)).payload.equals(bytes)).toBe(true)
    }
  })

  it('goes into an object once, and into nothing else', () => {
    expect(() => spliceReceiptId(spliceReceiptId(payload, id), id)).toThrow('already ends with a receipt_id')
    for (const text of ['[]', '""', '', '}', '{', ' {}', '{}\n']) expect(() => spliceReceiptId(Buffer.from(text), id)).toThrow('not a JSON object')
    expect(() => spliceReceiptId(payload, 'r1_"}')).toThrow('expected r1_')
    expect(() => payloadOf(Buffer.from('{}\n'))).toThrow('first to its last byte')
  })
})
