// Administration of the running service: overview, upstreams, quarantine, cost of backfills, runs and dead letters. Every action is audited.

import { BackfillIn } from '../admin.ts'
import {
  AdminOverview,
  BackfillCost,
  DeadLetters,
  DecisionIn,
  DecisionOut,
  Lifted,
  LiftIn,
  QuarantineFinding,
  QuarantineList,
  RedriveIn,
  Redriven,
  RunAccepted,
  RunIn,
  UpstreamStops,
} from '../admin-operate.ts'
import { cursor, exampleSigningKey, jobName, rowLimit, shared } from './admin-parameters.ts'
import { operation, question } from './operation.ts'
import { integer, oneOf, text } from './parameters.ts'

const limit = rowLimit(50)
const finding = integer('id of the finding', 1, 999_999_999_999)

const exampleFinding = {
  id: 1,
  dataset: 'corporate_actions',
  reason: 'amount_exceeds_price',
  subject: 'RRD.V|dividend|2026-08-20|0|eodhd',
  detail: 'RRD.V dividend of 2026-08-20 is 707.5 % of the previous close 0.53; an amount at or above the price is never applied',
  source: 'eodhd',
  raw_sha256: 'e2a5eed84adc3d12ce889252759e4b3f10a6f3bf49dd83a936626434f299f849',
  url: 'https://eodhd.com/api/div/RRD.V',
  held_at: '2026-11-20T21:04:11Z',
  state: 'held',
  decided_at: null,
  note: null,
} as const

