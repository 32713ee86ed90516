// Dividends and splits of a listing, and what is left of a dividend after withholding by kind of account.
import type { AnswerOf } from '#schemas/operations.ts'
import { day, money, number, orUnknown, percent, unknown } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { linkTabs } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome } from '../page.ts'

type Action = AnswerOf<'list_corporate_actions'>['actions'][number]
export type Country = 'CA' | 'US'
/** Shares for which the dividend after tax is shown: amounts of one share round to cents. */
export const sampleShares = 1000
const mostActions = 12

const reasons: Readonly<Record<string, string>> = { in_factor: 'in the adjusted prices', ex_date_ahead: 'ex-date ahead', duplicate: 'reported twice' }
const kindName = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll('_', ' ')}`

function whatOf({ kind, numerator, denominator, amount, currency, successor }: Action): Content {
  if (numerator !== null && denominator !== null) return `${numerator} for ${denominator}`
  if (amount !== null) return money(amount, currency ?? '')
  return successor ?? (kind === 'delisting' ? '' : unknown)
}

export function actionsTable(answer: AnswerOf<'list_corporate_actions'>): Html {
  const rows = answer.actions.slice(0, mostActions)
  return table({
    caption: 'Actions, newest first. The factor multiplies the prices before the ex-date.',
    columns: [tight('Ex-date'), tight('Action'), numeric('Amount or ratio'), tight('Paid'), numeric('Factor'), 'Effect'],
    rows: rows.map(action => [
      day(action.ex_date),
      kindName(action.kind),
      whatOf(action),
      orUnknown(action.pay_date, day),
      orUnknown(action.applied.price_factor, value => number(value, { most: 6 })),
      action.cancelled
        ? badge('cancelled', 'bad')
        : badge(
            reasons[action.applied.reason ?? ''] ?? (action.applied.reason ?? action.applied.status).replaceAll('_', ' '),
            action.applied.status === 'applied' ? 'good' : 'info',
          ),
    ]),
    empty: answer.coverage.sentence,
  })
}

/** The dividend that the tax is shown for: the next one, else the newest. */
export function dividendOf(
  answer: AnswerOf<'list_corporate_actions'>,
): { readonly amount: number; readonly currency: string; readonly ex_date: string } | null {
  const found = answer.actions.find(({ kind, amount, cancelled }) => kind === 'dividend' && amount !== null && !cancelled)
  return found?.amount === undefined || found.amount === null || found.currency === null
    ? null
    : { amount: found.amount, currency: found.currency, ex_date: found.ex_date }
}

type Tax = {
  readonly dividend: NonNullable<ReturnType<typeof dividendOf>>
  readonly country: Country
  /** Address of the page with another country of the issuer. */
  readonly hrefOf: (country: Country) => string
  readonly answer: Outcome<AnswerOf<'get_withholding'>>
}
const countryNames = { CA: 'Canada', US: 'the United States' } as const
/** Accounts in the order in which most people have them; the others follow. */
const firstAccounts = ['non_registered', 'us_taxable', 'tfsa', 'rrsp', 'resp', 'fhsa', 'ira', 'roth_ira', '401k']

export function taxSection({ dividend, country, hrefOf, answer }: Tax): Html {
  const { amount, currency, ex_date } = dividend
  return html`<h3>After withholding tax</h3>
<p class="panel-lead">Of the dividend of ${day(ex_date)}, ${money(amount, currency)} a share, on ${number(sampleShares)} shares.</p>
${linkTabs(
  'Country in which the issuer is resident',
  (['CA', 'US'] as const).map(each => ({ label: `Issuer of ${countryNames[each]}`, href: hrefOf(each), current: each === country })),
)}
${shown(answer, 'Withholding tax', ({ rows, ruleset, ruleset_valid_from }) => {
  const order = (type: string): number => (firstAccounts.indexOf(type) + firstAccounts.length + 1) % (firstAccounts.length + 1)
  const shownRows = rows
    .filter(({ instrument, payment }) => instrument === 'common' && payment === 'dividend')
    .sort((a, b) => order(a.account_type) - order(b.account_type))
  return html`${table({
    caption: html`Rules <code>${ruleset}</code>, valid from ${day(ruleset_valid_from)}`,
    columns: ['Account', tight('Held in'), numeric('Withheld'), numeric('Tax'), numeric('Left'), 'Treaty or law'],
    rows: shownRows.map(row => [
      row.account_title,
      countryNames[row.holder_country],
      orUnknown(row.effective_rate_pct, value => percent(value, 2)),
      orUnknown(row.withheld_amount, value => money(value, currency)),
      orUnknown(row.net_amount, value => money(value, currency)),
      row.treaty_articles.length > 0
        ? row.treaty_articles.map(({ article, paragraph }) => `Article ${article}${paragraph === '' ? '' : `(${paragraph})`}`).join(', ')
        : (row.domestic_law[0] ?? unknown),
    ]),
    tall: true,
    empty: 'The rules have no row for this issuer.',
  })}`
})}`
}
