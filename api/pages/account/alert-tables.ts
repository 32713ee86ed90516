// Alerts on prices as a table, and one of them with its note and its firings.
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken, inputField } from '../components/form.ts'
import { instant, number, orUnknown } from '../components/format.ts'
import { badge, shown, type Tone } from '../components/notice.ts'
import { companyLink, section } from '../components/parts.ts'
import { faultsIn, typedIn } from '../components/submit.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome, Returned } from '../page.ts'
import { type Alert, termsForm, termsOf } from './alert-form.ts'

type Firings = AnswerOf<'list_alert_firings'>

export const alertTones: Readonly<Record<Alert['status'], Tone | 'plain'>> = { active: 'good', triggered: 'warn', dismissed: 'plain' }

const subject = ({ scope, ticker }: Alert): string => (scope === 'watchlist' ? 'the watchlist' : ticker)
const change = (alert: Alert, to: 'active' | 'dismissed' | 'delete', label: string, token: string | null): Html =>
  html`<form method="post" action="/account/alerts/change">${formToken(token)}<input type="hidden" name="id" value="${alert.id}"><input type="hidden" name="to" value="${to}"><button type="submit" class="${to === 'delete' ? 'danger' : 'quiet small'}" aria-label="${label} the alert on ${subject(alert)}">${label}</button></form>`

export const alertTable = (alerts: readonly Alert[], token: string | null): Content =>
  table({
    caption: 'Alerts on prices, newest first',
    captionHidden: true,
    columns: [tight('Symbol'), 'Condition', tight('State'), 'Note', tight('Change')],
    rows: alerts.map(alert => [
      alert.scope === 'watchlist' ? 'watchlist' : companyLink(alert.ticker),
      termsOf(alert),
      html`${badge(alert.status, alertTones[alert.status])}${alert.triggered_at !== null && html`<br><span class="small">${instant(alert.triggered_at)}</span>`}`,
      alert.note ?? '',
      html`<div class="row-actions"><a class="button quiet small" href="/account/alerts?alert=${alert.id}#alert" aria-label="Edit the alert on ${subject(alert)}">Edit</a>${alert.status === 'active' ? change(alert, 'dismissed', 'Dismiss', token) : change(alert, 'active', 'Activate', token)}${change(alert, 'delete', 'Delete', token)}</div>`,
    ]),
    empty: 'There is no alert.',
  })

/** One alert: what it is, its note, and its firings. */
export function alertSection(alert: Alert, firings: Outcome<Firings>, token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'edit')
  const { original } = alert
  return section({
    id: 'alert',
    title: `Alert on ${subject(alert)}`,
    tools: html`<a href="/account/alerts?copy=${alert.id}#new">Set a similar one</a>`,
    body: [
      facts([
        ['Condition', termsOf(alert)],
        ['Base of a change in percent', orUnknown(alert.baseline_price, value => number(value))],
        ['State', badge(alert.status, alertTones[alert.status])],
        ['Set', instant(alert.created_at)],
        ...(original === null
          ? []
          : ([
              [
                'Threshold before splits',
                html`${orUnknown(original.threshold, value => number(value))}${original.threshold2 !== null && html`, ${number(original.threshold2)}`}`,
              ],
            ] as const)),
      ]),
      html`<form class="inline-form" method="post" action="/account/alerts/edit">${formToken(token)}<input type="hidden" name="id" value="${alert.id}">${faultList('edit', faults)}${inputField({ form: 'edit', name: 'note', label: 'Note', faults, attributes: html` autocomplete="off"` }, typedIn(returned, 'edit', 'note', alert.note ?? ''))}<button type="submit" class="quiet">Save the note</button></form>`,
      termsForm(alert, token, returned),
      shown(firings, 'The firings', ({ firings: fired }) => firingTable(fired)),
    ],
  })
}

const firingTable = (firings: Firings['firings']): Content =>
  table({
    caption: 'Firings, newest first',
    columns: [tight('When'), tight('Symbol'), numeric('Price'), 'Rule', 'Sent by', numeric('Release')],
    rows: firings.map(each => [
      instant(each.fired_at),
      companyLink(each.symbol),
      orUnknown(each.price, value => number(value, { least: 2 })),
      each.rule,
      each.deliveries.map(({ channel, skipped }) => html`<div>${channel}${skipped !== null && html`: ${skipped}`}</div>`),
      number(each.release),
    ]),
    empty: 'It has not fired.',
  })
