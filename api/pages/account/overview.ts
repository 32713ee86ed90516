// `/account`: the profile of the signed-in user, sessions, keys, and what was recorded as consent.
import { z } from 'zod'
import { maxAlerts } from '#schemas/alerts.ts'
import { question } from '#schemas/operations/operation.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken, inputField } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge, shown, shownBriefly } from '../components/notice.ts'
import { section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { facts, table, tight } from '../components/table.ts'
import { type Content, html } from '../html.ts'
import { page, pageForm, type Returned } from '../page.ts'
import { consentSection } from './consents.ts'
import { accountHead, done } from './frame.ts'
import { usageOf } from './key-usage.ts'
import { signInSection } from './sign-ins.ts'

type Profile = AnswerOf<'get_me'>
type Key = AnswerOf<'list_keys'>['keys'][number]

export const accountPage = page('/account', 'Your account', {
  summary: 'The profile of the signed-in user, with sessions, second factor, API keys, consents, and ways to alerts, watchlist and portfolio.',
  access: 'user',
  question: question({ done }),
  operations: [
    'get_me',
    'update_me',
    'list_keys',
    'list_key_usage',
    'list_my_sessions',
    'end_my_session',
    'end_other_sessions',
    'get_my_factor',
    'request_password_reset',
    'list_my_consent',
    'record_consent',
    'get_privacy_policy',
    'list_alerts',
    'list_watchlist',
    'list_positions',
  ],
  async render({ ask, question: { done }, token, returned, session }) {
    const [me, keys, usage, sessions, factor, consents, alerts, watchlist, positions] = await Promise.all([
      ask('get_me'),
      ask('list_keys'),
      ask('list_key_usage'),
      ask('list_my_sessions'),
      ask('get_my_factor'),
      ask('list_my_consent', { limit: 100 }),
      ask('list_alerts', { limit: maxAlerts }),
      ask('list_watchlist'),
      ask('list_positions', { limit: 1000 }),
    ])
    return {
      modules: ['line-chart'],
      main: html`${accountHead('Your account', '/account', 'What this service holds about you, and what you have set up.', done)}
${section({ id: 'profile', title: 'Profile', body: shown(me, 'The profile', profile => profileOf(profile, token, returned)) })}
${section({
  id: 'set-up',
  title: 'Set up',
  body: facts([
    ['Alerts on prices', shownBriefly(alerts, ({ count }) => html`<a href="/account/alerts">${number(count)}</a>`)],
    ['Listings on the watchlist', shownBriefly(watchlist, ({ count }) => html`<a href="/account/watchlist">${number(count)}</a>`)],
    [
      'Positions of the portfolio',
      shownBriefly(
        positions,
        ({ count, next_cursor }) => html`<a href="/account/portfolio">${number(count)}${next_cursor !== null && ' and more'}</a>`,
      ),
    ],
  ]),
})}
${signInSection({ session, factor, sessions, token, returned })}
${section({
  id: 'keys',
  title: 'API keys',
  lead: html`For programs. <a href="/developer">Make and revoke keys</a>`,
  body: shown(keys, 'API keys', ({ keys: held }) => keyTable(held)),
})}
${section({
  id: 'usage',
  title: 'Use of the keys',
  lead: html`Over 30 days, by class of <a href="/docs/api">limits</a>`,
  body: shown(usage, 'The use of the keys', usageOf),
})}
${consentSection(consents, token, returned)}`,
    }
  },
  forms: {
    name: pageForm(z.object({ display_name: z.string().default('') }), async ({ display_name }, { ask }) => {
      const name = display_name.trim()
      const changed = await ask('update_me', {}, { body: { display_name: name === '' ? null : name } })
      return changed.ok ? { redirect: '/account?done=named' } : { faults: refusalFaults(changed, ['display_name']) }
    }),
    end: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const ended = id === 'others' ? await ask('end_other_sessions') : await ask('end_my_session', { id })
      return ended.ok ? { redirect: '/account?done=ended#sign-ins' } : { faults: refusalFaults(ended, []) }
    }),
    confirm: pageForm(z.object({}), async (_typed, { ask, session }) => {
      const sent = await ask('request_password_reset', {}, { body: { email: session?.email ?? '' } })
      return sent.ok ? { redirect: '/account?done=mailed#sign-ins' } : { faults: refusalFaults(sent, []) }
    }),
    consent: pageForm(z.object({ consent_type: z.string().default(''), consent_action: z.string().default('') }), async (typed, { ask }) => {
      const policy = await ask('get_privacy_policy')
      // The entry names the policy that holds now; without it, the operation's default.
      const version = policy.ok ? { privacy_policy_version: policy.value.version } : {}
      const recorded = await ask('record_consent', {}, { body: { ...typed, ...version } })
      return recorded.ok ? { redirect: '/account?done=consent#consents' } : { faults: refusalFaults(recorded, []) }
    }),
  },
})

function profileOf(profile: Profile, token: string | null, returned: Returned | null): Content {
  const faults = faultsIn(returned, 'name')
  return html`${facts([
    ['Address', html`<span class="long">${profile.email}</span>`],
    ['Name', profile.full_name ?? 'not given'],
    ['Tier', html`${profile.tier} <a class="small" href="/account/billing">change it, and what each tier allows</a>`],
    ['Billing', profile.billing_status === 'none' ? 'none' : profile.billing_status],
    ['Questions to the assistant today', number(profile.queries_today)],
    ['Account made', instant(profile.created_at)],
    ['Last sign-in', profile.last_login_at === null ? 'none before this one' : instant(profile.last_login_at)],
  ])}
<form class="inline-form" method="post" action="/account/name">${formToken(token)}${faultList('name', faults)}${inputField({ form: 'name', name: 'display_name', label: 'Name that is shown', faults, attributes: html` maxlength="120" autocomplete="nickname"` }, typedIn(returned, 'name', 'display_name', profile.display_name ?? ''))}<button type="submit" class="quiet">Save</button></form>`
}

const keyTable = (keys: readonly Key[]): Content =>
  table({
    caption: 'API keys, newest first',
    captionHidden: true,
    columns: ['Name', 'Ends with', tight('Made'), tight('Last used'), 'State'],
    rows: keys.map(key => [
      key.name,
      html`<code>${key.last4}</code>`,
      instant(key.created_at),
      key.last_used_at === null ? 'never' : instant(key.last_used_at),
      key.state === 'live' ? badge('live', 'good') : badge('expired'),
    ]),
    empty: 'There is no API key.',
  })
