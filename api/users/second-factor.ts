// The second factor of any user over HTTP.
import { Forbidden } from '#schemas/errors.ts'
import { beginEnrolment, factorOf } from '#warehouse/people/admin/second-factor.ts'
import type { SealKey } from '#warehouse/people/admin/secret-key.ts'
import { confirmFactor } from '#warehouse/people/admin/sign-in.ts'
import { removeUserFactor } from '#warehouse/people/admin/user-factor.ts'
import { ringMail } from '#warehouse/people/mail/ring.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import type { Handlers } from '../handler.ts'
import { qrSvg } from './qr.ts'
import { sealKeyOf } from './seal-key.ts'
import { checkProof } from './security.ts'
import { jsonAnswer, noContent, type UserTools, userOf } from './tools.ts'

/** Confirms the pending enrolment. Throws `Forbidden` for a wrong code; returns the recovery codes. */
export async function confirmOwnFactor({ db, baseUrl, queue }: UserTools, key: () => SealKey, session: Session, code: string, now: Date) {
  const confirming = { db, key: key(), baseUrl: baseUrl(), act: 'account.second_factor' } as const
  const codes = await confirmFactor(confirming, session, code.replaceAll(' ', ''), now)
  if (codes !== null) {
    ringMail(queue)
    return codes
  }
  throw new Forbidden('this code is not the one that the authenticator shows for this set-up', {
    hint: 'send the code shown now; after 15 minutes, or five wrong ones, begin again',
  })
}

/** Removes the factor of the session's user. Throws `Forbidden` for an administrator. */
export async function removeOwnFactor({ db, baseUrl, queue }: UserTools, { user_id }: Session, now: Date): Promise<void> {
  await removeUserFactor({ db, baseUrl: baseUrl() }, user_id, 'user', now)
  ringMail(queue)
}

export function secondFactorHandlers(tools: UserTools) {
  const { db } = tools
  const key = sealKeyOf(tools)
  return {
    get_my_factor: async (_question, context) => {
      const { enrolled, recovery_codes_left } = await factorOf(db, userOf(context).user_id)
      return jsonAnswer({ totp_enrolled: enrolled, recovery_codes_left })
    },
    enrol_my_factor: async (_question, context) => {
      const session = userOf(context)
      checkProof(session, context.now())
      const enrolment = await beginEnrolment(db, key(), session, context.now())
      return jsonAnswer({ ...enrolment, qr_svg: qrSvg(enrolment.otpauth_uri) }, { status: 201 })
    },
    confirm_my_factor: async (_question, context) => {
      const { totp_code } = context.body as { readonly totp_code: string }
      const recovery_codes = await confirmOwnFactor(tools, key, userOf(context), totp_code, context.now())
      return jsonAnswer({ totp_enrolled: true, recovery_codes })
    },
    remove_my_factor: async (_question, context) => {
      const session = userOf(context)
      checkProof(session, context.now())
      await removeOwnFactor(tools, session, context.now())
      return noContent()
    },
  } satisfies Partial<Handlers>
}
