// Referrals: a code for each account, and the accounts that registered with it.
import { AttributePayload, AttributionOut, ConversionOut, ConvertPayload, ReferralCodeOut } from '../referrals.ts'
import { operation, question } from './operation.ts'

const own = { tag: 'Referral', access: 'user', curated: false, cache: 'live', served_from: 'pg', question: question({}) } as const

export const referralOperations = [
  operation('get_referral_code', 'GET /api/v1/referrals/code', {
    ...own,
    summary: 'The code of this account',
    description: 'Created at the first request and never changed. The answer has only the number of referred accounts, not their names.',
    answer: ReferralCodeOut,
  }),
  operation('attribute_referral', 'POST /api/v1/referrals/attribute', {
    ...own,
    summary: 'Record who referred this account',
    description:
      'Only for the signed-in account: another new_user_id is 403. Once for each account, within thirty days of its creation. The same code again returns the same answer, another code 409. 404 for an unknown code.',
    body: AttributePayload,
    answer: AttributionOut,
    idempotency_key: true,
    can_be_missing: true,
    example: { body: { code: 'K7QWM2XZ9B', new_user_id: 'u_8Zr1uX0cMbqe' } },
  }),
  operation('convert_referral', 'POST /api/v1/referrals/convert', {
    ...own,
    access: 'admin',
    summary: 'Record that a referred account pays',
    description:
      'For administrators; billing does the same automatically when a paid tier begins. Once for each account: the first conversion is kept and returned again. 404 if the account was not referred. Send the token of the session as Authorization: Bearer, because the administration cookie is sent only to /api/v1/admin.',
    body: ConvertPayload,
    answer: ConversionOut,
    idempotency_key: true,
    can_be_missing: true,
    example: { body: { referred_user_id: 'u_8Zr1uX0cMbqe', tier: 'trader' } },
  }),
] as const
