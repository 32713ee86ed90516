// `/operator/telemetry`: page speed as browsers of visitors report it, and what the content security policy blocked.
import { question } from '#schemas/operations/operation.ts'
import { integer } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { day, number } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { linkTabs, section } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { html } from '../html.ts'
import { page } from '../page.ts'
import { opened, operatorHead } from './frame.ts'

type Telemetry = AnswerOf<'get_admin_telemetry'>
const path = '/operator/telemetry'
const tones = { good: 'good', 'needs improvement': 'warn', poor: 'bad' } as const
const names: Readonly<Record<string, string>> = {
  LCP: 'largest paint',
  INP: 'response to input',
  CLS: 'layout shift',
  FID: 'first input delay',
}

export const operatorTelemetryPage = page(path, 'Telemetry', {
  summary: 'Page speed as visitors’ browsers report it, and what the content security policy blocked, by day.',
  access: 'admin',
  question: question({ days: integer('the last days', 1, 400, { fallback: 7 }).default(7) }),
  operations: ['get_admin_telemetry'],
  async render({ ask, question: { days } }) {
    const found = await ask('get_admin_telemetry', { days })
    return {
      main: html`${operatorHead('Telemetry', path, { lead: 'Reports of browsers, without addresses of people. The job telemetry counts them every 15 minutes.' })}
${linkTabs(
  'Range',
  [1, 7, 30, 90].map(each => ({ label: each === 1 ? 'Today' : `${each} days`, href: `${path}?days=${each}`, current: each === days })),
)}
${opened(found, 'The reports', value => [vitalsSection(value), violationsSection(value)])}`,
    }
  },
})

const vitalsSection = ({ vitals, vitals_count, kept_days }: Telemetry) =>
  section({
    id: 'vitals',
    title: 'Page speed',
    lead: `The value that 75 % of the visits of a page reached, by day. Single measurements are kept for ${number(kept_days.measurements)} days, these figures for ${number(kept_days.figures)}.`,
    body: [
      vitals_count >= 1000 && html`<p>The newest 1,000 figures.</p>`,
      table({
        caption: 'Web Vitals, newest first',
        captionHidden: true,
        columns: [tight('Day'), 'Page', 'Metric', numeric('75th percentile'), 'Grade', numeric('Visits')],
        rows: vitals.map(each => [
          day(each.day),
          html`<code class="long">${each.page}</code>`,
          html`${each.metric}${names[each.metric] !== undefined && html` <span class="small">${names[each.metric]}</span>`}`,
          each.unit === 'ms' ? `${number(Math.round(each.p75))}\u00a0ms` : number(each.p75, { least: 3, most: 3 }),
          each.grade === null ? null : badge(each.grade, tones[each.grade]),
          number(each.visits),
        ]),
        empty: html`No browser reported a measurement in this range. Pages of your own site report with <a href="/docs/operations/report_vitals">report_vitals</a>.`,
        tall: true,
      }),
    ],
  })

const violationsSection = ({ violations, violations_count, kept_days }: Telemetry) =>
  section({
    id: 'violations',
    title: 'Blocked by the content security policy',
    lead: `What a page tried to load or run and the policy did not allow. Many are caused by extensions of the visitor’s browser. Kept for ${number(kept_days.violations)} days.`,
    body: [
      violations_count >= 1000 && html`<p>The newest 1,000 rows.</p>`,
      table({
        caption: 'Violations, newest first',
        captionHidden: true,
        columns: [tight('Day'), 'Directive', 'Blocked', numeric('Reports')],
        rows: violations.map(each => [
          day(each.day),
          html`<code>${each.directive}</code>`,
          html`<code class="long">${each.blocked}</code>`,
          number(each.reports),
        ]),
        empty: 'No violation was reported in this range.',
        tall: true,
      }),
    ],
  })
