// `/account/billing`: tier, subscription and open requests of the signed-in user: change the tier, pay for it, or return to the free one.
import { z } from 'zod'
import { assignableTiers, intervals, paidTiers } from '#schemas/billing.ts'
import { question } from '#schemas/operations/operation.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { choiceField, type Field, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { instant, number, orUnknown } from '../components/format.ts'
import { badge, notice, shown } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { emptyState, facts, numeric, table } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { counted } from '../words.ts'
import { accountHead, done } from './frame.ts'

type Billing = AnswerOf<'get_billing_status'>
type Plans = AnswerOf<'list_plans'>

const path = '/account/billing'
const field = z.string().max(2000).default('')
const once = z.string().max(64).default('')
const noteOf = (text: string): string | null => (text.trim() === '' ? null : text.trim())
const intervalWords = { monthly: 'by the month', yearly: 'by the year' } as const

export const billingPage = page(path, 'Tier and billing', {
  summary: 'Tier, subscription and open requests of the signed-in user, with what each tier allows.',
  access: 'user',
  question: question({ done }),
  operations: ['get_billing_status', 'list_plans', 'change_tier', 'cancel_billing', 'create_checkout'],
  async render({ ask, question: { done }, token, returned }) {
    const [billing, plans] = await Promise.all([ask('get_billing_status'), ask('list_plans')])
    return {
      main: html`${accountHead('Tier and billing', path, 'What your account may do, and how it is paid. This service never sees the data of a card.', done)}
${shown(billing, 'The state of billing', value => [
  section({ id: 'state', title: 'Now', body: stateOf(value) }),
  requestsSection(value),
  changeSection(value, token, returned),
  // A form that is not shown may come from a page that was open before: its refusal is shown all the same.
  value.checkout_available && value.subscription === null ? checkoutSection(token, returned) : faultList('pay', faultsIn(returned, 'pay')),
  value.tier === 'free' ? faultList('cancel', faultsIn(returned, 'cancel')) : cancelSection(token, returned),
])}
${section({ id: 'tiers', title: 'Tiers', wide: true, body: shown(plans, 'The tiers', tierTable) })}`,
    }
  },
  forms: {
    change: pageForm(z.object({ target_tier: field, note: field, once }), async ({ target_tier, note, once: key }, { ask }) => {
      const requested = await ask('change_tier', {}, { body: { target_tier, note: noteOf(note) }, ...onceOf(key) })
      return requested.ok ? { redirect: `${path}?done=tier` } : { faults: refusalFaults(requested, ['target_tier', 'note']) }
    }),
    cancel: pageForm(z.object({ reason: field, once }), async ({ reason, once: key }, { ask }) => {
      const ended = await ask('cancel_billing', {}, { body: { reason: noteOf(reason) }, ...onceOf(key) })
      return ended.ok ? { redirect: `${path}?done=tier` } : { faults: refusalFaults(ended, ['reason']) }
    }),
    pay: pageForm(z.object({ tier: field, interval: field, once }), async ({ tier, interval, once: key }, { ask }) => {
      const begun = await ask('create_checkout', {}, { body: { tier, interval }, seconds: 15, ...onceOf(key) })
      if (!begun.ok) return { faults: refusalFaults(begun, ['tier', 'interval']) }
      // A link, because the policy of pages lets no form lead to another site.
      return {
        title: 'Payment',
        main: html`${accountHead('Payment', path, 'The payment is made on a page of Stripe. The tier changes when Stripe confirms it.', undefined)}
<p><a class="button" href="${begun.value.url}" rel="noreferrer">Continue to the payment at Stripe</a></p>
<p class="small">The page is open until ${instant(begun.value.expires_at)}.</p>`,
      }
    }),
  },
})

const stateOf = ({ tier, tier_since, billing_status, subscription, assistant_queries_per_day, queries_today }: Billing): Content => [
  facts([
    ['Tier', html`${tier}, since ${instant(tier_since)}`],
    [
      'Billing',
      badge(billing_status, billing_status === 'active' || billing_status === 'trialing' ? 'good' : billing_status === 'none' ? 'plain' : 'warn'),
    ],
    ['Questions to the assistant today', `${number(queries_today)} of ${number(assistant_queries_per_day)}`],
    ...(subscription === null
      ? []
      : ([
          ['Subscription', `${subscription.tier}, paid ${intervalWords[subscription.interval]}`],
          ['Paid until', orUnknown(subscription.period_end, instant)],
        ] as const)),
  ]),
  subscription?.cancel_at_period_end === true && notice('info', 'The subscription ends with the paid period.'),
]

