// Addresses that visitors leave: the same answer for all, and the page on which their holders confirm or withdraw.
import type { z } from 'zod'
import type { CaptureForm, EmailCaptureRequest } from '#schemas/operations/capture.ts'
import { consentText } from '#warehouse/people/mail/capture-text.ts'
import { ringMail } from '#warehouse/people/mail/ring.ts'
import { captureEmail, confirmCapture, withdrawCapture } from '#warehouse/people/telemetry/email-capture.ts'
import { vitalRules } from '#warehouse/rulesets/telemetry/vitals.ts'
import type { Answered, Handlers } from '../handler.ts'
import { createMeter } from '../plugins/meter.ts'
import { escaped, pagePolicy, renderPage } from '../public/html.ts'
import { jsonAnswer, type UserTools } from './tools.ts'

const page = (title: string, main: string): Answered => ({
  kind: 'text',
  body: renderPage({ title, main: `<h1>${escaped(title)}</h1>\n${main}` }),
  media_type: 'text/html; charset=utf-8',
  policy: pagePolicy,
})
const button = (
  token: string,
  act: 'confirm' | 'withdraw',
  label: string,
): string => `<form class="card" method="post" action="/account/email-capture">
<input type="hidden" name="token" value="${escaped(token)}">
<input type="hidden" name="act" value="${act}">
<p><button type="submit">${label}</button></p>
</form>`

export function captureHandlers({ db, queue, baseUrl }: UserTools): Pick<Handlers, 'capture_email' | 'get_capture_page' | 'post_capture_page'> {
  const listens = createMeter(vitalRules.reports_per_minute, vitalRules.reports_per_minute_of_all, () => performance.now())
  return {
    async capture_email(_question, context) {
      const given = context.body as z.output<typeof EmailCaptureRequest>
      // If the database is unavailable, the address is lost. The visitor gets the same answer and may send it again.
      const written = listens(context.address) && (await captureEmail(db, given, baseUrl(), context.now()).catch(() => false))
      if (written) ringMail(queue)
      return jsonAnswer({ status: 'received' })
    },
    get_capture_page: ({ token = '' }) =>
      page(
        'Is this your address?',
        `<p class="lead">${escaped(consentText)}</p>
${button(token, 'confirm', 'Yes, write to me')}
${button(token, 'withdraw', 'No, forget the address')}`,
      ),
    async post_capture_page(_question, context) {
      const { token, act } = context.body as z.output<typeof CaptureForm>
      if (act === 'withdraw') {
        await withdrawCapture(db, token)
        return page('The address is forgotten', '<p class="lead">Nothing more is sent to it.</p>')
      }
      if (!(await confirmCapture(db, token, context.visitor.address_prefix, context.now())))
        return page('This link is not valid', '<p class="lead">The address is not kept here any more. It can be left again.</p>')
      return page(
        'Your address is confirmed',
        `<p class="lead">${escaped(consentText)}</p>
${button(token, 'withdraw', 'Forget the address')}`,
      )
    },
  }
}
