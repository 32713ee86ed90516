// `/operator`: the running service on one page. `/operator/upstreams`: sources that are not asked at the moment, with the way to lift a stop.
import { z } from 'zod'
import { question } from '#schemas/operations/operation.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { faultList, formToken } from '../components/form.ts'
import { instant, number } from '../components/format.ts'
import { badge, notice } from '../components/notice.ts'
import { columns, section } from '../components/parts.ts'
import { faultsIn, refusalFaults } from '../components/submit.ts'
import { emptyState, facts, numeric, table, tight } from '../components/table.ts'
import { type Content, html } from '../html.ts'
import { page, pageForm } from '../page.ts'
import { counted } from '../words.ts'
import { done, needsFactor, opened, operatorHead, refused, relative, size } from './frame.ts'

type Overview = AnswerOf<'get_admin_overview'>

export const operatorPage = page('/operator', 'Operation', {
  summary: 'The running service: processes, release, storage, freshness, keys, accounts and what needs attention.',
  access: 'admin',
  operations: ['get_admin_overview', 'list_admin_jobs', 'list_upstream_stops', 'admin_logout'],
  async render({ ask, now }) {
    const [overview, jobs, stops] = await Promise.all([ask('get_admin_overview'), ask('list_admin_jobs'), ask('list_upstream_stops')])
    if (!overview.ok && needsFactor(overview)) return { main: html`${operatorHead('Operation', '/operator')}${refused(overview, 'Administration')}` }
    const failed = jobs.ok ? jobs.value.jobs.filter(job => job.enabled !== 'off' && job.on !== false && job.last_run?.state === 'failed') : []
    return {
      main: html`${operatorHead('Operation', '/operator', { lead: overview.ok ? html`At ${instant(overview.value.at)}. The <a href="/status">status page</a> shows the checks of the last 90 days.` : undefined })}
${opened(overview, 'The state of the service', value => [
  attention(value, failed, stops.ok ? stops.value.count : 0),
  columns(
    [section({ id: 'service', title: 'Service', body: serviceFacts(value, now) }), storageSection(value)],
    [keysSection(value), accountsSection(value)],
  ),
  freshnessSection(value, now),
])}`,
    }
  },
  forms: {
    'sign-out': pageForm(z.object({}), async (_fields, { ask }) => {
      const left = await ask('admin_logout')
      return left.ok ? { redirect: '/operator/sign-in', headers: left.cookies ?? [] } : { faults: refusalFaults(left, []) }
    }),
  },
})

/** What needs the operator, one line each, with the page that shows more. */
function attention(
  value: Overview,
  failed: readonly { readonly name: string; readonly last_run: { readonly error: string | null } | null }[],
  stopped: number,
): Content {
  const { processes, queue, quarantine, disk, datasets, damaged } = value
  const stale = datasets.filter(each => each.state === 'stale')
  const lines: Content[] = [
    processes.workers === 0 && 'No worker runs: nothing is fetched.',
    disk !== null && disk.free_bytes < Math.min(5e9, disk.total_bytes * 0.05) && 'The disk of the data folder is nearly full.',
    damaged.length > 0 &&
      html`<a href="/operator/storage#damage">${counted(damaged.length, 'stored file')} ${damaged.length === 1 ? 'is' : 'are'} damaged or missing</a>.`,
    queue.dead > 0 && html`<a href="/operator/jobs#dead-letters">${counted(queue.dead, 'dead letter')}</a>: jobs that failed at their last attempt.`,
    quarantine.held > 0 && html`<a href="/operator/quarantine">${counted(quarantine.held, 'finding')} held in quarantine</a>.`,
    stopped > 0 &&
      html`<a href="/operator/upstreams">${counted(stopped, 'group')} of upstream hosts ${stopped === 1 ? 'is' : 'are'} stopped or failing</a>.`,
    ...failed.map(
      job => html`The last run of <a href="/operator/jobs/${job.name}">${job.name}</a> failed: ${job.last_run?.error ?? 'no reason was recorded'}`,
    ),
    stale.length > 0 && html`<a href="#freshness">${counted(stale.length, 'dataset')} late</a>: ${stale.map(each => each.dataset).join(', ')}.`,
  ].filter(line => line !== false)
  if (lines.length === 0) return notice('good', 'Nothing needs your attention.')
  return notice('warn', html`<ul>${lines.map(line => html`<li>${line}</li>`)}</ul>`)
}

const serviceFacts = ({ processes, release, queue, data_clock }: Overview, now: Date): Content =>
  facts([
    ['Workers', String(processes.workers)],
    ['API processes', String(processes.apis)],
    ['Release', release === null ? null : html`${number(release.release)} by ${release.job} ${release.partition}`],
    ['Committed', release === null ? null : relative(release.committed_at, now)],
    ['Jobs waiting', number(queue.waiting)],
    ['Jobs running', number(queue.running)],
    ['Jobs retrying', number(queue.retrying)],
    ['Dead letters', number(queue.dead)],
    ...(data_clock === null ? [] : ([['Data clock', instant(data_clock)]] as const)),
  ])

const storageSection = ({ disk, raw, datasets, damaged, quarantine }: Overview): Content =>
  section({
    id: 'storage',
    title: 'Storage',
    tools: html`<a href="/operator/storage">Tables, models, backups</a>`,
    body: [
      facts([
        ['Disk free', disk === null ? null : `${size(disk.free_bytes)} of ${size(disk.total_bytes)}`],
        ['Raw documents', `${number(raw.documents)}, ${size(raw.bytes)}`],
        ['Datasets', size(datasets.reduce((sum, each) => sum + each.bytes, 0))],
        ['Files of datasets', number(datasets.reduce((sum, each) => sum + each.files, 0))],
        ['Held in quarantine', html`<a href="/operator/quarantine">${number(quarantine.held)}</a>`],
      ]),
      damaged.length > 0 &&
        table({
          caption: 'Damaged or missing files',
          columns: ['Dataset', 'Reason', tight('Found')],
          rows: damaged.map(each => [each.dataset, each.reason, instant(each.found_at)]),
        }),
    ],
  })

