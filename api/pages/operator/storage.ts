// `/operator/storage`: database, raw documents, models, damage, documents that were never read, and backups, with the jobs that maintain them.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken } from '../components/form.ts'
import { duration, instant, number } from '../components/format.ts'
import { notice } from '../components/notice.ts'
import { onceField, onceOf } from '../components/once.ts'
import { columns, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { emptyState, facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { counted } from '../words.ts'
import { done, jobPath, opened, operatorHead, relative, runPath, size } from './frame.ts'

type Storage = AnswerOf<'get_admin_storage'>
type Backups = AnswerOf<'list_backups'>
/** Jobs that maintain what is stored; the form runs no other one. */
const upkeep = ['backup', 'backup-verify', 'read-held', 'models', 'repair', 'lake-compact', 'lake-collect'] as const

export const operatorStoragePage = page('/operator/storage', 'Storage', {
  summary: 'What is stored and how large it is, damaged files, documents that were never read, models and backups.',
  access: 'admin',
  question: question({ done }),
  operations: ['get_admin_storage', 'get_admin_overview', 'list_backups', 'list_job_runs', 'run_job'],
  async render({ ask, question: { done }, token, returned, now }) {
    const [overview, storage, backups, verified] = await Promise.all([
      ask('get_admin_overview'),
      ask('get_admin_storage'),
      ask('list_backups'),
      ask('list_job_runs', { name: 'backup-verify', limit: 1 }),
    ])
    const run = (job: (typeof upkeep)[number], words: string): Html =>
      html`<form method="post" action="/operator/storage/run">${formToken(token)}${onceField()}<input type="hidden" name="job" value="${job}"><button type="submit" class="quiet small">${words}</button></form> <a href="${jobPath(job)}" aria-label="Runs of ${job}">Runs</a>`
    return {
      main: html`${operatorHead('Storage', '/operator/storage', { lead: 'A button sends a job to the worker, outside its schedule. A job that waits or runs already is not sent again.', done })}
${faultList('run', faultsIn(returned, 'run'))}
${opened(storage, 'Storage', value => [
  columns(
    [
      section({ id: 'space', title: 'Space', body: spaceFacts(value, overview.ok ? overview.value : null) }),
      section({ id: 'unread', title: 'Never read', tools: run('read-held', 'Read them now'), body: unreadText(value) }),
    ],
    [section({ id: 'damage', title: 'Damage', tools: run('repair', 'Check and repair'), body: damageBody(value, now) })],
  ),
  section({
    id: 'backups',
    title: 'Backups',
    tools: html`${run('backup', 'Back up now')} ${run('backup-verify', 'Verify the newest')}`,
    lead: html`Newest first. The check reads every byte of the newest one. <code>crossfile backup verify --at</code> checks another one; <code>crossfile restore</code> restores one into an empty folder.`,
    body: [verified.ok && checkNotice(verified.value.runs[0], now), opened(backups, 'Backups', each => backupBody(each, now))],
  }),
  columns(rawSection(value), tablesSection(value)),
  section({ id: 'models', title: 'Models', tools: run('models', 'Build now'), body: modelsTable(value, now) }),
])}
${overview.ok && datasetsSection(overview.value, html`${run('lake-compact', 'Merge small files')} ${run('lake-collect', 'Delete what is no longer used')}`)}`,
    }
  },
  forms: {
    run: pageForm(z.object({ job: z.string().max(64).default(''), once: z.string().max(64).default('') }), async ({ job, once }, { ask }) => {
      if (!upkeep.some(each => each === job)) return { faults: { '': 'This page runs no such job: use the page of the job.' } }
      const sent = await ask('run_job', { name: job }, { body: {}, seconds: 12, ...onceOf(once) })
      if (!sent.ok) return { faults: refusalFaults(sent, []) }
      return { redirect: `/operator/storage?done=${sent.value.joined ? 'joined' : 'sent'}` }
    }),
  },
})

function spaceFacts(value: Storage, overview: AnswerOf<'get_admin_overview'> | null): Html {
  const disk = overview?.disk ?? null
  const lake = overview?.datasets.reduce((sum, each) => sum + each.bytes, 0) ?? null
  return facts([
    ['Disk free', disk === null ? null : `${size(disk.free_bytes)} of ${size(disk.total_bytes)}`],
    ['Database', size(value.database_bytes)],
    ['Raw documents', size(value.raw.reduce((sum, each) => sum + each.bytes, 0))],
    ['Datasets', lake === null ? null : size(lake)],
    ['Models', size(value.models.reduce((sum, each) => sum + each.bytes, 0))],
  ])
}

function unreadText({ unread }: Storage): Html {
  if (unread === null) return notice('warn', 'No worker answered, so the documents that were never read are not counted.')
  if (unread.documents === 0) return emptyState('Every stored document was read.')
  return html`<p><strong>${counted(unread.documents, 'document')}</strong> ${unread.documents === 1 ? 'was' : 'were'} stored and never read, because a process ended before its commit, or a running job is about to commit ${unread.documents === 1 ? 'it' : 'them'}.</p>
${unread.example !== null && html`<p class="long">Such as ${unread.example.length <= 160 ? unread.example : `${unread.example.slice(0, 160)}…`}</p>`}`
}

const damageBody = ({ damaged }: Storage, now: Date): Content =>
  damaged.length === 0
    ? emptyState('No damaged or missing file is known. The worker reads every file again and again.')
    : table({
        caption: 'Damaged or missing files',
        columns: ['Part', 'File', 'Reason', tight('Found')],
        rows: damaged.map(each => [
          each.dataset,
          html`<code title="${each.sha256}">${each.sha256.slice(0, 12)}…</code>`,
          each.reason,
          relative(each.found_at, now),
        ]),
      })

type Run = AnswerOf<'list_job_runs'>['runs'][number]
/** The outcome of the newest check of a backup, with its log; nothing if none was started. */
function checkNotice(run: Run | undefined, now: Date): Content {
  if (run === undefined) return null
  const log = html`<a href="${runPath(run.run_id)}">${run.state === 'running' ? 'Progress' : 'Log of the check'}</a>`
  if (run.state === 'running') return notice('info', html`<p>A backup is being checked since ${relative(run.started_at, now)}. ${log}</p>`)
  const at = relative(run.finished_at ?? run.started_at, now)
  if (run.state === 'done') return notice('good', html`<p>The backup that was the newest ${at} is whole. ${log}</p>`)
  return notice('bad', html`<p><strong>The check of ${at} failed:</strong> ${run.error ?? 'its worker stopped'}. ${log}</p>`)
}

function backupBody({ place, backups, damaged }: Backups, now: Date): Content {
  if (place === null)
    return notice(
      'warn',
      html`<p>No target is set: set <code>CROSSFILE_BACKUP_TO</code> for the worker, such as <code>/mnt/backup</code> or <code>s3://bucket/prefix</code>.</p>`,
    )
  return [
    damaged.length > 0 && notice('bad', html`<ul>${damaged.map(each => html`<li>${each}</li>`)}</ul>`),
    table({
      caption: `Backups in ${place}`,
      columns: ['Backup', tight('Taken'), numeric('Release'), numeric('Files'), numeric('Tables'), numeric('Size'), 'Keys'],
      rows: backups.map(each => [
        html`<code>${each.backup}</code>`,
        relative(each.taken_at, now),
        number(each.release),
        number(each.files),
        number(each.tables),
        size(each.bytes),
        each.keys ? 'included, encrypted' : 'not included',
      ]),
      empty: 'There is no backup yet.',
    }),
  ]
}

const rawSection = ({ raw }: Storage): Html =>
  section({
    id: 'raw',
    title: 'Raw documents',
    body: table({
      caption: 'Documents by source, largest first',
      captionHidden: true,
      columns: ['Source', numeric('Documents'), numeric('Size'), tight('Newest')],
      rows: raw.map(each => [each.source, number(each.documents), size(each.bytes), instant(each.newest)]),
      empty: 'No document is stored yet.',
      tall: true,
    }),
  })

const tablesSection = ({ tables }: Storage): Html =>
  section({
    id: 'tables',
    title: 'Database',
    lead: 'The twenty largest tables, with their indexes.',
    body: table({
      caption: 'Tables by size',
      captionHidden: true,
      columns: ['Table', numeric('Size'), numeric('Rows, about')],
      rows: tables.map(each => [html`<code>${each.table}</code>`, size(each.bytes), number(each.rows)]),
      tall: true,
    }),
  })

const modelsTable = ({ models }: Storage, now: Date): Html =>
  table({
    caption: 'Builds of models, newest first',
    captionHidden: true,
    columns: ['Model', numeric('Release'), 'As of', numeric('Rows'), numeric('Size'), tight('Built'), numeric('Took')],
    rows: models.map(each => [
      each.model,
      number(each.release),
      each.as_of === null ? 'now' : each.as_of,
      number(each.rows),
      size(each.bytes),
      relative(each.built_at, now),
      duration(each.build_ms / 1000),
    ]),
    empty: 'No model was built yet.',
    tall: true,
  })

const datasetsSection = ({ datasets }: AnswerOf<'get_admin_overview'>, tools: Html): Html =>
  section({
    id: 'datasets',
    title: 'Datasets',
    tools,
    lead: html`Every stored version counts as a row. The <a href="/operator#freshness">overview</a> has their freshness.`,
    body: table({
      caption: 'Datasets by size',
      captionHidden: true,
      columns: ['Dataset', numeric('Rows'), numeric('Files'), numeric('Size'), 'Newest', tight('Changed')],
      rows: datasets
        .toSorted((a, b) => b.bytes - a.bytes)
        .map(each => [
          each.dataset,
          number(each.rows),
          number(each.files),
          size(each.bytes),
          each.newest,
          each.changed_at === null ? null : instant(each.changed_at),
        ]),
      tall: true,
    }),
  })