export const adminOperateOperations = [
  operation('get_admin_overview', 'GET /api/v1/admin/overview', {
    ...shared,
    summary: 'The running service: processes, release, disk, queue, datasets, keys, accounts',
    description: 'What crossfile status shows, without the checks that need the key files or the settings of the worker.',
    answer: AdminOverview,
    rows: 'datasets',
    example: {
      answer: {
        at: '2026-11-20T21:05:00Z',
        processes: { workers: 1, apis: 1 },
        release: { release: 14, committed_at: '2026-11-20T09:30:00Z', job: 'fx', partition: '2026-11-20' },
        data_clock: '2026-11-20T09:30:00Z',
        disk: { free_bytes: 74_248_167_424, total_bytes: 270_553_174_016 },
        raw: { documents: 1127, bytes: 9_174_701 },
        queue: { waiting: 0, running: 1, retrying: 0, dead: 1 },
        quarantine: { held: 6 },
        signing_keys: [exampleSigningKey],
        api_keys: { live: 1, expired: 0, revoked: 0, owners: 0 },
        users: { total: 2, verified: 2, administrators: 1, leaving: 0 },
        datasets: [
          {
            dataset: 'fx_rates',
            rows: 197,
            files: 3,
            bytes: 9927,
            newest: '2026-11-20',
            changed_at: '2026-11-20T09:30:00Z',
            state: 'ok',
            loaded_at: '2026-11-20T09:30:00Z',
            limit_minutes: 4500,
            jobs: ['fx'],
          },
        ],
        damaged: [],
      },
    },
  }),
  operation('list_upstream_stops', 'GET /api/v1/admin/upstreams', {
    ...shared,
    summary: 'Upstreams that are stopped or do not respond',
    description: 'Groups of hosts in the order of their names. An empty list: every source may be asked.',
    answer: UpstreamStops,
    rows: 'upstreams',
    example: {
      answer: {
        count: 1,
        upstreams: [{ name: 'sec', stopped_until: '2026-11-20T21:15:00Z', reason: '429 from www.sec.gov', failing_since: null, failures: 0 }],
      },
    },
  }),
  operation('lift_upstream_stop', 'POST /api/v1/admin/upstreams/lift', {
    ...shared,
    summary: 'Lifts the stop of an upstream',
    description: 'The next job or request asks it again; if it refuses again, it is stopped again. 404 if it is not stopped.',
    body: LiftIn,
    answer: Lifted,
    idempotency_key: true,
    can_be_missing: true,
    example: {
      body: { name: 'sec' },
      answer: { name: 'sec', stopped_until: '2026-11-20T21:15:00Z', reason: '429 from www.sec.gov' },
    },
  }),
  operation('list_quarantine', 'GET /api/v1/admin/quarantine', {
    ...shared,
    summary: 'Findings of the quarantine, newest first',
    description: 'Data that was refused, with the reason. In the order of id, the newest first.',
    question: question({
      state: oneOf('which', ['held', 'released', 'rejected', 'all'], 'held').default('held'),
      dataset: text('one dataset', 64, 'bars').optional(),
      reason: text('one reason', 64, 'price_jump').optional(),
      subject: text('a part of the subject', 100, 'GLPR').optional(),
      limit,
      cursor,
    }),
    answer: QuarantineList,
    rows: 'findings',
    cursor_key: ['count'],
    example: {
      answer: {
        count: 1,
        groups: [{ dataset: 'corporate_actions', reason: 'amount_exceeds_price', state: 'held', count: 1, newest: '2026-11-20T21:04:11Z' }],
        findings: [exampleFinding],
        next_cursor: null,
      },
    },
  }),
  operation('get_quarantine_finding', 'GET /api/v1/admin/quarantine/{id}', {
    ...shared,
    summary: 'One finding with its document',
    description: 'The refused row, the reason, and the beginning of the document that it was read from.',
    question: question({ id: finding }),
    answer: QuarantineFinding,
    example: {
      request: '/api/v1/admin/quarantine/1',
      answer: {
        ...exampleFinding,
        record: { symbol: 'RRD.V', action: 'dividend', ex_date: '2026-08-20', amount: '3.75' },
        document: {
          url: exampleFinding.url,
          source: 'eodhd',
          retrieved_at: '2026-11-20T21:04:00Z',
          bytes: 52,
          sha256: exampleFinding.raw_sha256,
          reader: 'eodhd.dividends.1',
          release: 3,
          text: '[{"date":"2026-08-20","value":"3.75","currency":"CAD"}]',
          whole: true,
        },
      },
    },
  }),
  operation('decide_quarantine_finding', 'POST /api/v1/admin/quarantine/{id}/decide', {
    ...shared,
    success: 202,
    summary: 'Releases or rejects a finding',
    description:
      'A worker writes the decision to the journal next to the raw documents and reads the document again, so that it takes effect now and in every rebuild. A decision can be changed. 409 conflict if the finding has this decision already.',
    question: question({ id: finding }),
    body: DecisionIn,
    answer: DecisionOut,
    idempotency_key: true,
    example: {
      request: '/api/v1/admin/quarantine/1/decide',
      body: { decision: 'released', note: 'the exchange confirms the price' },
      answer: { id: 1, decision: 'released', state: 'applied', release: 15, rows: { corporate_actions: 1 }, newly_held: 0 },
    },
  }),
  operation('estimate_backfill', 'POST /api/v1/admin/jobs/{name}/backfill/cost', {
    ...shared,
    summary: 'What a backfill costs, before it starts',
    description:
      'Windows, and for jobs with several routes the requests, bytes and hours of each. A worker computes it; nothing is requested from a source or stored. 503 if no worker answers.',
    question: question({ name: jobName }),
    body: BackfillIn,
    answer: BackfillCost,
    example: {
      request: '/api/v1/admin/jobs/fx/backfill/cost',
      body: { from: '2024-01-01', to: '2024-12-31' },
      answer: { job: 'fx', from_date: '2024-01-01', to_date: '2024-12-31', symbols: null, windows: 4, off: null, routes: [], taken: [] },
    },
  }),
  operation('run_job', 'POST /api/v1/admin/jobs/{name}/run', {
    ...shared,
    success: 202,
    summary: 'Runs a job now',
    description:
      'Outside its schedule, once; its runs show the result. A run that waits or runs already is not sent again. 503 if no worker answers.',
    question: question({ name: jobName }),
    body: RunIn,
    answer: RunAccepted,
    idempotency_key: true,
    example: { request: '/api/v1/admin/jobs/fx/run', body: {}, answer: { job: 'fx', partition: '2026-11-20', joined: false } },
  }),
  operation('list_dead_letters', 'GET /api/v1/admin/dead-letters', {
    ...shared,
    summary: 'Jobs that failed at their last attempt',
    description: 'Newest first, with the reason.',
    answer: DeadLetters,
    rows: 'dead_letters',
    example: {
      answer: {
        count: 1,
        dead_letters: [
          {
            id: '7f8a1c9e-3d52-4b0a-9c64-2f1d8e5a7b30',
            job: 'fx',
            partition: '2026-11-19',
            backfill_id: null,
            since: '2026-11-20T20:58:00Z',
            attempts: 4,
            reason: 'bank-of-canada: answered 500',
          },
        ],
      },
    },
  }),
  operation('redrive_dead_letters', 'POST /api/v1/admin/dead-letters/redrive', {
    ...shared,
    summary: 'Puts dead letters back into their queues',
    description: 'All of them, or those of ids. A dead letter that is gone is skipped.',
    body: RedriveIn,
    answer: Redriven,
    idempotency_key: true,
    example: { body: {}, answer: { redriven: 1 } },
  }),
] as const