const keysSection = ({ signing_keys }: Overview): Content =>
  section({
    id: 'signing-keys',
    title: 'Receipts and their keys',
    tools: html`<a href="/operator/receipts">Rotate, revoke, log</a>`,
    body: table({
      caption: 'Keys that sign receipts, oldest first',
      captionHidden: true,
      columns: ['Key', 'State', numeric('From release'), numeric('To'), numeric('Receipts')],
      rows: signing_keys.map(key => [
        html`<code title="${key.kid}">${key.kid.slice(0, 12)}…</code>`,
        badge(key.status, key.status === 'active' ? 'good' : key.status === 'compromised' ? 'bad' : 'plain'),
        key.valid_from === null ? null : number(key.valid_from),
        key.valid_to === null ? '' : number(key.valid_to),
        number(key.receipts),
      ]),
      empty: 'No key yet: the first signed answer creates one.',
    }),
  })

const accountsSection = ({ api_keys, users }: Overview): Content =>
  section({
    id: 'accounts',
    title: 'Accounts and API keys',
    tools: html`<a href="/operator/users">Users</a><a href="/operator/keys">API keys</a>`,
    body: facts([
      ['Accounts', number(users.total)],
      ['Confirmed addresses', number(users.verified)],
      ['Administrators', number(users.administrators)],
      ['Erasure queued', number(users.leaving)],
      ['API keys live', number(api_keys.live)],
      ['Owners of live keys', number(api_keys.owners)],
      ['Keys expired', number(api_keys.expired)],
      ['Keys revoked', number(api_keys.revoked)],
    ]),
  })

const stateBadges = { ok: ['in time', 'good'], stale: ['late', 'bad'], never: ['never loaded', 'warn'], no_limit: ['no target', 'plain'] } as const

const freshnessSection = ({ datasets }: Overview, now: Date): Content =>
  section({
    id: 'freshness',
    title: 'Freshness',
    lead: 'Each dataset against the freshness target of the jobs that feed it.',
    body: table({
      caption: 'Datasets with their last load',
      captionHidden: true,
      columns: ['Dataset', 'State', tight('Loaded'), tight('Target'), numeric('Rows'), numeric('Size'), 'Jobs'],
      rows: datasets
        .toSorted((a, b) => Number(b.state === 'stale') - Number(a.state === 'stale'))
        .map(each => [
          each.dataset,
          badge(stateBadges[each.state][0], stateBadges[each.state][1]),
          each.loaded_at === null ? null : relative(each.loaded_at, now),
          each.limit_minutes === null ? '' : each.limit_minutes < 180 ? `${each.limit_minutes} min` : `${Math.round(each.limit_minutes / 60)} h`,
          number(each.rows),
          size(each.bytes),
          each.jobs.map((job, at) => [at > 0 && ', ', html`<a href="/operator/jobs/${job}">${job}</a>`]),
        ]),
      tall: true,
    }),
  })

export const operatorUpstreamsPage = page('/operator/upstreams', 'Upstreams', {
  summary: 'Upstream hosts that are stopped or do not respond, with the way to lift a stop.',
  access: 'admin',
  question: question({ done }),
  operations: ['list_upstream_stops', 'lift_upstream_stop'],
  async render({ ask, question: { done }, token, returned }) {
    const stops = await ask('list_upstream_stops')
    return {
      main: html`${operatorHead('Upstreams', '/operator/upstreams', { done })}
${faultList('lift', faultsIn(returned, 'lift'))}
${section({
  id: 'stops',
  title: 'Stopped or failing',
  lead: 'Hosts that share a limit form a group. A stop follows from a refusal of the upstream: lift it if you know that it ends. If the upstream refuses again, it is stopped again.',
  body: opened(stops, 'Upstreams', ({ upstreams }) =>
    upstreams.length === 0
      ? emptyState('Every source may be asked.')
      : html`<ul class="keys">${upstreams.map(
          each => html`<li class="key"><div class="head"><h3>${each.name}</h3>${each.stopped_until === null ? badge('failing', 'warn') : badge('stopped', 'bad')}<form method="post" action="/operator/upstreams/lift">${formToken(token)}<input type="hidden" name="name" value="${each.name}"><button type="submit" class="quiet small" aria-label="Lift the stop of ${each.name}">Lift</button></form></div>
${facts([
  [
    'Not asked until',
    each.stopped_until === null
      ? 'one request now and then'
      : each.stopped_until === 'infinity'
        ? 'an operator lifts it'
        : instant(each.stopped_until),
  ],
  ['Reason', each.reason],
  ['Failing since', each.failing_since === null ? null : instant(each.failing_since)],
  ['Failures in a row', number(each.failures)],
])}</li>`,
        )}</ul>`,
  ),
})}`,
    }
  },
  forms: {
    lift: pageForm(z.object({ name: z.string().max(200).default('') }), async ({ name }, { ask }) => {
      const lifted = await ask('lift_upstream_stop', {}, { body: { name } })
      return lifted.ok ? { redirect: '/operator/upstreams?done=lifted' } : { faults: refusalFaults(lifted, []) }
    }),
  },
})
