import { expect, test } from 'vitest'
import { createLog } from '#warehouse/store/log.ts'
import { sharedLog } from './log-lines.ts'

test('an entry of the API is one line in the format of the worker', () => {
  const lines: string[] = []
  const stream = sharedLog(line => void lines.push(line))
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
  sharedLog(line => void lines.push(line)).write('a warning of the runtime\n')
  expect(lines).toEqual(['a warning of the runtime\n'])
})
test('as JSON an entry has the members of the worker, and its fields', () => {
  const lines: string[] = []
  const stream = sharedLog(line => void lines.push(line), 'json')
  stream.write(`${JSON.stringify({ level: 40, time: Date.UTC(2026, 10, 23, 9, 6, 23), request_id: 'r-1', cause: null, ms: 12, msg: 'a\nline' })}\n`)
  const log = createLog(
    'info',
    line => void lines.push(line),
    () => new Date('2026-11-23T09:06:23.500Z'),
    'json',
  )
  log('debug', 'is left out')
  log('info', 'fx: 3 documents "read"')
  expect(lines.map(line => JSON.parse(line) as unknown)).toEqual([
    { time: '2026-11-23T09:06:23.000Z', level: 'warn', message: 'api: a line', request_id: 'r-1', ms: 12 },
    { time: '2026-11-23T09:06:23.500Z', level: 'info', message: 'fx: 3 documents "read"' },
  ])
  expect(lines.every(line => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true)
})
