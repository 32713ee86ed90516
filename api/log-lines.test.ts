import { expect, test } from 'vitest'
import { textLog } from './log-lines.ts'

test('an entry of the API is one line in the format of the worker', () => {
  const lines: string[] = []
  const stream = textLog(line => void lines.push(line))
  stream.write(
    `${JSON.stringify({ level: 50, time: Date.UTC(2026, 10, 23, 9, 6, 23), request_id: 'r-1', route: '/health', cause: null, msg: 'request failed' })}\n`,
  )
  stream.write(`${JSON.stringify({ level: 30, time: 0, ms: 12, msg: 'a\nline' })}\n`)
  expect(lines).toEqual([
    '2026-11-23 09:06:23 error api: request failed (request_id=r-1, route=/health)\n',
    '1970-01-01 00:00:00 info  api: a line (ms=12)\n',
  ])
})
test('what is no entry is shown as it is', () => {
  const lines: string[] = []
  textLog(line => void lines.push(line)).write('a warning of the runtime\n')
  expect(lines).toEqual(['a warning of the runtime\n'])
})
