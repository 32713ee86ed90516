// The revision history of one value over releases that restate it.
import { expect, it } from 'vitest'
import { parseExactly } from '#schemas/exact-number.ts'
import { changedValues, pathOfPointer, valueAt } from './values.ts'

const answer = parseExactly(
  '{"symbol":"AAA","bars":[{"date":"2026-01-02","close":1.50},{"date":"2026-01-05","close":2.0}],"tags":["x","y"],"pairs":[{"a":1},{"a":1}],"a/b":{"c~d":3}}',
)

it('finds a value by the path that a difference names, with its digits', () => {
  const other = parseExactly(
    '{"symbol":"AAA","bars":[{"date":"2026-01-02","close":1.51},{"date":"2026-01-05","close":2.0}],"tags":["x","z"],"pairs":[{"a":1},{"a":2}],"a/b":{"c~d":4}}',
  )
  const changes = changedValues(answer, other)
  expect(changes.map(each => each.path)).toEqual(['bars[date=2026-01-02].close', 'tags', 'pairs[1].a', 'a/b.c~d'])
  for (const { path, before, after } of changes) expect([valueAt(answer, path), valueAt(other, path)]).toEqual([before, after])
  expect(valueAt(answer, 'bars[date=2026-01-02].close')).toBe('1.50')
})

it('has no value at a place that the answer does not have', () => {
  for (const path of [
    '',
    'close',
    'bars[date=2026-01-03].close',
    'bars[date=2026-01-02].clos',
    'bars[date=2026-01-02].close.x',
    'symbo',
    'symbol.length',
  ])
    expect([path, path === '' ? null : valueAt(answer, path)]).toEqual([path, null])
})

it('reads a JSON Pointer into the answer as the path of its row', () => {
  expect(pathOfPointer(answer, '/bars/1/close')).toBe('bars[date=2026-01-05].close')
  expect(pathOfPointer(answer, '/a~1b/c~0d')).toBe('a/b.c~d')
  expect(pathOfPointer(answer, '/pairs/1/a')).toBe('pairs[1].a')
  for (const pointer of ['/bars/2', '/bars/01/close', '/bars/-1', '/tags/0', '/none', '/symbol/0'])
    expect([pointer, pathOfPointer(answer, pointer)]).toEqual([pointer, null])
})
