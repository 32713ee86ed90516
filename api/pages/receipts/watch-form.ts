// The form on the page of a receipt: "Tell me when this changes".
import { z } from 'zod'
import { boxesField, faultList, formToken } from '../components/form.ts'
import { onceField } from '../components/once.ts'
import { section } from '../components/parts.ts'
import { faultsIn } from '../components/submit.ts'
import { channelLabels, sentChannels } from '../components/watch-channels.ts'
import { type Html, html } from '../html.ts'
import type { PageContext, Returned } from '../page.ts'

export const WatchFields = z.object({ channels: sentChannels, once: z.string().max(64).default('') })

/** For a visitor, the way to an account; for an administrator's session, nothing. */
export function watchSection(id: string, { session, token }: Pick<PageContext, 'session' | 'token'>, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'watch')
  const typed = returned?.form === 'watch' ? returned.typed['channels'] : undefined
  const chosen = typed === undefined ? ['mail'] : typeof typed === 'string' ? [typed] : typed
  const field = { form: 'watch', name: 'channels', label: 'By', faults, help: 'Every change is also listed on your page of watched answers.' }
  return section({
    id: 'watch',
    title: 'Tell me when this changes',
    lead: 'Each release that changes the data of the question answers it again. You get the difference, both receipts and what caused it.',
    body:
      session === null
        ? html`<p><a href="/developer">Sign in or make an account</a> to watch this answer.</p>`
        : html`<form method="post" action="/r/${id}/watch#watch" aria-labelledby="watch-title">${formToken(token)}${onceField()}${faultList('watch', faults)}${boxesField(field, Object.entries(channelLabels), chosen)}<p class="actions"><button type="submit">Watch this answer</button> <a href="/account/receipts">Answers that you watch</a></p></form>`,
  })
}
