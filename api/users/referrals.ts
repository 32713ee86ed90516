// Referrals: ids come from the session, and ids in a body are compared with it.
import type { z } from 'zod'
import { Forbidden, NotFound } from '#schemas/errors.ts'
import type { AttributePayload, ConvertPayload } from '#schemas/referrals.ts'
import { attribute, conversionOf, ownCode } from '#warehouse/people/referrals/referrals.ts'
import { pseudonymOf } from '#warehouse/people/users/audit.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import type { Handlers } from '../handler.ts'
import { acted, administrator } from './admin.ts'
import { jsonAnswer, type UserTools, userOf, written } from './tools.ts'

export function referralHandlers(tools: UserTools): Pick<Handlers, 'get_referral_code' | 'attribute_referral' | 'convert_referral'> {
  return {
    get_referral_code: async (_question, context) => {
      const { user_id } = userOf(context)
      return jsonAnswer(await asUser(tools.db, user_id, trx => ownCode(trx, user_id)))
    },
    attribute_referral: (_question, context) => {
      const { code, new_user_id } = context.body as z.output<typeof AttributePayload>
      const { user_id } = userOf(context)
      if (new_user_id !== user_id)
        throw new Forbidden('new_user_id is not the account that is signed in', { hint: 'GET /api/v1/auth/me returns its id' })
      return written(tools, context, async trx => ({
        status: 200,
        body: { status: 'attributed', ...(await attribute(trx, user_id, code, context.now())) },
      }))
    },
    convert_referral: async (_question, context) => {
      const { referred_user_id, tier } = context.body as z.output<typeof ConvertPayload>
      const session = await administrator(tools, context)
      return await acted(tools, context, session, async trx => {
        const done = await conversionOf(trx, referred_user_id, tier, context.now())
        const person = await trx.selectFrom('app_user').select(['user_id', 'subject_key']).where('user_id', '=', referred_user_id).executeTakeFirst()
        if (done === null || !person)
          throw new NotFound('no account of this id was brought by another', { hint: 'GET /api/v1/admin/users lists the accounts' })
        return {
          body: { status: 'converted', referred_user_id, tier: done.converted_tier, converted_at: done.converted_at, first: done.first },
          act: done.first ? { act: 'referral.convert', subject: pseudonymOf(person), details: { tier } } : null,
        }
      })
    },
  }
}
