// Referral: ids come from the session, and what stands in a body is compared with it.
import type { z } from 'zod'
import { Forbidden, NotFound } from '#schemas/errors.ts'
import type { AttributePayload, ConvertPayload } from '#schemas/referrals.ts'
import { attribute, conversionOf, ownCode } from '#warehouse/referrals/referrals.ts'
import { audit, pseudonymOf } from '#warehouse/users/audit.ts'
import { asService, asUser, type Trx } from '#warehouse/users/own-rows.ts'
import type { Handlers } from '../handler.ts'
import { told, type UserTools, userOf, written } from './tools.ts'

export function referralHandlers(tools: Pick<UserTools, 'db'>): Pick<Handlers, 'get_referral_code' | 'attribute_referral' | 'convert_referral'> {
  return {
    get_referral_code: async (_question, context) => {
      const { user_id } = userOf(context)
      return told(await asUser(tools.db, user_id, trx => ownCode(trx, user_id)))
    },
    attribute_referral: (_question, context) => {
      const { code, new_user_id } = context.body as z.output<typeof AttributePayload>
      const { user_id } = userOf(context)
      if (new_user_id !== user_id)
        throw new Forbidden('new_user_id is not the account that is signed in', { hint: 'GET /api/v1/auth/me says its id' })
      return written(tools, context, async trx => ({
        status: 200,
        body: { status: 'attributed', ...(await attribute(trx, user_id, code, context.now())) },
      }))
    },
    convert_referral: (_question, context) => {
      const { referred_user_id, tier } = context.body as z.output<typeof ConvertPayload>
      return written(tools, context, async trx => {
        const now = context.now()
        const done = await conversionOf(trx, referred_user_id, tier, now)
        if (done === null) throw new NotFound('no account of this id was brought by another', { hint: 'GET /api/v1/admin/users lists the accounts' })
        if (done.first) await asService(trx, () => noteConversion(trx, userOf(context).user_id, referred_user_id, tier, now))
        return {
          status: 200,
          body: { status: 'converted', referred_user_id, tier: done.converted_tier, converted_at: done.converted_at, first: done.first },
        }
      })
    },
  }
}

async function noteConversion(trx: Trx, actor: string, subject: string, tier: string, now: Date): Promise<void> {
  const people = await trx.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', 'in', [actor, subject]).execute()
  const named = (id: string): string => {
    const found = people.find(each => each.user_id === id)
    return found ? pseudonymOf(found) : 'system'
  }
  await audit(trx, { actor: named(actor), act: 'referral.convert', subject: named(subject), details: { tier } }, now)
}
