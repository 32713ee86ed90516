import { expect, test } from 'vitest'
import { createSourceLog } from './source-log.ts'

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
