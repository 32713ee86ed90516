// Records of a user's sessions, and of entering the password again.
import { z } from 'zod'
import { LoginRequest } from './accounts.ts'
import { TotpConfirmed, TotpConfirmIn, TotpEnrolment } from './admin.ts'
import { Count, Flag, Instant, Text } from './values.ts'

/** How long export and erasure are permitted after a sign-in or a repeated password. */
export const proofMinutes = 15

export const ProveRequest = LoginRequest.pick({ password: true, totp_code: true })
export type ProveRequest = z.output<typeof ProveRequest>

export const OwnSession = z.object({
  id: Text,
  current: Flag.describe('the session that asks'),
  created_at: Instant,
  last_used_at: Instant.describe('to within a minute'),
  expires_at: Instant.describe('ends then, or 12 hours after its last use'),
  address_prefix: Text.describe('network that signed in: /24 of IPv4, /48 of IPv6'),
  agent: Text.describe('family of the browser or program'),
})
export type OwnSession = z.output<typeof OwnSession>
export const OwnSessions = z.object({ count: Count, sessions: z.array(OwnSession) })

export const OwnFactor = z.object({ totp_enrolled: Flag, recovery_codes_left: Count })
export const OwnEnrolment = TotpEnrolment.extend({
  expires_at: Instant.describe('until then POST /api/v1/auth/totp/confirm takes its first code'),
  qr_svg: Text.describe('the otpauth_uri as a QR code: an SVG image'),
})
export { TotpConfirmed, TotpConfirmIn }
