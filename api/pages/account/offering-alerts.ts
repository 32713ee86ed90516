// Alerts on offerings: the list, and the form that sets one.
import { z } from 'zod'
import type { AnswerOf } from '#schemas/operations.ts'
import { choiceField, type Field, faultList, formToken, inputField } from '../components/form.ts'
import { day, instant } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { onceField } from '../components/once.ts'
import { section } from '../components/parts.ts'
import { faultsIn, typedIn } from '../components/submit.ts'
import { table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome, Returned } from '../page.ts'
import { alertTones } from './alert-tables.ts'

type List = AnswerOf<'list_ipo_alerts'>
type OfferingAlert = List['ipo_alerts'][number]

const eventWords: Readonly<Record<OfferingAlert['event'], string>> = {
  priced: 'final terms',
  listed: 'first day in a directory',
  lockup_soon: 'end of the lock-up is near',
  range_amended: 'other price range in an amendment',
}
const text = z.string().default('')
export const OfferingFields = z.object({ ticker: text, event: text, lead_days: text, note: text, once: z.string().max(64).default('') })
export const offeringNames = ['ticker', 'event', 'lead_days', 'note']

/** The body of the operation; empty fields are left out. A text that is no number is sent as it is, so that the operation names the fault. */
export function offeringBody({ ticker, event, lead_days, note }: z.output<typeof OfferingFields>): object {
  const days = lead_days.trim()
  return {
    ticker: ticker.trim(),
    event,
    ...(days === '' ? {} : { lead_days: /^\d{1,4}$/.test(days) ? Number(days) : days }),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
  }
}

export const offeringSection = (found: Outcome<List>, token: string | null, returned: Returned | null): Html =>
  section({
    id: 'offerings',
    title: 'On offerings',
    lead: 'An alert on an offering fires once, with an event of a deal that happens after the alert is set.',
    body: [
      faultList('offering-change', faultsIn(returned, 'offering-change')),
      shown(found, 'Alerts on offerings', ({ ipo_alerts }) => offeringTable(ipo_alerts, token)),
      offeringForm(token, returned),
    ],
  })

function offeringForm(token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'offering')
  const typed = (name: string, otherwise = ''): string => typedIn(returned, 'offering', name, otherwise)
  const field = (name: string, label: string, help?: string): Field => ({
    form: 'offering',
    name,
    label,
    faults,
    ...(help === undefined ? {} : { help }),
    attributes: html` autocomplete="off"`,
  })
  return html`<details${returned?.form === 'offering' && html` open`}><summary>Set an alert on an offering</summary><form method="post" action="/account/alerts/offering" aria-label="New alert on an offering">${formToken(token)}${onceField()}${faultList('offering', faults)}
<div class="calculator-fields">${inputField(field('ticker', 'Symbol of the offering', 'Proposed or listed. It need not be known yet.'), typed('ticker'))}
${choiceField(field('event', 'Event'), Object.entries(eventWords), typed('event', 'priced'))}
${inputField(field('lead_days', 'Days before the end of the lock-up', '1 to 90. Read only by that event.'), typed('lead_days', '7'))}
${inputField(field('note', 'Note'), typed('note'))}</div>
<p><button type="submit">Set the alert</button></p></form></details>`
}

const change = (alert: OfferingAlert, to: 'active' | 'dismissed' | 'delete', label: string, token: string | null): Html =>
  html`<form method="post" action="/account/alerts/offering-change">${formToken(token)}<input type="hidden" name="id" value="${alert.id}"><input type="hidden" name="to" value="${to}"><button type="submit" class="${to === 'delete' ? 'danger' : 'quiet small'}" aria-label="${label} the alert on the offering ${alert.ticker}, ${eventWords[alert.event]}">${label}</button></form>`

const firedOf = ({ fired, triggered_at }: OfferingAlert): Content =>
  fired === null
    ? 'not yet'
    : html`${fired.url === null ? fired.company : html`<a href="${fired.url}">${fired.company}</a>`}, ${fired.rule}${fired.date !== null && html`, ${day(fired.date)}`}${triggered_at !== null && html`<br><span class="small">${instant(triggered_at)}</span>`}`

const offeringTable = (alerts: readonly OfferingAlert[], token: string | null): Content =>
  table({
    caption: 'Alerts on offerings, newest first',
    captionHidden: true,
    columns: [tight('Symbol'), 'Event', tight('State'), 'Fired', 'Note', tight('Change')],
    rows: alerts.map(each => [
      each.ticker,
      html`${eventWords[each.event]}${each.event === 'lockup_soon' && html` <span class="small">${each.lead_days} days before</span>`}`,
      badge(each.status, alertTones[each.status]),
      firedOf(each),
      each.note ?? '',
      html`<div class="row-actions">${each.status === 'active' ? change(each, 'dismissed', 'Dismiss', token) : change(each, 'active', 'Activate', token)}${change(each, 'delete', 'Delete', token)}</div>`,
    ]),
    empty: 'There is no alert on an offering.',
  })
