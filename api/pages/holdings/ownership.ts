// `/ownership`: Schedules 13D and 13G of the last days, with what changed since the report before and, for activists, the stated purpose.
import { question } from '#schemas/operations/operation.ts'
import { cursor, integer, oneOf, symbol } from '#schemas/operations/parameters.ts'
import { addressOf } from '../components/address.ts'
import { change, day, number, orUnknown, percent } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { answerLinks, companyLink, filingPath, linkTabs, pageHead, pager, section } from '../components/parts.ts'
import { sparkline } from '../components/sparkline.ts'
import { emptyState } from '../components/table.ts'
import { type Content, html, join } from '../html.ts'
import { page } from '../page.ts'
import { counted, sentence } from '../words.ts'

/** What both schedules share; the purpose is of 13D alone. */
type Schedule = {
  readonly ticker: string | null
  readonly issuer_name: string | null
  readonly accession: string | null
  readonly form: string
  readonly filed_date: string | null
  readonly amendment: boolean
  readonly amendment_number: string | null
  readonly aggregate: number | null
  readonly percent: number | null
  readonly persons: readonly { readonly name: string | null }[]
  readonly change: { readonly percent_change: number | null } | null
  /** The filings of the same owner on the same issuer up to this one, newest first. */
  readonly history: readonly { readonly percent: number | null }[]
  readonly purpose_excerpt?: string | null
  readonly corrected?: readonly unknown[]
}

/** The percent of class that the filings state, in equal steps from filing to filing; null with fewer than two figures. */
const course = ({ history }: Pick<Schedule, 'history'>): Content =>
  sparkline({
    label: `Percent of class in ${counted(history.length, 'filing')} of this owner`,
    values: history.map(each => each.percent).reverse(),
    show: value => percent(value, 1),
  })

export const ownershipPage = page('/ownership', 'Large owners', {
  summary: 'Owners of more than five per cent: Schedules 13D of activists and 13G of passive owners, newest first.',
  navigation: 'Owners',
  question: question({
    kind: oneOf('which schedule', ['13d', '13g'], '13d').default('13d'),
    days: integer('days to look back', 1, 60, { fallback: 21 }).default(21),
    ticker: symbol('one issuer').optional(),
    cursor,
  }),
  operations: ['list_activist_13d', 'list_passive_13g'],
  async render({ question: { kind, days, ticker, cursor: after }, ask }) {
    const parameters = { days, limit: 25, ...(ticker === undefined ? {} : { ticker }), ...(after === undefined ? {} : { cursor: after }) }
    const owners = await (kind === '13d' ? ask('list_activist_13d', parameters) : ask('list_passive_13g', parameters))
    const address = addressOf('/ownership', { kind, days: String(days), ticker })
    return {
      main: html`${pageHead('Large owners', 'An owner of more than five per cent of a class of voting equity reports it: on Schedule 13D with its purpose, or on Schedule 13G if it does not aim at control.')}
${linkTabs('Schedule', [
  { label: 'Activists (13D)', href: address({ kind: '13d' }), current: kind === '13d' },
  { label: 'Passive owners (13G)', href: address({ kind: '13g' }), current: kind === '13g' },
])}
${linkTabs(
  'Days',
  [7, 21, 60].map(each => ({ label: `${each} days`, href: address({ days: String(each) }), current: each === days })),
)}
${section({
  id: 'filings',
  title: kind === '13d' ? 'Schedule 13D' : 'Schedule 13G',
  lead: owners.ok ? html`From ${day(owners.value.window_from)} to ${day(owners.value.window_to)}. ${sentence(owners.value.aggregate_rule)}` : null,
  tools: answerLinks(owners, 'filings'),
  body: shown(owners, 'Schedules 13D and 13G', ({ filings, coverage, next_cursor }) => [
    filings.length === 0 && emptyState(coverage.note),
    html`<ul class="cards">${(filings as readonly Schedule[]).map(filing => {
      const names = filing.persons.flatMap(person => (person.name === null ? [] : [person.name]))
      const purpose = filing.purpose_excerpt ?? null
      return html`<li class="card"><div class="panel-head"><h3>${filing.ticker !== null && html`${companyLink(filing.ticker)} `}${filing.issuer_name ?? 'issuer not named'}</h3><div class="tools">${filing.accession === null ? filing.form : html`<a href="${filingPath(filing.accession)}">${filing.form}</a>`} ${filing.filed_date !== null && day(filing.filed_date)}</div></div>
<p>${names.length === 0 ? 'The reporting persons are not named.' : join(names.slice(0, 4), ', ')}${names.length > 4 && ` and ${names.length - 4} more`}</p>
<p><strong>${orUnknown(filing.percent, value => percent(value, 1))}</strong> of the class, ${orUnknown(filing.aggregate, value => number(value))} shares${
        filing.change !== null &&
        filing.change.percent_change !== null &&
        html`, ${change(filing.change.percent_change, `${number(filing.change.percent_change, { most: 2 })} points`)} since the report before`
      }. ${course(filing)} ${filing.amendment && badge(`amendment ${filing.amendment_number ?? ''}`)} ${filing.corrected !== undefined && badge('corrected', 'warn')}</p>
${purpose !== null && html`<details><summary>Purpose, as the filer states it</summary><blockquote>${purpose}</blockquote></details>`}</li>`
    })}</ul>`,
    pager({ first: after === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
  ]),
})}`,
    }
  },
})
