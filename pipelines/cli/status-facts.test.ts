import { describe, expect, test } from 'vitest'
import { JobDefinition } from '#schemas/jobs.ts'
import { checkDataset } from '#warehouse/people/status/freshness.ts'
import { findProblems } from './status-facts.ts'

const now = new Date('2026-11-20T20:00:00Z')
const aJob = (name: string, freshness: number | null): JobDefinition => ({
  ...JobDefinition.parse({
    title: 'a job',
    source: 'eodhd',
    plan: 'p',
    datasets: ['bars'],
    schedule: null,
    backfill: 'day',
    freshness_minutes: freshness,
  }),
  name,
})
const held = (changed: string | null) => ({ dataset: 'bars', rows: 10, files: 1, bytes: 100, newest: '2026-11-19', changed_at: changed })

describe('freshness of a dataset', () => {
  test('a load that changed nothing is a load: quiet days are not stale', () => {
    const evaluated = checkDataset(held('2026-11-01T00:00:00Z'), [aJob('bars-us', 60)], new Map([['bars-us', '2026-11-20T19:30:00Z']]), now)
    expect(evaluated).toMatchObject({ state: 'ok', loaded_at: '2026-11-20T19:30:00Z', changed_at: '2026-11-01T00:00:00Z', limit_minutes: 60 })
  })
  test('the strictest of the jobs that feed it counts', () => {
    expect(checkDataset(held('2026-11-20T18:30:00Z'), [aJob('bars-us', 60), aJob('bars-to', 600)], new Map(), now).state).toBe('stale')
  })
  test('releases of a frozen data clock age by that clock, not by the calendar', () => {
    const longAfter = new Date('2027-11-20T20:00:00Z')
    const frozenMs = longAfter.getTime() - now.getTime()
    const evaluated = (changed: string) => checkDataset(held(changed), [aJob('bars-us', 60)], new Map(), longAfter, frozenMs)
    expect([evaluated('2026-11-20T19:30:00Z').state, evaluated('2026-11-20T18:30:00Z').state]).toEqual(['ok', 'stale'])
    // A run is dated by the shared clock, so it is not shifted.
    const run = new Map([['bars-us', '2026-11-20T19:30:00Z']])
    expect(checkDataset(held('2026-11-01T00:00:00Z'), [aJob('bars-us', 60)], run, longAfter, frozenMs).state).toBe('stale')
  })
  test('without a scheduled job that is on nothing is expected of it', () => {
    expect(checkDataset(held(null), [aJob('history', null)], new Map(), now).state).toBe('no_limit')
    expect(checkDataset(held(null), [], new Map(), now)).toMatchObject({ state: 'no_limit', jobs: [] })
  })
  test('never loaded is told apart from stale', () => {
    expect(checkDataset(held(null), [aJob('bars-us', 60)], new Map(), now).state).toBe('never')
  })
  test('a range of names is no time', () => {
    expect(checkDataset({ ...held(null), newest: 'ZYXI' }, [], new Map(), now).newest).toBeNull()
  })
})

describe('problems', () => {
  const calm = { workers: 1, apis: 1, datasets: [], on: [], lastRuns: new Map(), dead: 0, disk: { free_bytes: 5e10, total_bytes: 1e11 }, now }
  test('none where all runs and is fresh', () => expect(findProblems(calm)).toEqual([]))
  test('a bucket that is away is one, with its address, and the log that cannot be read meanwhile is not another', () => {
    const log = { origin: 'a', size: 1, waiting: 0, keys: [], witnesses: [], reason: 'the published log cannot be read now', hint: 'repeat' }
    const bucket = { address: 's3://lake', fault: 's3://lake: GET releases.parquet failed: closed' }
    expect(findProblems({ ...calm, bucket, receiptLog: log })).toEqual([
      'the bucket of the lake cannot be used: s3://lake: GET releases.parquet failed: closed; check that it runs, CROSSFILE_S3_ENDPOINT and the credentials (crossfile doctor)',
    ])
    expect(findProblems({ ...calm, bucket: { ...bucket, fault: null }, receiptLog: log })).toHaveLength(1)
    expect(findProblems({ ...calm, bucket: { ...bucket, fault: null } })).toEqual([])
  })
  test('damage outside of the datasets is one too', () => {
    const damage = new Map([
      ['dataset:bars', 'one'],
      ['model:screener', 'two'],
      ['raw', 'three'],
    ])
    expect(findProblems({ ...calm, damage, analystFile: { state: 'damaged', reason: 'no header' } })).toEqual([
      'bars: one',
      'model screener: two',
      'raw: three',
      'warehouse.duckdb: it is damaged (no header); a worker writes it again within 30 s, crossfile repair does it now',
    ])
    expect(findProblems({ ...calm, analystFile: { state: 'in use' } })).toEqual([])
  })
  test('each is one sentence that says what to do', () => {
    const run = { run_id: 1, state: 'failed', at: now.toISOString(), rows: 0, release: null, error: 'eodhd: 402' }
    const stale = checkDataset(held('2026-11-20T18:30:00Z'), [aJob('bars-us', 60)], new Map(), now)
    expect(
      findProblems({
        ...calm,
        workers: 0,
        datasets: [stale],
        on: [aJob('bars-us', 60)],
        lastRuns: new Map([['bars-us', run]]),
        dead: 2,
        disk: { free_bytes: 1e9, total_bytes: 1e11 },
      }),
    ).toEqual([
      'no worker runs: nothing is fetched (crossfile worker)',
      'bars: loaded 1 h 30 min ago, the limit is 1 h',
      'job bars-us: the last run failed: eodhd: 402',
      '2 dead letters: crossfile runs dead lists the reasons, crossfile runs redrive puts them back',
      'the disk of the data folder is nearly full',
    ])
  })
})
