// Time-based one-time codes (RFC 6238 over RFC 4226: HMAC-SHA-1, steps of 30 seconds from 1970) by otpauth, and recovery codes. Pure.
import { timingSafeEqual } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'

const stepSeconds = 30
const codeDigits = 6
/** Steps before and after the current one whose codes are accepted, because clocks differ. */
const stepWindow = 1
/** 160 bits, as long as the HMAC's output (RFC 4226, section 4). */
export const secretBytes = 20
export const recoveryCodes = 10
/** 80 bits. */
export const recoveryBytes = 10

const secretOf = (bytes: Uint8Array): Secret => new Secret({ buffer: Uint8Array.from(bytes).buffer })

/** Base32 (RFC 4648) without padding. */
export const base32 = (bytes: Uint8Array): string => secretOf(bytes).base32

export const stepOf = (now: Date): number => Math.floor(now.getTime() / 1000 / stepSeconds)

/** The code of a step. */
export const codeOf = (secret: Uint8Array, step: number, digits = codeDigits): string =>
  HOTP.generate({ secret: secretOf(secret), counter: step, digits, algorithm: 'SHA1' })

/** The step within the window that has this code, the newest if several have; null for none. Compares every step, in constant time. */
export function findStep(secret: Uint8Array, code: string, now: Date): number | null {
  const shaped = /^[0-9]{6}$/.test(code)
  const given = Buffer.from(shaped ? code : '000000')
  let found: number | null = null
  for (let step = stepOf(now) - stepWindow; step <= stepOf(now) + stepWindow; step += 1) {
    if (step >= 0 && timingSafeEqual(Buffer.from(codeOf(secret, step)), given)) found = step
  }
  return shaped ? found : null
}

/** The URI that an authenticator reads from a QR code. */
export const otpauthUri = (secret: Uint8Array, account: string, issuer = 'Crossfile'): string =>
  new TOTP({ issuer, label: account, secret: secretOf(secret), algorithm: 'SHA1', digits: codeDigits, period: stepSeconds }).toString()

/** A recovery code as displayed: `ABCD-EFGH-IJKL-MNOP`. */
export const recoveryText = (bytes: Uint8Array): string => (base32(bytes).match(/.{4}/g) ?? []).join('-')
/** The canonical form of a recovery code in any spelling; null if it is none. */
export function readRecovery(text: string): string | null {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return /^[A-Z2-7]{16}$/.test(letters) ? letters : null
}
