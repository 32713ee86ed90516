// E-mail addresses that visitors leave, and the page of the mailed link by which they confirm or withdraw.
import { z } from 'zod'
import { Email } from '../accounts.ts'
import { plainText } from '../plain-text.ts'
import { Text } from '../values.ts'
import { operation, question } from './operation.ts'
import { text } from './parameters.ts'

const shared = { tag: 'Referral', access: 'public', curated: false, cache: 'live', served_from: 'pg' } as const
const html = 'text/html; charset=utf-8'

export const EmailCaptureRequest = z.strictObject({
  email: Email,
  source: plainText(2000).default('landing'),
  context: plainText(2000).nullable().default(null),
})
const EmailCaptureResponse = z.object({ status: Text })
export const CaptureForm = z.strictObject({ token: z.string().max(200).default(''), act: z.enum(['confirm', 'withdraw']) })

export const captureOperations = [
  operation('capture_email', 'POST /api/v1/email-capture', {
    ...shared,
    summary: 'Leave an address',
    description:
      'The answer is the same for every address. It is not used until the holder of the mailbox confirms it by the mailed link, which is sent at most once a day. An unconfirmed address is deleted after 30 days. Page URLs in context are stored without their query. More than 30 requests a minute from one address get the same answer and are not stored. At most 2 KiB.',
    body: EmailCaptureRequest,
    body_bytes: 2 * 1024,
    answer: EmailCaptureResponse,
    example: { body: { email: 'jane.roe@example.org', source: 'landing', context: 'pricing' } },
  }),
  operation('get_capture_page', 'GET /account/email-capture', {
    ...shared,
    summary: 'The page of the link mailed to a captured address',
    description: 'Two buttons: confirm, and withdraw. Opening the page changes nothing.',
    question: question({ token: text('of the mailed link', 200, 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4').optional() }),
    media_type: html,
    example: '/account/email-capture?token=b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4',
  }),
  operation('post_capture_page', 'POST /account/email-capture', {
    ...shared,
    summary: 'Confirm or withdraw an address by a button of the page',
    description: 'Stores the text that was agreed to, with the time; or deletes the address.',
    body: CaptureForm,
    body_media: ['application/x-www-form-urlencoded'],
    body_bytes: 2 * 1024,
    media_type: html,
    cost: 10,
    example: { body: { token: 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4', act: 'confirm' } },
  }),
] as const
