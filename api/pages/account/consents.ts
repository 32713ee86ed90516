// Consents of the signed-in user: the present state of each purpose with its form, and every entry.
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken } from '../components/form.ts'
import { instant } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { section } from '../components/parts.ts'
import { faultsIn } from '../components/submit.ts'
import { table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome, Returned } from '../page.ts'

type History = AnswerOf<'list_my_consent'>
type Entry = History['entries'][number]

/** Purposes that can be consented to before any entry exists. */
const offered = ['analytics', 'marketing']

export const consentSection = (found: Outcome<History>, token: string | null, returned: Returned | null): Html =>
  section({
    id: 'consents',
    title: 'Consents',
    lead: html`What you permitted and withdrew. A withdrawal holds from then on and is a further entry. <a href="/api/v1/gdpr/policy">Privacy policy</a>`,
    body: [
      faultList('consent', faultsIn(returned, 'consent')),
      shown(found, 'Consents', ({ entries, next_cursor }) => [
        stateTable(entries, token),
        entries.length > 0 &&
          html`<details class="behind"><summary>${next_cursor === null ? 'Every entry' : `The newest ${entries.length} entries`}</summary>${historyTable(entries)}</details>`,
      ]),
    ],
  })

/** The newest entry of each purpose; entries are newest first. */
function newest(entries: readonly Entry[]): readonly (readonly [type: string, entry: Entry | null])[] {
  const types = new Set([...offered, ...entries.map(({ consent_type }) => consent_type)])
  return [...types].map(type => [type, entries.find(each => each.consent_type === type) ?? null] as const)
}

const form = (type: string, action: 'granted' | 'withdrawn', label: string, token: string | null): Html =>
  html`<form method="post" action="/account/consent">${formToken(token)}<input type="hidden" name="consent_type" value="${type}"><input type="hidden" name="consent_action" value="${action}"><button type="submit" class="${action === 'granted' ? 'quiet small' : 'danger'}" aria-label="${label}: ${type}">${label}</button></form>`

const stateTable = (entries: readonly Entry[], token: string | null): Content =>
  table({
    caption: 'Consents at present',
    captionHidden: true,
    columns: ['Purpose', 'State', tight('Since'), tight('Change')],
    rows: newest(entries).map(([type, entry]) => [
      type,
      entry === null ? 'never given' : badge(entry.consent_action, entry.consent_action === 'granted' ? 'good' : 'plain'),
      entry === null ? '' : instant(entry.created_at),
      entry?.consent_action === 'granted' ? form(type, 'withdrawn', 'Withdraw', token) : form(type, 'granted', 'Give', token),
    ]),
  })

const historyTable = (entries: readonly Entry[]): Content =>
  table({
    caption: 'Entries, newest first',
    columns: [tight('When'), 'Purpose', 'Action', tight('Policy'), 'Browser', tight('Network')],
    rows: entries.map(each => [
      instant(each.created_at),
      each.consent_type,
      each.consent_action,
      each.privacy_policy_version,
      each.agent,
      html`<code>${each.address_prefix}</code>`,
    ]),
    tall: entries.length > 12,
  })
