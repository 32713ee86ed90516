import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aStatementInput, payload } from '#fixtures/receipts/vectors.ts'
import { ReceiptId } from '#schemas/answer.ts'
import { canonicalName } from '#schemas/operations/canonical.ts'
import type { ReceiptSource } from '#schemas/receipts.ts'
import { canonicalText, statementBytes } from './canonical.ts'
import { base32, buildStatement, checkName, questionOf, receiptId, sha256Hex } from './statement.ts'

const sha = (byte: string) => byte.repeat(32)

describe('a receipt id', () => {
  it('is base32 as RFC 4648 section 10 gives it, in lower case and without padding', () => {
    const vectors = { f: 'my', fo: 'mzxq', foo: 'mzxw6', foob: 'mzxw6yq', fooba: 'mzxw6ytb', foobar: 'mzxw6ytboi' }
    for (const [text, expected] of Object.entries(vectors)) expect(base32(Buffer.from(text))).toBe(expected)
    expect(base32(new Uint8Array(0))).toBe('')
  })

  it('has 55 characters and one spelling', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        const id = receiptId(bytes)
        expect(id).toHaveLength(55)
        expect(ReceiptId.safeParse(id).success).toBe(true)
      }),
    )
    expect(ReceiptId.safeParse(`r1_${'a'.repeat(51)}b`).success).toBe(false) // bits beyond the 256
  })
})

describe('a statement', () => {
  it('is an in-toto Statement v1 over the hash and size of the payload', () => {
    expect(buildStatement(aStatementInput())).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'GET /api/v1/data/form4?since=2026-01-01&ticker=QNTX', digest: { sha256: sha256Hex(payload) } }],
      predicateType: 'urn:crossfile:receipt:v1',
      predicate: {
        v: 1,
        release: 42,
        as_of: '2026-11-02T21:04:09Z',
        sources: [{ accession: '0009000001-26-000007', sha256: sha('11') }],
        schema: 'form4/1',
        transform: 'insider/1',
        payload: { bytes: payload.byteLength, media_type: 'application/json' },
      },
    })
  })

  it('is the same whatever the order of the sources, each of which it names once', () => {
    const sources: ReceiptSource[] = [
      { source: 'SEC EDGAR', url: 'https://example.com/b', sha256: sha('0b') },
      { accession: '0009000001-26-000007', sha256: sha('11') },
      { accession: '0009000001-26-000003', sha256: sha('ff') },
      { source: 'SEC EDGAR', sha256: sha('0a') },
    ]
    const bytes = statementBytes(buildStatement(aStatementInput({ sources })))
    fc.assert(
      fc.property(fc.shuffledSubarray([...sources, ...sources], { minLength: 8 }), shuffled => {
        expect(statementBytes(buildStatement(aStatementInput({ sources: shuffled }))).equals(bytes)).toBe(true)
      }),
    )
    expect(buildStatement(aStatementInput({ sources })).predicate.sources).toHaveLength(4)
  })

  it('lists 256 sources, and of more gives the number and the digest over the sorted list', () => {
    const sources = Array.from({ length: 257 }, (_, i) => ({ source: 'example', sha256: i.toString(16).padStart(64, '0') }))
    expect(buildStatement(aStatementInput({ sources: sources.slice(1) })).predicate.sources).toHaveLength(256)
    const { predicate } = buildStatement(aStatementInput({ sources: sources.toReversed() }))
    expect(predicate.sources).toBeUndefined()
    expect(predicate.sources_count).toBe(257)
    expect(predicate.sources_sha256).toBe(sha256Hex(Buffer.from(canonicalText(sources, 'statement'))))
  })

  it('rejects what does not fit its schema, and names it', () => {
    expect(() => buildStatement(aStatementInput({ release: 1.5 }))).toThrow('receipt statement predicate.release')
    expect(() => buildStatement(aStatementInput({ as_of: 'now' }))).toThrow('predicate.as_of')
    expect(() => buildStatement(aStatementInput({ sources: [{ accession: '1', sha256: sha('11') }] }))).toThrow('predicate.sources')
    expect(() => buildStatement(aStatementInput({ payload: new Uint8Array(0) }))).toThrow('predicate.payload.bytes')
  })

  it('never carries the key that an upstream was asked with', () => {
    for (const url of ['https://example.com/eod?api_token=s3cret', 'https://example.com/eod?a=1&Token=s3cret', 'https://u:s3cret@example.com/']) {
      const build = () => buildStatement(aStatementInput({ sources: [{ source: 'example', url, sha256: sha('11') }] }))
      expect(build).toThrow('carries a credential')
      expect(build).not.toThrow('s3cret')
    }
  })
})

describe('the question of a statement', () => {
  it('is taken as schemas/operations spells it', () => {
    const name = canonicalName('GET', '/api/v1/market/eod/{symbol}', { symbol: 'RY.TO', limit: 5, from: '2024-01-01', format: 'csv', release: 7 })
    expect(checkName(name)).toBe('GET /api/v1/market/eod/RY.TO?from=2024-01-01&limit=5')
    expect(checkName(canonicalName('GET', '/api/v1/market/quotes', { symbols: ['AAPL', 'BRK-B'], q: 'a b&c' }))).toBe(
      'GET /api/v1/market/quotes?q=a%20b%26c&symbols=AAPL,BRK-B',
    )
  })

  it('can be asked again', () => {
    const statement = buildStatement(aStatementInput({ name: 'GET /api/v1/market/symbols?q=a%20b%26c&symbol=RY.TO' }))
    expect(questionOf(statement)).toEqual({
      operation: 'GET /api/v1/market/symbols',
      parameters: { q: 'a b&c', symbol: 'RY.TO' },
      query: 'q=a%20b%26c&symbol=RY.TO',
    })
    expect(questionOf(buildStatement(aStatementInput({ name: 'GET /api/v1/data/plans' }))).parameters).toEqual({})
  })

  const refused = [
    ['an API key', '?apikey=cf_live_x'],
    ['a token', '?access_token=x'],
    ['a user', '?user_id=7'],
    ['a rendering', '?format=excel'],
    ['a release, which the predicate names', '?release=7'],
    ['parameters out of order', '?since=2024-01-01&limit=5'],
    ['a parameter twice', '?limit=5&limit=5'],
    ['a ticker in lower case', '?ticker=mrvl'],
    ['a space', '?q=a b'],
    ['a plus for a space', '?q=a+b'],
    ['lower-case escapes', '?q=%2f'],
    ['a needless escape', '?q=%41'],
    ['a broken escape', '?q=%4'],
    ['a parameter without value', '?q'],
    ['an empty query', '?'],
    ['a fragment', '#x'],
    ['a letter beyond ASCII', '?q=é'],
  ] as const
  it.each(refused)('has no place for %s', (_name, query) => {
    expect(() => buildStatement(aStatementInput({ name: `GET /api/v1/data/form4${query}` }))).toThrow('receipt: ')
  })
})
