import { expect, test } from 'vitest'
import { Damaged, StoreUnavailable, Upstream } from '#schemas/errors.ts'
import { Conflict } from '#warehouse/store/lake/commit.ts'
import { createSourceLog, lakeBucket, logFailed } from './source-log.ts'

test('a source that does not answer is logged once with the reason, and once when it answers again', () => {
  const lines: string[] = []
  const sources = createSourceLog((level, message) => void (level === 'debug' || lines.push(`${level} ${message}`)))
  sources.noteFailure('statcan', 'the connection failed: ENOTFOUND')
  sources.noteFailure('statcan', 'not requested: 5 requests in a row failed')
  for (let n = 0; n < 5; n += 1) sources.failed('statcan', 'macro-statcan: not requested')
  sources.failed('fx', 'fx: not requested')
  expect(lines).toEqual([
    expect.stringMatching(/^warn statcan does not answer \(the connection failed: ENOTFOUND\); its jobs retry/),
    expect.stringMatching(/^warn fx does not answer; its jobs retry/),
  ])
  sources.answered('statcan')
  sources.answered('statcan')
  expect(lines.slice(2)).toEqual(['info statcan answers again'])
  sources.failed('statcan', 'macro-statcan: not requested')
  expect(lines).toHaveLength(4)
})

test('a bucket that is away, damage and a conflict are not logged as failures of the source', () => {
  const lines: string[] = []
  const log = (level: string, message: string): void => void (level === 'debug' || lines.push(`${level} ${message}`))
  const sources = createSourceLog(log)
  const fail = (error: Upstream): string[] => {
    logFailed(sources, log, 'edgar', error, `filings 2026-01-02: ${error.message}`)
    return lines.splice(0)
  }
  expect(fail(new StoreUnavailable('s3://bucket: PUT failed 5 times'))).toEqual([
    expect.stringMatching(/^warn the bucket of the lake does not answer; /),
  ])
  expect(fail(new StoreUnavailable('s3://bucket: PUT failed 5 times'))).toEqual([])
  expect(fail(new Damaged('bars', 'a file is missing'))).toEqual(['warn filings 2026-01-02: the dataset bars is damaged: a file is missing'])
  expect(fail(new Conflict('release 7 changed data'))).toEqual([])
  expect(fail(new Upstream('edgar: 503'))).toEqual([expect.stringMatching(/^warn edgar does not answer; /)])
  sources.answered(lakeBucket)
  expect(lines).toEqual(['info the bucket of the lake answers again'])
})
