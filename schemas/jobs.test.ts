import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseJobs } from './parse-jobs.ts'

describe('jobs.yaml', () => {
  const path = join(import.meta.dirname, '..', 'jobs.yaml')
  test('the file that we ship is valid', () => {
    expect(parseJobs(readFileSync(path, 'utf8'), 'jobs.yaml').size).toBeGreaterThan(10)
  })
  test('an error names the file, the line, the key and what to change', () => {
    const text =
      'version: 1\njobs:\n  fx:\n    title: FX\n    source: boc\n    plan: boc-fx\n    datasets: [fx_rates]\n    schedule:\n      cron: "0 17"\n      time_zone: America/Toronto\n    backfill: month\n    freshness_minutes: 10\n'
    expect(() => parseJobs(text, 'jobs.yaml')).toThrow(
      /jobs\.yaml:4: jobs\.fx\.title: .*\n|jobs\.yaml:9: jobs\.fx\.schedule\.cron: expected five fields/,
    )
    expect(() => parseJobs(text, 'jobs.yaml')).toThrow(/jobs\.yaml:9: /)
  })
  test('an unknown key is an error at its job, not ignored', () => {
    expect(() => parseJobs('version: 1\njobs:\n  fx:\n    colour: red\n', 'j.yaml')).toThrow(/j\.yaml:3: jobs\.fx/)
  })
  test('a tab where YAML has none is an error with its line', () => {
    expect(() => parseJobs('version: 1\njobs:\n\tfx: 1\n', 'j.yaml')).toThrow(/j\.yaml:3: /)
  })
})
