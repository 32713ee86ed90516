// `/account/alerts`: alerts on prices and on offerings of the signed-in user, and what fired last.
import { z } from 'zod'
import { alertConditions } from '#schemas/alerts.ts'
import { question } from '#schemas/operations/operation.ts'
import { oneOf, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { choiceField, faultList, formToken, inputField } from '../components/form.ts'
import { instant, number, orUnknown } from '../components/format.ts'
import { badge, shown, type Tone } from '../components/notice.ts'
import { companyLink, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { table } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { accountHead, doneWords } from './frame.ts'

type Alert = AnswerOf<'list_alerts'>['alerts'][number]
type Firing = AnswerOf<'list_alert_firings'>['firings'][number]
type OfferingAlert = AnswerOf<'list_ipo_alerts'>['ipo_alerts'][number]

const fields = ['ticker', 'condition', 'threshold', 'scope', 'note']
const conditionWords: Readonly<Record<(typeof alertConditions)[number], string>> = {
  above: 'price is above',
  below: 'price is below',
  pct_up: 'price is up by percent',
  pct_down: 'price is down by percent',
  rsi_above: 'RSI is above',
  rsi_below: 'RSI is below',
  px_above_sma50: 'price is above its 50-day average',
  px_below_sma50: 'price is below its 50-day average',
  px_above_sma200: 'price is above its 200-day average',
  px_below_sma200: 'price is below its 200-day average',
}
const tones: Readonly<Record<Alert['status'], Tone | 'plain'>> = { active: 'good', triggered: 'warn', dismissed: 'plain' }

export const alertsPage = page({
  path: '/account/alerts',
  title: 'Alerts',
  summary: 'Alerts on prices and on offerings of the signed-in user, and what fired last.',
  access: 'user',
  question: question({
    cursor: text('next rows', 1000, 'bm90IGEgcmVhbCBvbmU').optional(),
    alert: text('the alert whose firings are shown', 64, 'a_0123456789ab').optional(),
    done: oneOf('the action before', doneWords).optional(),
  }),
  operations: ['list_alerts', 'create_alert', 'update_alert', 'delete_alert', 'list_alert_firings', 'list_ipo_alerts'],
  sample: '/account/alerts',
  async render({ ask, question: { cursor, alert, done }, token, returned }) {
    const [found, firings, offerings] = await Promise.all([
      ask('list_alerts', { limit: 50, ...(cursor === undefined ? {} : { cursor }) }),
      alert === undefined ? null : ask('list_alert_firings', { id: alert, limit: 50 }),
      ask('list_ipo_alerts', { limit: 50 }),
    ])
    const lead = 'An alert fires once, with the release that makes its condition true. It must be set to active again to fire another time.'
    return {
      main: html`${accountHead('Alerts', '/account/alerts', lead, done)}
${newAlert(token, returned)}
${faultList('change', faultsIn(returned, 'change'))}
${section({
  id: 'alerts',
  title: 'On prices',
  body: shown(found, 'Alerts', ({ alerts, next_cursor }) => [
    alertTable(alerts, token),
    pager({
      first: cursor === undefined ? null : '/account/alerts',
      next: next_cursor === null ? null : `/account/alerts?${new URLSearchParams({ cursor: next_cursor })}`,
    }),
  ]),
})}
${firings && section({ id: 'firings', title: 'Firings of the alert', body: shown(firings, 'The firings', ({ firings: fired }) => firingTable(fired)) })}
${section({ id: 'offerings', title: 'On offerings', body: shown(offerings, 'Alerts on offerings', ({ ipo_alerts }) => offeringTable(ipo_alerts)) })}`,
    }
  },
  forms: {
    create: pageForm(
      z.object({
        ticker: z.string().default(''),
        condition: z.string().default(''),
        threshold: z.string().default(''),
        scope: z.string().default('ticker'),
        note: z.string().default(''),
      }),
      async ({ ticker, condition, threshold, scope, note }, { ask }) => {
        // A condition against an average reads no threshold, and the operation needs a number.
        const given = threshold.trim() === '' && condition.startsWith('px_') ? '1' : threshold.trim()
        const body = { ticker: ticker.trim(), condition, threshold: given, scope, note: note.trim() === '' ? null : note.trim() }
        const made = await ask('create_alert', {}, { body })
        if (made.ok) return { redirect: '/account/alerts?done=created' }
        const faults = refusalFaults(made, fields)
        return { faults: made.status === 404 ? { ticker: faults[''] ?? '' } : faults }
      },
    ),
    change: pageForm(z.object({ id: z.string().max(64).default(''), to: z.string().default('') }), async ({ id, to }, { ask }) => {
      const changed =
        to === 'delete'
          ? await ask('delete_alert', { id })
          : await ask('update_alert', { id }, { body: { status: to === 'active' ? 'active' : 'dismissed' } })
      return changed.ok ? { redirect: `/account/alerts?done=${to === 'delete' ? 'deleted' : 'changed'}` } : { faults: refusalFaults(changed, []) }
    }),
  },
})

function newAlert(token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'create')
  const typed = (name: string, otherwise = ''): string => typedIn(returned, 'create', name, otherwise)
  const field = (name: string, label: string, help?: string) => ({
    form: 'create',
    name,
    label,
    faults,
    ...(help === undefined ? {} : { help }),
    attributes: html` autocomplete="off"`,
  })
  return html`<form class="panel" method="post" action="/account/alerts/create" aria-label="New alert">${formToken(token)}${faultList('create', faults)}
<div class="calculator-fields">${inputField(field('ticker', 'Symbol', 'In any usual spelling: RY.TO, TSX:RY.'), typed('ticker'))}
${choiceField(
  field('condition', 'Condition'),
  alertConditions.map(each => [each, conditionWords[each]] as const),
  typed('condition', 'above'),
)}
${inputField(field('threshold', 'Threshold', 'A price, percent or RSI. Not read by conditions against an average.'), typed('threshold'))}
${choiceField(
  field('scope', 'For'),
  [
    ['ticker', 'this symbol'],
    ['watchlist', 'every listing of the watchlist'],
  ],
  typed('scope', 'ticker'),
)}
${inputField(field('note', 'Note'), typed('note'))}</div>
<p><button type="submit">Set the alert</button></p></form>`
}

const change = (alert: Alert, to: 'active' | 'dismissed' | 'delete', label: string, token: string | null): Html =>
  html`<form method="post" action="/account/alerts/change">${formToken(token)}<input type="hidden" name="id" value="${alert.id}"><input type="hidden" name="to" value="${to}"><button type="submit" class="${to === 'delete' ? 'danger small' : 'quiet small'}" aria-label="${label} the alert on ${alert.ticker}">${label}</button></form>`

const conditionOf = ({ condition, threshold }: Pick<Alert, 'condition' | 'threshold'>): string =>
  condition.startsWith('px_') ? conditionWords[condition] : `${conditionWords[condition]} ${number(threshold, { most: 10 })}`

const alertTable = (alerts: readonly Alert[], token: string | null): Content =>
  table({
    caption: 'Alerts on prices, newest first',
    captionHidden: true,
    columns: [
      { label: 'Symbol', tight: true },
      { label: 'Condition' },
      { label: 'State', tight: true },
      { label: 'Note' },
      { label: 'Change', tight: true },
    ],
    rows: alerts.map(alert => [
      alert.scope === 'watchlist' ? 'watchlist' : companyLink(alert.ticker),
      html`${conditionOf(alert)}${alert.condition2 !== null && html` ${(alert.logic ?? 'AND').toLowerCase()} ${conditionOf({ condition: alert.condition2, threshold: alert.threshold2 ?? 0 })}`}`,
      html`${badge(alert.status, tones[alert.status])}${alert.triggered_at !== null && html`<br><span class="small">${instant(alert.triggered_at)}</span>`}<br><a class="small" href="/account/alerts?alert=${alert.id}#firings" aria-label="Firings of the alert on ${alert.ticker}">Firings</a>`,
      alert.note ?? '',
      html`${alert.status === 'active' ? change(alert, 'dismissed', 'Dismiss', token) : change(alert, 'active', 'Activate', token)}${change(alert, 'delete', 'Delete', token)}`,
    ]),
    empty: 'There is no alert.',
  })

const firingTable = (firings: readonly Firing[]): Content =>
  table({
    caption: 'Firings, newest first',
    captionHidden: true,
    columns: [
      { label: 'When', tight: true },
      { label: 'Symbol', tight: true },
      { label: 'Price', numeric: true },
      { label: 'Rule' },
      { label: 'Release', numeric: true },
    ],
    rows: firings.map(each => [
      instant(each.fired_at),
      companyLink(each.symbol),
      orUnknown(each.price, value => number(value, { least: 2, most: 10 })),
      each.rule,
      number(each.release),
    ]),
    empty: 'It has not fired.',
  })

const offeringTable = (alerts: readonly OfferingAlert[]): Content =>
  table({
    caption: 'Alerts on offerings, newest first',
    captionHidden: true,
    columns: [{ label: 'Symbol', tight: true }, { label: 'Event' }, { label: 'State', tight: true }, { label: 'Note' }],
    rows: alerts.map(each => [each.ticker, each.event.replaceAll('_', ' '), badge(each.status, tones[each.status]), each.note ?? '']),
    empty: html`There is none. <a href="/docs/operations/create_ipo_alert">How a program sets one</a>`,
  })
