// The Sharia screens of five standards as a matrix, and the dates ahead.
import type { AnswerOf } from '#schemas/operations.ts'
import { day, number, percent, unknown } from '../components/format.ts'
import { badge, missing, type Tone } from '../components/notice.ts'
import { filingPath } from '../components/parts.ts'
import { table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Outcome } from '../page.ts'
import { sentence } from '../words.ts'

type Screen = AnswerOf<'get_sharia_screen_all'>
type Test = Screen['verdicts'][number]['tests'][number]

const verdictTones: Readonly<Record<string, Tone>> = { compliant: 'good', non_compliant: 'bad', questionable: 'warn', unknown: 'info' }
const testNames: Readonly<Record<string, string>> = {
  debt: 'Debt',
  interest_assets: 'Interest-bearing assets',
  receivables_and_cash: 'Receivables and cash',
  receivables: 'Receivables',
  impermissible_income: 'Impermissible income',
}
const names: Readonly<Record<string, string>> = { aaoifi: 'AAOIFI', djim: 'Dow Jones', ftse: 'FTSE', msci: 'MSCI', sp: 'S&P' }

export function shariaMatrix({ verdicts, position, industry, review }: Screen): Html {
  const tests = [...new Set(verdicts.flatMap(each => each.tests.map(({ id }) => id)))]
  return html`${table({
    caption: html`Ratio and limit of each test${position !== null && html`, by the balance sheet of ${day(position.period_end)}`}`,
    columns: [
      tight('Standard'),
      tight('Verdict'),
      tight('Business'),
      ...tests.map(id => ({ label: testNames[id] ?? id.replaceAll('_', ' '), numeric: true })),
    ],
    rows: verdicts.map(({ standard, title, verdict, business, tests: own, ruleset }) => [
      html`<span title="${title}, rules ${ruleset}">${names[standard] ?? standard}</span>`,
      badge(verdict.replaceAll('_', ' '), verdictTones[verdict] ?? 'plain'),
      html`<span title="${business.sentence}">${business.status.replaceAll('_', ' ')}</span>`,
      ...tests.map(id => testCell(own.find(test => test.id === id))),
    ]),
    empty: 'No standard could be applied.',
  })}
<p class="small">Industry: ${industry === null ? 'not known' : `${industry.title ?? ''} (SIC ${industry.sic})`}. Review of the business: ${
    review === null
      ? 'none, which does not mean that it is clean'
      : html`${review.status.replaceAll('_', ' ')}, ${day(review.reviewed_at)} by ${review.reviewer}`
  }.</p>
<details><summary>Why each verdict</summary><dl class="reasons">${verdicts.map(({ standard, reason }) => html`<dt>${names[standard] ?? standard}</dt><dd>${sentence(reason)}</dd>`)}</dl></details>`
}

const marks: Readonly<Record<string, readonly [string, string]>> = { pass: ['✓', 'up'], fail: ['✗', 'down'], unknown: ['?', 'flat'] }
function testCell(test: Test | undefined): Content {
  if (!test) return html`<span class="flat">no test</span>`
  const { ratio, limit, operator, status, title } = test
  const [mark, tone] = marks[status] ?? ['?', 'flat']
  const bound = `${operator === 'lt' ? 'below' : 'at most'} ${percent(limit * 100, 1)}`
  return html`<span title="${title}: ${bound}"><span class="${tone}"><span aria-hidden="true">${mark}</span><span class="hidden">${status}</span></span> ${ratio === null ? unknown : percent(ratio * 100, 1)} <span class="small">${operator === 'lt' ? '<' : '≤'} ${number(limit * 100, { most: 1 })}</span></span>`
}

type Ahead = { readonly date: string; readonly what: Content; readonly source: Content }

/**
 * Confirmed dates ahead: the next report and the ex-dates and pay dates that were declared. If one of the two answers is missing, its reason
 * is shown, and no sentence that there are no dates.
 */
export function calendarSection(
  earnings: Outcome<AnswerOf<'get_earnings'>>,
  actions: Outcome<AnswerOf<'list_corporate_actions'>>,
  today: string,
): Html {
  const rows: Ahead[] = []
  const report = earnings.ok ? earnings.value.next_report : null
  if (report)
    rows.push({
      date: report.date,
      what: html`Report of results${report.time !== null && html`, ${report.time.replaceAll('_', ' ')}`}`,
      source: html`<a href="${filingPath(report.accession)}" title="${report.evidence.quote}">${report.form}</a>, in the words of the issuer`,
    })
  for (const action of actions.ok ? actions.value.actions : []) {
    if (action.cancelled || action.applied.reason === 'duplicate') continue
    const what = action.kind.replaceAll('_', ' ')
    if (action.ex_date > today) rows.push({ date: action.ex_date, what: `Ex-date of the ${what}`, source: action.source_name })
    if (action.pay_date !== null && action.pay_date > today)
      rows.push({ date: action.pay_date, what: `The ${what} is paid`, source: action.source_name })
  }
  const reasons = [
    earnings.ok || earnings.status === 404 ? null : missing(earnings, 'Report days'),
    actions.ok || actions.status === 404 ? null : missing(actions, 'Ex-dates and pay dates'),
  ].filter(reason => reason !== null)
  if (reasons.length > 0 && rows.length === 0) return html`${reasons}`
  return html`${reasons}${table({
    caption: 'Dates that are set, the next first',
    captionHidden: true,
    columns: [tight('Day'), 'What', 'Source'],
    rows: rows.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)).map(({ date, what, source }) => [day(date), what, source]),
    empty: 'No date ahead is confirmed. Days without an announcement are not estimated here.',
  })}`
}
