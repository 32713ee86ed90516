// The vectors of RFC 6238, the text of the RFCs, the window, and the shapes that people type.
import { createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base32, codeOf, findStep, otpauthUri, readRecovery, recoveryText, stepOf } from './totp.ts'

const at = (seconds: number): Date => new Date(seconds * 1000)

it.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('RFC 6238, appendix B: %i s gives %s', (seconds, code) => {
  expect(codeOf(Buffer.from('12345678901234567890'), stepOf(at(seconds)), 8)).toBe(code)
})

/** RFC 4226, section 5.3, written out: the codes of the library are compared with it. */
function referenceCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE((mac[19] ?? 0) & 0xf) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

describe('against the text of the RFCs', () => {
  it('codes agree with RFC 4226, base32 with RFC 4648, and the address of an enrolment holds what authenticators read', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.integer({ min: 0, max: 20_000_000_000 }), (bytes, seconds) => {
        expect(codeOf(bytes, stepOf(at(seconds)))).toBe(referenceCode(bytes, stepOf(at(seconds))))
        const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
        const text = (bits.match(/.{5}/g) ?? []).map(part => letters[Number.parseInt(part, 2)]).join('')
        expect(base32(bytes)).toBe(text)
        const uri = new URL(otpauthUri(bytes, 'a b+c@example.org'))
        expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual(['otpauth:', 'totp', '/Crossfile:a b+c@example.org'])
        const wanted = { issuer: 'Crossfile', secret: text, algorithm: 'SHA1', digits: '6', period: '30' }
        expect(Object.fromEntries(uri.searchParams)).toEqual(wanted)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the window', () => {
  const secret = Buffer.from('12345678901234567890')
  it('takes the code of the step before, the present and the next one, and no other', () => {
    const now = at(1_234_567_890)
    const step = stepOf(now)
    expect([-2, -1, 0, 1, 2].map(shift => findStep(secret, codeOf(secret, step + shift), now))).toEqual([null, step - 1, step, step + 1, null])
    expect(findStep(secret, codeOf(secret, 0), at(0))).toBe(0)
  })
  it.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '000000\u0000'])('%j is no code', code => {
    expect(findStep(randomBytes(20), code, at(1_234_567_890))).toBeNull()
  })
})

it('a recovery code is read however it is typed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), bytes => {
      const text = recoveryText(bytes)
      expect(text).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
      expect([text, text.toLowerCase(), text.replaceAll('-', ''), ` ${text.replaceAll('-', ' ')} `].map(readRecovery)).toEqual(
        Array(4).fill(base32(bytes)),
      )
    }),
  )
  expect(['', '123456', 'ABCD-EFGH-IJKL-MNO1', 'ABCD-EFGH-IJKL-MNOPQ'].map(readRecovery)).toEqual([null, null, null, null])
})