const requestsSection = ({ requests }: Billing): Html =>
  section({
    id: 'requests',
    title: 'Open requests',
    lead: 'An administrator fulfils them, and you are notified by mail.',
    body:
      requests.length === 0
        ? emptyState('There is no open request.')
        : html`<ul class="entries">${requests.map(
            each => html`<li><strong>${each.kind === 'cancel' ? 'Back to the free tier' : `Change to ${each.target_tier ?? 'another tier'}`}</strong>, requested ${instant(each.received_at)}
<p>${(each.days_until_eligible ?? 0) > 0 ? `Possible in ${counted(each.days_until_eligible ?? 0, 'day')}, at the end of the paid period.` : 'It can be fulfilled now.'}${each.note !== null && html` ${each.note}`}</p></li>`,
          )}</ul>`,
  })

/** The fields of a form of this page. */
function fieldsFor(form: string, returned: Returned | null, first: string): (name: string, label: string, help?: string) => Field {
  const faults = faultsIn(returned, form)
  const focus = Object.keys(faults).length === 0 ? null : focusOf(faults, first)
  return (name, label, help) => ({ form, name, label, faults, focus, ...(help === undefined ? {} : { help }) })
}
const named = (names: readonly string[]): (readonly [string, string])[] => names.map(name => [name, name] as const)

function changeSection({ tier }: Billing, token: string | null, returned: Returned | null): Html {
  const of = fieldsFor('change', returned, 'target_tier')
  const others = assignableTiers.filter(each => each !== tier)
  return section({
    id: 'change',
    title: 'Request another tier',
    lead: 'A higher tier is possible immediately, a lower one at the end of the paid period. A further request replaces the open one.',
    body: html`<form method="post" action="${path}/change#change" novalidate>${formToken(token)}${onceField()}${faultList('change', faultsIn(returned, 'change'))}
<div class="pair">${choiceField(of('target_tier', 'Tier'), named(others), typedIn(returned, 'change', 'target_tier', others[0] ?? ''))}
${inputField({ ...of('note', 'Note for the administrator (optional)'), attributes: html` maxlength="500" autocomplete="off"` }, typedIn(returned, 'change', 'note'))}</div>
<p><button type="submit">Request it</button></p></form>`,
  })
}

function checkoutSection(token: string | null, returned: Returned | null): Html {
  const of = fieldsFor('pay', returned, 'tier')
  return section({
    id: 'pay',
    title: 'Pay for a tier',
    lead: 'The payment is made on a page of Stripe.',
    body: html`<form method="post" action="${path}/pay#pay" novalidate>${formToken(token)}${onceField()}${faultList('pay', faultsIn(returned, 'pay'))}
<div class="pair">${choiceField(of('tier', 'Tier'), named(paidTiers), typedIn(returned, 'pay', 'tier', 'trader'))}
${choiceField(
  of('interval', 'Paid'),
  intervals.map(each => [each, intervalWords[each]] as const),
  typedIn(returned, 'pay', 'interval', 'monthly'),
)}</div>
<p><button type="submit">Begin the payment</button></p></form>`,
  })
}

function cancelSection(token: string | null, returned: Returned | null): Html {
  const of = fieldsFor('cancel', returned, 'reason')
  return section({
    id: 'cancel',
    title: 'Return to the free tier',
    lead: 'A subscription ends with the paid period; nothing else of your account changes.',
    body: html`<details${returned?.form === 'cancel' && html` open`}><summary>Request the end of the tier</summary><form method="post" action="${path}/cancel#cancel" novalidate>${formToken(token)}${onceField()}${faultList('cancel', faultsIn(returned, 'cancel'))}
${inputField({ ...of('reason', 'Reason (optional)'), attributes: html` maxlength="500" autocomplete="off"` }, typedIn(returned, 'cancel', 'reason'))}
<p><button type="submit" class="danger">Request the end</button></p></form></details>`,
  })
}

function tierTable({ plans }: Plans): Content {
  const classes = [...new Set(plans.flatMap(plan => plan.limits.map(each => each.limit_class)))]
  return table({
    caption: 'What each tier allows',
    captionHidden: true,
    columns: [
      'Tier',
      ...classes.map(name => numeric(`Units of ${name}`)),
      numeric('Questions a day'),
      numeric('Watched answers'),
      'History',
      'Commercial use',
    ],
    rows: plans.map(plan => [
      plan.title,
      ...classes.map(name => {
        const rate = plan.limits.find(each => each.limit_class === name)
        return rate === undefined ? null : `${number(rate.limit)} in ${counted(rate.window_seconds, 'second')}`
      }),
      number(plan.assistant_queries_per_day),
      number(plan.receipt_watches),
      plan.history,
      plan.commercial_use ? 'yes' : 'no',
    ]),
  })
}
