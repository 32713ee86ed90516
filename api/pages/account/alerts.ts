// `/account/alerts`: alerts on prices and on offerings of the signed-in user, what fired, and what would have fired in the past.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import { faultList } from '../components/form.ts'
import { number } from '../components/format.ts'
import { shown } from '../components/notice.ts'
import { onceOf } from '../components/once.ts'
import { pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { type Html, html } from '../html.ts'
import { type PageContext, page, pageForm, type Returned } from '../page.ts'
import { AlertFields, alertBody, alertFaults, alertForm, termsBody } from './alert-form.ts'
import { alertSection, alertTable } from './alert-tables.ts'
import { type DryRun, dryRunSection, type Level } from './dry-run.ts'
import { accountHead, done } from './frame.ts'
import { OfferingFields, offeringBody, offeringNames, offeringSection } from './offering-alerts.ts'

const path = '/account/alerts'
const alertsQuestion = question({
  cursor: text('next rows', 1000, 'bm90IGEgcmVhbCBvbmU').optional(),
  alert: text('the alert that is shown', 64, 'a_0123456789ab').optional(),
  copy: text('the alert whose terms the form begins with', 64, 'a_0123456789ab').optional(),
  done,
})
const operations = [
  'list_alerts',
  'get_alert',
  'create_alert',
  'update_alert',
  'delete_alert',
  'dry_run_alert',
  'list_alert_firings',
  'list_ipo_alerts',
  'create_ipo_alert',
  'update_ipo_alert',
  'delete_ipo_alert',
] as const
type Context = PageContext<typeof alertsQuestion, (typeof operations)[number]>

/** The page. `tried`: the result of a dry run, as a section. */
async function render(
  { ask, question: { cursor, alert, copy, done }, token }: Context,
  returned: Returned | null,
  tried: Html | null,
): Promise<Html> {
  const edited = returned?.form === 'edit' || returned?.form === 'terms' ? String(returned.typed['id'] ?? '') : alert
  const [found, offerings, one, firings, copied] = await Promise.all([
    ask('list_alerts', { limit: 50, ...(cursor === undefined ? {} : { cursor }) }),
    ask('list_ipo_alerts', { limit: 100 }),
    edited === undefined ? null : ask('get_alert', { id: edited }),
    edited === undefined ? null : ask('list_alert_firings', { id: edited, limit: 50 }),
    copy === undefined ? null : ask('get_alert', { id: copy }),
  ])
  const lead = 'An alert fires once, with the release that makes its condition true. It must be set to active again to fire another time.'
  return html`${accountHead('Alerts', path, lead, done)}
${one && firings && shown(one, 'The alert', value => alertSection(value, firings, token, returned))}
${faultList('change', faultsIn(returned, 'change'))}
${section({
  id: 'alerts',
  title: 'On prices',
  body: shown(found, 'Alerts', ({ alerts, next_cursor }) => [
    alertTable(alerts, token),
    pager({
      first: cursor === undefined ? null : path,
      next: next_cursor === null ? null : `${path}?${new URLSearchParams({ cursor: next_cursor })}`,
    }),
  ]),
})}
${tried}
${copied && !copied.ok && shown(copied, 'The alert to copy', () => null)}
${alertForm(token, returned, copied?.ok ? copied.value : null)}
${offeringSection(offerings, token, returned)}`
}

/** The prices at which the conditions on a price, or on its change, become true. */
function levelsOf(body: Readonly<Record<string, string>>, { symbols }: DryRun): Level[] {
  const base = symbols[0]?.baseline_price ?? null
  return (['', '2'] as const).flatMap((second): Level[] => {
    const [condition, threshold] = [body[`condition${second}`], Number(body[`threshold${second}`])]
    if (condition === 'above' || condition === 'below') return [{ price: threshold, label: `${condition} ${number(threshold)}` }]
    if ((condition !== 'pct_up' && condition !== 'pct_down') || base === null) return []
    const price = base * (1 + ((condition === 'pct_up' ? 1 : -1) * threshold) / 100)
    return [{ price, label: `${condition === 'pct_up' ? 'up' : 'down'} ${number(threshold)} % from ${number(base)}` }]
  })
}

/** The conditions of a body, in their order. */
const conditionsOf = (body: Readonly<Record<string, string>>): string[] =>
  [body['condition'], body['condition2']].flatMap(each => (each === undefined || each === '' ? [] : [each]))

const Change = z.object({ id: z.string().max(64).default(''), to: z.string().default('') })
const statusOf = (to: string): 'active' | 'dismissed' => (to === 'active' ? 'active' : 'dismissed')
const changedPath = (to: string): string => `${path}?done=${to === 'delete' ? 'deleted' : 'changed'}`

export const alertsPage = page(path, 'Alerts', {
  summary: 'Alerts on prices and on offerings of the signed-in user, what fired last, and what would have fired in the past.',
  access: 'user',
  question: alertsQuestion,
  operations,
  render: async context => {
    const { returned } = context
    // Both buttons belong to one form, which comes back as one.
    return { main: await render(context, returned?.form === 'try' ? { ...returned, form: 'create' } : returned, null) }
  },
  forms: {
    create: pageForm(AlertFields, async (typed, { ask }) => {
      const made = await ask('create_alert', {}, { body: alertBody(typed), ...onceOf(typed.once) })
      return made.ok ? { redirect: `${path}?done=created` } : { faults: alertFaults(made) }
    }),
    try: pageForm(AlertFields, async (typed, context: Context) => {
      const days = typed.days.trim()
      const body = alertBody(typed)
      const tried = await context.ask(
        'dry_run_alert',
        {},
        { body: { ...body, ...(days === '' ? {} : { days: /^\d{1,5}$/.test(days) ? Number(days) : days }) }, seconds: 12 },
      )
      if (!tried.ok) return { faults: alertFaults(tried) }
      const readsBase = [body['condition'], body['condition2']].some(name => name === 'pct_up' || name === 'pct_down')
      const result = dryRunSection(tried.value, levelsOf(body, tried.value), conditionsOf(body), readsBase)
      return { main: await render(context, { form: 'create', typed, faults: {} }, result) }
    }),
    edit: pageForm(z.object({ id: z.string().max(64).default(''), note: z.string().default('') }), async ({ id, note }, { ask }) => {
      const changed = await ask('update_alert', { id }, { body: { note: note.trim() === '' ? null : note.trim() } })
      return changed.ok ? { redirect: `${path}?done=changed&alert=${encodeURIComponent(id)}` } : { faults: refusalFaults(changed, ['note']) }
    }),
    terms: pageForm(AlertFields.extend({ id: z.string().max(64).default('') }), async ({ id, ...typed }, { ask }) => {
      const changed = await ask('update_alert', { id }, { body: termsBody(typed) })
      return changed.ok ? { redirect: `${path}?done=changed&alert=${encodeURIComponent(id)}#alert` } : { faults: alertFaults(changed) }
    }),
    change: pageForm(Change, async ({ id, to }, { ask }) => {
      const changed = to === 'delete' ? await ask('delete_alert', { id }) : await ask('update_alert', { id }, { body: { status: statusOf(to) } })
      return changed.ok ? { redirect: changedPath(to) } : { faults: refusalFaults(changed, []) }
    }),
    offering: pageForm(OfferingFields, async (typed, { ask }) => {
      const made = await ask('create_ipo_alert', {}, { body: offeringBody(typed), ...onceOf(typed.once) })
      return made.ok ? { redirect: `${path}?done=offering#offerings` } : { faults: refusalFaults(made, offeringNames) }
    }),
    'offering-change': pageForm(Change, async ({ id, to }, { ask }) => {
      const changed =
        to === 'delete' ? await ask('delete_ipo_alert', { id }) : await ask('update_ipo_alert', { id }, { body: { status: statusOf(to) } })
      return changed.ok ? { redirect: `${changedPath(to)}#offerings` } : { faults: refusalFaults(changed, []) }
    }),
  },
})
