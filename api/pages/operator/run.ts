// `/operator/runs/{run_id}`: one run of a job with its log, which grows while the run is at work.
import { question } from '#schemas/operations/operation.ts'
import { integer } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { duration, instant, number } from '../components/format.ts'
import { badge, notice, statusOf } from '../components/notice.ts'
import { pager, section } from '../components/parts.ts'
import { facts } from '../components/table.ts'
import { type Html, html } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'
import { jobPath, operatorHead, refused, runBadge } from './frame.ts'

type RunLog = AnswerOf<'get_run_log'>
/** Lines of one page: more are behind the link, and a running log is followed from its last line. */
const linesShown = 500

export const operatorRunPage = page('/operator/runs/{run_id}', 'Run', {
  summary: 'One run of a job: what it requested, committed and refused, line by line.',
  access: 'admin',
  question: question({
    run_id: integer('id of the run', 1, 999_999_999_999, { example: 41 }),
    after: integer('lines after this one', 0, 999_999, { fallback: 0 }).default(0),
  }),
  operations: ['get_run_log'],
  sample: '/operator/runs/41',
  async render({ ask, question: { run_id, after } }) {
    const found = await ask('get_run_log', { run_id, after, limit: linesShown })
    if (!found.ok) return { main: html`${operatorHead('Run', '/operator/jobs')}${refused(found, 'This run')}`, status: statusOf(found) }
    const { run } = found.value
    return {
      title: `Run ${run_id} of ${run.job}`,
      modules: run.state === 'running' && found.value.next_after === null ? (['run-log'] as const) : [],
      main: html`${operatorHead(html`Run ${run_id}`, '/operator/jobs', { lead: html`<a href="${jobPath(run.job)}">${run.job}</a> ${run.partition}` })}
${section({ id: 'run', title: 'Outcome', tools: runBadge(run.state), body: [runFacts(run), run.error !== null && notice(run.state === 'failed' ? 'bad' : 'info', run.error)] })}
${logSection(found.value, after)}`,
    }
  },
})

function runFacts(run: RunLog['run']): Html {
  const seconds = run.finished_at === null ? null : Math.round((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000)
  return facts([
    ['Started', instant(run.started_at)],
    ['Ended', run.finished_at === null ? 'not yet' : html`${instant(run.finished_at)}${seconds !== null && html`, after ${duration(seconds)}`}`],
    ['Attempt', number(run.attempt + 1)],
    ['Documents', `${number(run.documents)}, of which ${number(run.fetched)} were fetched`],
    ['Rows', number(run.rows)],
    ['Held back', run.refused === 0 ? '0' : html`<a href="/operator/quarantine">${number(run.refused)}</a>`],
    ['Release', run.release === null ? 'none' : number(run.release)],
    ['Backfill', run.backfill_id === null ? 'no' : html`<a href="${`${jobPath(run.job)}#backfills`}">${run.backfill_id}</a>`],
    ['Worker', html`<code>${run.worker}</code>`],
  ])
}

const tones = { debug: 'plain', info: 'info', warn: 'warn', error: 'bad' } as const

function logSection({ run, lines, next_after }: RunLog, after: number): Html {
  const path = `/operator/runs/${run.run_id}`
  const last = lines.at(-1)?.line ?? after
  const follow = run.state === 'running' && next_after === null
  const warnings = lines.filter(line => line.level === 'warn' || line.level === 'error').length
  return section({
    id: 'log',
    title: 'Log',
    lead: html`Every request to the source, every commit and what was held back. Times are in UTC. Lines are removed after 30 days.${warnings > 0 && html` <strong>${counted(warnings, 'line')} of this page ${warnings === 1 ? 'is a warning or an error' : 'are warnings or errors'}.</strong>`}`,
    body: html`<div tabindex="0" role="group" aria-label="Log of the run" class="log-box"><ol class="log" start="${after + 1}"${follow && html` data-log="${`/api/v1/admin/runs/${run.run_id}`}" data-after="${last}"`}>${lines.map(
      line =>
        html`<li class="${line.level}"><time datetime="${line.at}">${line.at.slice(11, 23)}</time> ${badge(line.level, tones[line.level])} <span>${line.message}</span></li>`,
    )}</ol></div>
<p class="small" data-log-state role="status">${lines.length === 0 && after === 0 ? (run.state === 'running' ? 'No line is stored yet.' : 'No line is stored: the run is older than 30 days, or older than this version.') : ''}</p>
${pager({ first: after === 0 ? null : `${path}#log`, next: next_after === null ? null : `${path}?after=${next_after}#log` })}`,
  })
}
