// Consistency of the registers: each added job, dataset and reader is checked against the others.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { documentKinds } from '#schemas/document-kinds.ts'
import { datasetNames, datasetOf } from '#schemas/index.ts'
import { operations } from '#schemas/operations.ts'
import { parseJobs } from '#schemas/parse-jobs.ts'
import { isLakeOperation } from '#warehouse/answers/index.ts'
import { upstreams } from '../fetch/sources/index.ts'
import { plans, windowsOf } from '../jobs/plans/plans.ts'
import { taskNames } from '../jobs/worker/task-names.ts'
import { readers } from './register.ts'

const jobs = parseJobs(readFileSync(join(import.meta.dirname, '..', '..', 'jobs.yaml'), 'utf8'), 'jobs.yaml')
const tasks = new Set<string>(taskNames)
/** Sources that are read from folders only: nothing fetches them. */
const recordedOnly = new Set(['recorded', 'lean', 'quandl', 'symbol-list', 'csv', 'operator', 'transcripts'])

describe('the registers', () => {
  test.each([...jobs.values()].map(job => [job.name, job] as const))('job %s has a plan and a source', (_name, job) => {
    expect(plans.has(job.plan) || tasks.has(job.plan)).toBe(true)
    expect(job.source === 'crossfile' || upstreams.has(job.source)).toBe(true)
    // A job without a schedule runs by backfills; the repair and the check of a backup run on request.
    if (job.schedule === null && !['repair', 'backup-verify'].includes(job.name)) expect(job.backfill).not.toBe('none')
  })
  test.each(datasetNames)('dataset %s is fed by a job and described', name => {
    const dataset = datasetOf(name)
    // Corrections of filings come from the operator's command.
    expect([...jobs.values()].some(job => job.datasets.includes(name)) || name === 'filing_corrections').toBe(true)
    expect(dataset.description.length).toBeGreaterThan(40)
    for (const column of [...dataset.key, ...dataset.order, dataset.time]) expect(dataset.columns.map(each => each.name)).toContain(column)
    // The catalogue keeps the range of the first order column as text.
    expect(dataset.columns.find(column => column.name === dataset.order[0])?.type).toBe('VARCHAR')
  })
  test.each(readers.map(reader => [reader.name, reader] as const))('reader %s belongs to a source', (name, reader) => {
    expect(name.startsWith(reader.source) || name.includes('.')).toBe(true)
    expect(upstreams.has(reader.source) || recordedOnly.has(reader.source)).toBe(true)
  })
  test('reader names are unique, since readings and receipts name them', () => {
    expect(new Set(readers.map(reader => reader.name)).size).toBe(readers.length)
  })
  test('the words for what readers read, which the page of a receipt shows, are of readers of the register', () => {
    const registered = new Set(readers.map(reader => reader.name))
    expect(Object.keys(documentKinds).filter(name => !registered.has(name))).toEqual([])
    expect(Object.values(documentKinds).filter(kind => kind.length > 64)).toEqual([])
  })
  test('every operation that the lake serves has a builder', () => {
    const served = operations.filter(
      each => each.data && (each.served_from === 'lake' || (each.served_from === 'page' && each.path.includes('/market/'))),
    )
    expect(served.map(each => each.id).filter(id => !isLakeOperation(id))).toEqual([])
  })
})

describe('the windows of a backfill', () => {
  test('days are calendar days, quarters and months are cut at their ends', () => {
    expect(windowsOf('day', '2024-02-28', '2024-03-01', null).map(window => window.partition)).toEqual(['2024-02-28', '2024-02-29', '2024-03-01'])
    expect(windowsOf('quarter', '2023-11-15', '2024-04-02', null).map(({ partition, from, to }) => [partition, from, to])).toEqual([
      ['2023-Q4', '2023-11-15', '2023-12-31'],
      ['2024-Q1', '2024-01-01', '2024-03-31'],
      ['2024-Q2', '2024-04-01', '2024-04-02'],
    ])
    expect(windowsOf('month', '2024-12-31', '2025-01-01', null).map(window => window.partition)).toEqual(['2024-12', '2025-01'])
  })
  test('a backfill by symbol has one window a symbol', () => {
    expect(windowsOf('symbol', '2020-01-01', '2020-12-31', ['RY.TO', 'NA.TO']).map(window => window.symbols)).toEqual([['RY.TO'], ['NA.TO']])
  })
})
