// Addresses that visitors leave, and the page of the mailed link by which they say that they meant it, or withdraw.
import { z } from 'zod'
import { Email } from '../accounts.ts'
import { plainText } from '../plain-text.ts'
import { Text } from '../values.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'
import { text } from './parameters.ts'

const shared = { tag: 'Referral', access: 'public', curated: false, cache: 'live', served_from: 'pg' } as const
const html = 'text/html; charset=utf-8'

export const EmailCaptureRequest = z.strictObject({
  email: Email,
  source: plainText(2000).default('landing'),
  context: plainText(2000).nullable().default(null),
})
export const EmailCaptureResponse = z.object({ status: Text })
export const CaptureForm = z.strictObject({ token: z.string().max(200).default(''), act: z.enum(['confirm', 'withdraw']) })

export const captureOperations = [
  operation({
    ...shared,
    id: 'capture_email',
    method: 'POST',
    path: '/api/v1/email-capture',
    summary: 'Leave an address',
    description:
      'The answer is the same for every address. It is used for nothing before the holder of the mailbox confirms by the link that is mailed, at most once a day; unconfirmed it is forgotten after 30 days. Of addresses of pages in context the query is not kept. More than 30 a minute from one address are answered alike and not kept. At most 2 KiB.',
    question: question({}),
    body: EmailCaptureRequest,
    body_bytes: 2 * 1024,
    answer: EmailCaptureResponse,
    example: examples.capture_email,
  }),
  operation({
    ...shared,
    id: 'get_capture_page',
    path: '/account/email-capture',
    summary: 'The page of the link that was mailed to an address that was left',
    description: 'Two buttons: confirm, and withdraw. Opening the page changes nothing.',
    question: question({ token: text('of the mailed link', 200, 'b3J0aG9nb25hbC1nb29zZS1jb252ZXlzLXRoZS1saW4').optional() }),
    media_type: html,
    example: examples.get_capture_page,
  }),
  operation({
    ...shared,
    id: 'post_capture_page',
    method: 'POST',
    path: '/account/email-capture',
    summary: 'Confirm or withdraw an address by a button of the page',
    description: 'Keeps what was agreed to, word for word, with its time; or forgets the address.',
    question: question({}),
    body: CaptureForm,
    body_media: ['application/x-www-form-urlencoded'],
    body_bytes: 2 * 1024,
    media_type: html,
    cost: 10,
    example: examples.post_capture_page,
  }),
] as const
