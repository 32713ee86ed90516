// `/operator/jobs`: every job with its next and last run, and dead letters. `/operator/jobs/{name}`: its runs, and backfills with their cost
// before they start and their progress.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import { oneOf, shaped, text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { areaField, faultList, focusOf, formToken, inputField } from '../components/form.ts'
import { duration, instant, number } from '../components/format.ts'
import { badge, notice, statusOf } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { linkTabs, pager, section } from '../components/parts.ts'
import { faultsIn, refusalFaults, typedIn } from '../components/submit.ts'
import { emptyState, facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { type Faults, type PageContext, page, pageForm, type Returned } from '../page.ts'
import { counted } from '../words.ts'
import { done, jobPath, opened, operatorHead, refused, relative, runBadge, runPath, size } from './frame.ts'

type Job = AnswerOf<'list_admin_jobs'>['jobs'][number]
type Runs = AnswerOf<'list_job_runs'>
type Cost = AnswerOf<'estimate_backfill'>
type DeadLetters = AnswerOf<'list_dead_letters'>

export const operatorJobsPage = page('/operator/jobs', 'Jobs', {
  summary: 'Every job with its schedule, its next and its last run, and the jobs that failed at their last attempt.',
  access: 'admin',
  question: question({ done }),
  operations: ['list_admin_jobs', 'list_dead_letters', 'redrive_dead_letters'],
  async render({ ask, question: { done }, token, returned, now }) {
    const [jobs, dead] = await Promise.all([ask('list_admin_jobs'), ask('list_dead_letters')])
    return {
      main: html`${operatorHead('Jobs', '/operator/jobs', { lead: html`As <code>jobs.yaml</code> describes them. A job that is <em>auto</em> runs if a worker has the credentials of its source; the page of the job shows why it is off.`, done })}
${section({ id: 'jobs', title: 'Schedule', body: opened(jobs, 'Jobs', value => jobsTable(value.jobs, now)) })}
${section({
  id: 'dead-letters',
  title: 'Dead letters',
  lead: 'Jobs that failed at their last attempt. They stay here until they are put back.',
  body: [faultList('redrive', faultsIn(returned, 'redrive')), opened(dead, 'Dead letters', value => deadLetters(value, token, now))],
})}`,
    }
  },
  forms: {
    redrive: pageForm(z.object({ id: z.string().max(64).default('') }), async ({ id }, { ask }) => {
      const put = await ask('redrive_dead_letters', {}, { body: { ids: id === '' ? null : [id] } })
      return put.ok ? { redirect: '/operator/jobs?done=redriven' } : { faults: refusalFaults(put, []) }
    }),
  },
})

/** By the workers that are alive; if their jobs are not known, by jobs.yaml. */
const isOff = (job: Job): boolean => (job.on === null ? job.enabled === 'off' : !job.on)

const jobsTable = (jobs: readonly Job[], now: Date): Html =>
  table({
    caption: 'Jobs in the order of jobs.yaml',
    captionHidden: true,
    columns: ['Job', tight('Next run'), tight('Last run'), 'State', 'Schedule', 'Source', 'Datasets'],
    rows: jobs.map(job => [
      html`<a href="${jobPath(job.name)}" title="${job.title}">${job.name}</a>`,
      job.next_run === null ? '' : relative(job.next_run, now),
      job.last_run === null ? '' : html`<a href="${runPath(job.last_run.run_id)}">${relative(job.last_run.at, now)}</a>`,
      isOff(job) ? badge('off') : job.last_run === null ? badge('never ran') : runBadge(job.last_run.state),
      job.schedule === null
        ? 'on request'
        : html`<code>${job.schedule.cron}</code> ${job.schedule.time_zone}${job.schedule.calendar !== null && html`, sessions of ${job.schedule.calendar}`}`,
      job.source,
      job.datasets.join(', '),
    ]),
  })

const deadLetters = ({ dead_letters }: DeadLetters, token: string | null, now: Date): Content => [
  table({
    caption: 'Jobs that failed at their last attempt, newest first',
    captionHidden: true,
    columns: ['Job', 'Window', tight('Since'), numeric('Attempts'), 'Reason', 'Action'],
    rows: dead_letters.map(letter => [
      html`<a href="${jobPath(letter.job)}">${letter.job}</a>`,
      letter.partition,
      relative(letter.since, now),
      letter.attempts === null ? null : number(letter.attempts),
      letter.reason,
      html`<form method="post" action="/operator/jobs/redrive">${formToken(token)}<input type="hidden" name="id" value="${letter.id}"><button type="submit" class="quiet small" aria-label="Put back ${letter.job} ${letter.partition}">Put back</button></form>`,
    ]),
    empty: 'No job has failed at its last attempt.',
  }),
  dead_letters.length > 1 &&
    html`<form method="post" action="/operator/jobs/redrive">${formToken(token)}<p><button type="submit" class="quiet">Put all ${dead_letters.length} back</button></p></form>`,
]

const field = z.string().max(8000).default('')
const Range = z.object({ from: field, to: field, symbols: field, once: z.string().max(64).default('') })
const rangeFields = ['from', 'to', 'symbols']
/** The fields of the form as a request has them: symbols separated by spaces, commas or lines. */
function requestOf({ from, to, symbols }: z.output<typeof Range>) {
  const list = symbols.split(/[\s,;]+/).filter(each => each !== '')
  return { from: from.trim(), to: to.trim(), ...(list.length === 0 ? {} : { symbols: list }) }
}

const states = ['all', 'running', 'done', 'failed', 'lost'] as const
const jobQuestion = question({
  name: shaped('name of a job', /^[a-z0-9]+(-[a-z0-9]+)*$/, 'the name of a job', 'fx'),
  state: oneOf('which runs', states, 'all').default('all'),
  cursor: text('next runs', 1000, 'bm90IGEgcmVhbCBvbmU').optional(),
  done,
})
const jobOperations = ['list_admin_jobs', 'list_job_runs', 'estimate_backfill', 'backfill_job', 'run_job'] as const
type JobOperation = (typeof jobOperations)[number]
type JobContext = PageContext<typeof jobQuestion, JobOperation>
const RunFields = z.object({ date: field, symbols: field, once: z.string().max(64).default('') })

export const operatorJobPage = page('/operator/jobs/{name}', 'Job', {
  summary: 'Runs of a job with their errors, a run now, and backfills with cost and progress.',
  access: 'admin',
  question: jobQuestion,
  operations: jobOperations,
  sample: '/operator/jobs/fx',
  render: context => renderJob(context, null),
  forms: {
    estimate: pageForm<typeof Range, typeof jobQuestion, JobOperation>(Range, async (fields, context: JobContext) => {
      const body = requestOf(fields)
      const cost = await context.ask('estimate_backfill', { name: context.question.name }, { body, seconds: 12 })
      if (!cost.ok) return { faults: refusalFaults(cost, rangeFields) }
      return await renderJob(context, { cost: cost.value, typed: fields })
    }),
    backfill: pageForm<typeof Range, typeof jobQuestion, JobOperation>(Range, async (fields, { ask, question: { name } }: JobContext) => {
      const body = requestOf(fields)
      const sent = await ask('backfill_job', { name }, { body, ...onceOf(fields.once) })
      return sent.ok ? { redirect: `${jobPath(name)}?done=backfill#backfills` } : { faults: refusalFaults(sent, rangeFields) }
    }),
    run: pageForm<typeof RunFields, typeof jobQuestion, JobOperation>(RunFields, async (fields, { ask, question: { name } }: JobContext) => {
      const list = fields.symbols.split(/[\s,;]+/).filter(each => each !== '')
      const body = { ...(fields.date.trim() === '' ? {} : { date: fields.date.trim() }), ...(list.length === 0 ? {} : { symbols: list }) }
      const sent = await ask('run_job', { name }, { body, seconds: 12, ...onceOf(fields.once) })
      if (!sent.ok) return { faults: refusalFaults(sent, ['date', 'symbols']) }
      return { redirect: `${jobPath(name)}?done=${sent.value.joined ? 'joined' : 'sent'}` }
    }),
  },
})

type Estimated = { readonly cost: Cost; readonly typed: z.output<typeof Range> }

async function renderJob({ ask, question: { name, state, cursor, done }, token, returned, now }: JobContext, estimated: Estimated | null) {
  const [jobs, runs] = await Promise.all([
    ask('list_admin_jobs'),
    ask('list_job_runs', { name, state, limit: 25, ...(cursor === undefined ? {} : { cursor }) }),
  ])
  if (!runs.ok) return { main: html`${operatorHead(name, '/operator/jobs', { done })}${refused(runs, 'This job')}`, status: statusOf(runs) }
  const job = jobs.ok ? jobs.value.jobs.find(each => each.name === name) : undefined
  return {
    title: `Job ${name}`,
    modules: ['job-progress'] as const,
    main: html`${operatorHead(name, '/operator/jobs', { lead: job?.title, done })}
${job !== undefined && section({ id: 'job', title: 'Schedule', tools: html`<a href="/operator/jobs">All jobs</a>`, body: jobFacts(job, now) })}
<div data-progress="${`/api/v1/admin/jobs/${name}/runs?limit=25`}">
${job !== undefined && job.backfill !== 'none' && backfillSection(job, runs.value, { token, returned, estimated, now })}
</div>
${job !== undefined && !isOff(job) && runForm(job, token, returned)}
${runsSection(runs.value, { name, state, cursor }, now)}`,
  }
}

/** On or off and why, and which of several workers run the job if not all do. */
function stateWords(job: Job): string {
  if (isOff(job)) return `off: ${job.why_off ?? 'switched off in jobs.yaml'}`
  if (job.on === null) return 'not known: no worker has recorded its jobs'
  const off = job.workers.filter(each => !each.on)
  if (off.length === 0) return 'on'
  return `on for ${counted(job.workers.length - off.length, 'worker')}; off for ${off.map(each => `${each.worker} (${each.why_off})`).join(', ')}`
}

const jobFacts = (job: Job, now: Date): Html =>
  facts([
    ['Enabled', job.enabled],
    ['State', stateWords(job)],
    ['Next run', job.next_run === null ? null : html`${relative(job.next_run, now)}, ${instant(job.next_run)}`],
    ['Schedule', job.schedule === null ? 'on request' : html`<code>${job.schedule.cron}</code> ${job.schedule.time_zone}`],
    ['Source', job.source],
    ['Datasets', job.datasets.join(', ')],
    ['Backfill', job.backfill === 'none' ? 'not possible: its source has only current data' : `split by ${job.backfill}`],
    ['Dead letters', job.dead_letters === 0 ? '0' : html`<a href="/operator/jobs#dead-letters">${number(job.dead_letters)}</a>`],
  ])

type FormState = { readonly token: string | null; readonly returned: Returned | null; readonly estimated: Estimated | null; readonly now: Date }

function backfillSection(job: Job, { backfills }: Runs, { token, returned, estimated, now }: FormState): Html {
  const form = returned?.form === 'backfill' ? 'backfill' : 'estimate'
  const faults = faultsIn(returned, form)
  const value = (name: 'from' | 'to' | 'symbols'): string => estimated?.typed[name] ?? typedIn(returned, form, name)
  return section({
    id: 'backfills',
    title: 'Backfills',
    lead: 'The job over a past range. The cost is shown before anything starts; completed windows are not repeated.',
    body: [
      html`<form method="post" action="${`${jobPath(job.name)}/estimate`}#backfills" novalidate>${formToken(token)}${faultList('estimate', faults)}
<div class="pair">${inputField(dayField('from', 'From', faults), value('from'), 'date')}${inputField(dayField('to', 'To', faults), value('to'), 'date')}</div>
${job.backfill === 'symbol' && areaField({ form: 'estimate', name: 'symbols', label: 'Symbols', faults, help: 'Such as AAPL or RY.TO, or CIKs; one a line or separated by commas', attributes: html` spellcheck="false"` }, value('symbols'))}
<p><button type="submit" class="quiet">Show the cost</button></p></form>`,
      estimated !== null && estimate(job, estimated, token),
      backfills.length === 0
        ? emptyState('No backfill was requested.')
        : html`<ul class="entries" aria-label="Backfills">${backfills.map(each => backfillItem(each, now))}</ul><p class="small" data-live role="status"></p>`,
    ],
  })
}
const dayField = (name: string, label: string, faults: Faults) => ({
  form: 'estimate',
  name,
  label,
  faults,
  focus: Object.keys(faults).length === 0 ? null : focusOf(faults, 'from'),
  attributes: html` required`,
})

function estimate(job: Job, { cost, typed }: Estimated, token: string | null): Html {
  const routes = table({
    caption: 'Routes over the range',
    columns: ['Route', 'Covers', numeric('Requests'), numeric('Bytes'), numeric('Time'), 'What it has'],
    rows: cost.routes.map(each => [
      each.route,
      each.from === null ? 'none of it' : `${each.from} to ${each.to}`,
      each.from === null ? '' : number(each.requests),
      each.from === null ? '' : size(each.bytes),
      each.from === null ? '' : duration(Math.round(each.hours * 3600)),
      each.note,
    ]),
  })
  const taken = cost.taken.map(
    each =>
      html`<li>${each.route} from ${each.from} to ${each.to}: about ${counted(each.requests, 'request')}, ${size(each.bytes)}, ${duration(Math.round(each.hours * 3600))}</li>`,
  )
  return html`<div class="notice info" role="status"><p><strong>${job.name} from ${cost.from_date} to ${cost.to_date}: ${counted(cost.windows, 'window')}.</strong>${cost.off !== null && ` The worker does not run this job: ${cost.off}.`}</p>
${taken.length > 0 ? html`<p>Taken:</p><ul>${taken}</ul>` : html`<p>This job has one way: each window is requested as by its schedule.</p>`}</div>
${cost.routes.length > 0 && routes}
<form method="post" action="${jobPath(job.name)}/backfill">${formToken(token)}${onceField()}<input type="hidden" name="from" value="${typed.from}"><input type="hidden" name="to" value="${typed.to}"><input type="hidden" name="symbols" value="${typed.symbols}">
<p><button type="submit">Start the backfill</button></p></form>`
}

function backfillItem(
  { backfill_id, from_date, to_date, symbols, requested_at, total, done, failed, waiting }: Runs['backfills'][number],
  now: Date,
): Html {
  const open = total === 0 || waiting > 0
  const words = total === 0 ? 'waits for a worker' : `${done} of ${total} windows done${failed > 0 ? `, ${failed} failed` : ''}`
  return html`<li><strong>${from_date} to ${to_date}</strong>${symbols !== null && html` for ${counted(symbols.length, 'symbol')}`}, requested ${relative(requested_at, now)}
<p><progress data-backfill="${backfill_id}"${open && html` data-open`} value="${done + failed}" max="${Math.max(1, total)}" aria-label="Backfill ${backfill_id}"></progress> <span data-backfill-text="${backfill_id}">${words}</span></p></li>`
}

function runForm(job: Job, token: string | null, returned: Returned | null): Html {
  const faults = faultsIn(returned, 'run')
  return section({
    id: 'run',
    title: 'Run now',
    lead: 'Once, outside its schedule. A run that waits or runs already is not sent again.',
    body: html`<form method="post" action="${jobPath(job.name)}/run" novalidate>${formToken(token)}${onceField()}${faultList('run', faults)}
${job.backfill === 'symbol' && areaField({ form: 'run', name: 'symbols', label: 'Symbols', faults, help: 'One a line or separated by commas', attributes: html` spellcheck="false"` }, typedIn(returned, 'run', 'symbols'))}
${job.backfill !== 'none' && inputField({ form: 'run', name: 'date', label: 'Day (empty: today)', faults }, typedIn(returned, 'run', 'date'), 'date')}
<p><button type="submit" class="quiet">Run ${job.name}</button></p></form>`,
  })
}

function runsSection(
  { runs, next_cursor }: Runs,
  { name, state, cursor }: { readonly name: string; readonly state: string; readonly cursor: string | undefined },
  now: Date,
): Html {
  const address = (changed: Readonly<Record<string, string>>): string =>
    `${jobPath(name)}?${new URLSearchParams({ ...(state === 'all' ? {} : { state }), ...changed })}#runs`
  return section({
    id: 'runs',
    title: 'Runs',
    body: [
      linkTabs(
        'Which runs',
        states.map(each => ({ label: each, href: `${jobPath(name)}${each === 'all' ? '' : `?state=${each}`}#runs`, current: each === state })),
      ),
      runs.length === 0 ? emptyState('There are no such runs.') : html`<ul class="entries">${runs.map(run => runItem(run, now))}</ul>`,
      pager({ first: cursor === undefined ? null : address({}), next: next_cursor === null ? null : address({ cursor: next_cursor }) }),
    ],
  })
}

function runItem(run: Runs['runs'][number], now: Date): Html {
  const seconds = run.finished_at === null ? null : Math.round((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000)
  const parts = [
    `${counted(run.documents, 'document')} (${number(run.fetched)} fetched)`,
    counted(run.rows, 'row'),
    ...(run.refused > 0 ? [`${number(run.refused)} held back`] : []),
    ...(run.release === null ? [] : [`release ${number(run.release)}`]),
    ...(run.attempt > 0 ? [`attempt ${run.attempt + 1}`] : []),
    ...(run.backfill_id === null ? [] : [`backfill ${run.backfill_id}`]),
  ]
  return html`<li><div class="panel-head"><h3><a href="${runPath(run.run_id)}">${run.partition}</a></h3><span>${runBadge(run.state)}</span></div>
<p>${relative(run.started_at, now)}${seconds !== null && html`, took ${duration(seconds)}`}: ${parts.join(', ')}</p>
${run.error !== null && (run.state === 'failed' ? notice('bad', run.error) : html`<p>${run.error}</p>`)}
<p><a href="${runPath(run.run_id)}">Run ${run.run_id} with its log</a>, by <code>${run.worker}</code></p></li>`
}
