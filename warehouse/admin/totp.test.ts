// The vectors of RFC 6238, an independent implementation, the window, and the shapes that people type.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Secret, TOTP, URI } from 'otpauth'
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

describe('against another implementation', () => {
  it('codes, base32 and the address of an enrolment agree', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.integer({ min: 0, max: 20_000_000_000 }), (bytes, seconds) => {
        const other = new TOTP({
          issuer: 'Crossfile',
          label: 'a b@example.org',
          secret: new Secret({ buffer: bytes.slice().buffer }),
          digits: 6,
          period: 30,
        })
        expect(codeOf(bytes, stepOf(at(seconds)))).toBe(other.generate({ timestamp: seconds * 1000 }))
        expect(base32(bytes)).toBe(other.secret.base32)
        const read = URI.parse(otpauthUri(bytes, 'a b@example.org')) as TOTP
        expect([read.secret.base32, read.issuer, read.label, read.digits, read.period, read.algorithm]).toEqual([
          other.secret.base32,
          'Crossfile',
          'a b@example.org',
          6,
          30,
          'SHA1',
        ])
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
