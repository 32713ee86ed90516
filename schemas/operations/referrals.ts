// Referral: a code for each account, and who came by it.
import { AttributePayload, AttributionOut, ConversionOut, ConvertPayload, ReferralCodeOut } from '../referrals.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'

const own = { tag: 'Referral', access: 'user', curated: false, cache: 'live', served_from: 'pg', question: question({}) } as const

export const referralOperations = [
  operation({
    ...own,
    id: 'get_referral_code',
    path: '/api/v1/referrals/code',
    summary: 'The code of this account',
    description: 'Made when it is first asked for, the same ever after. Who came by it is counted, never named.',
    answer: ReferralCodeOut,
    example: examples.get_referral_code,
  }),
  operation({
    ...own,
    id: 'attribute_referral',
    method: 'POST',
    path: '/api/v1/referrals/attribute',
    summary: 'Say who brought this account',
    description:
      'For the account that is signed in alone: another new_user_id is 403. Once for each account, within thirty days of its making; the same code again is the same answer, another one 409. 404 for a code of nobody.',
    body: AttributePayload,
    answer: AttributionOut,
    example: examples.attribute_referral,
  }),
  operation({
    ...own,
    id: 'convert_referral',
    access: 'admin',
    method: 'POST',
    path: '/api/v1/referrals/convert',
    summary: 'Note that an account which was brought pays',
    description:
      'An act of administration; billing does the same by itself when a paid tier begins. Once for each account: the first conversion stands and is answered again. 404 where nobody brought the account. Send the token of the session as Authorization: Bearer, for the cookie of administration goes to /api/v1/admin alone.',
    body: ConvertPayload,
    answer: ConversionOut,
    example: examples.convert_referral,
  }),
] as const
