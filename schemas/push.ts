// Devices and web push: registrations from browsers and apps, and their answers.
import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { plainText } from './plain-text.ts'
import { parseSymbol } from './spelling.ts'
import { Count, Instant, Text } from './values.ts'

export const DeviceRegistration = z.strictObject({
  platform: plainText(16).describe('such as ios, android or web'),
  token: plainText(4096).min(8).describe("of the platform's push service"),
})
export const DeviceRemoval = z.strictObject({
  platform: DeviceRegistration.shape.platform.optional(),
  token: DeviceRegistration.shape.token,
})
export const DeviceOut = z.object({
  id: Text,
  platform: Text,
  token_end: Text.describe('last four characters of the token, which is not shown again'),
  created_at: Instant,
  last_registered_at: Instant,
})

const base64 = /^[A-Za-z0-9_+/-]+={0,2}$/
const P256dh = z.string().min(10).max(128).regex(base64, 'expected base64url').describe("the browser's public key: a P-256 point")
const Auth = z.string().min(10).max(64).regex(base64, 'expected base64url').describe("the browser's secret of 16 bytes")
const Endpoint = plainText(2000)
  .min(20)
  .meta({ description: "address at the browser's push service, https", examples: ['https://updates.push.services.mozilla.com/wpush/v2/gAAAAA'] })
const PushKeys = z.strictObject({ p256dh: P256dh, auth: Auth })
const Ticker = z.string().transform((text, ctx) => {
  const symbol = parseSymbol(text)?.symbol
  if (symbol !== undefined) return symbol
  ctx.addIssue('expected a symbol such as SHOP.TO or AAPL')
  return z.NEVER
})

/** Both formats: `keys` nested as browsers send them, or p256dh and auth next to the endpoint. */
export const PushSubscribeRequest = z
  .strictObject({
    endpoint: Endpoint,
    keys: PushKeys.optional().describe('as PushSubscription.toJSON() gives them'),
    p256dh: P256dh.optional().describe('in place of keys'),
    auth: Auth.optional().describe('in place of keys'),
    tickers: z.array(Ticker).max(100).nullish().describe('symbols whose notices are sent here; null or omitted: all'),
    expirationTime: z.number().nullish().describe('as browsers send it; not used'),
  })
  .transform(({ endpoint, keys, p256dh, auth, tickers }, ctx) => {
    const flat = p256dh !== undefined || auth !== undefined
    if ((keys !== undefined) === flat || (flat && (p256dh === undefined || auth === undefined))) {
      ctx.addIssue({ code: 'custom', path: ['keys'], message: 'expected either keys {p256dh, auth}, or p256dh and auth next to the endpoint' })
      return z.NEVER
    }
    const where = keys === undefined ? [] : ['keys']
    const point = Buffer.from(keys?.p256dh ?? p256dh ?? '', 'base64url')
    const secret = Buffer.from(keys?.auth ?? auth ?? '', 'base64url')
    if (!isPoint(point))
      ctx.addIssue({ code: 'custom', path: [...where, 'p256dh'], message: 'expected an uncompressed point of the curve P-256 (65 bytes)' })
    if (secret.length !== 16) ctx.addIssue({ code: 'custom', path: [...where, 'auth'], message: 'expected 16 bytes' })
    const distinct = tickers == null ? null : [...new Set(tickers)].sort()
    return { endpoint, p256dh: point.toString('base64url'), auth: secret.toString('base64url'), tickers: distinct }
  })
export const PushUnsubscribeRequest = z.strictObject({
  endpoint: Endpoint,
  keys: PushKeys.optional().describe('may be sent along; not used'),
  expirationTime: z.number().nullish().describe('may be sent along; not used'),
})

export const PushSubscriptionOut = z.object({
  id: Text,
  host: Text.describe('of the push service; the address itself is not shown again'),
  tickers: z.array(Text).nullable(),
  created_at: Instant,
  last_subscribed_at: Instant,
})
export const PushTestOut = z.object({
  status: z.literal('queued'),
  subscriptions: Count.describe('browsers that it is sent to'),
})

function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false
  try {
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    return false
  }
}
