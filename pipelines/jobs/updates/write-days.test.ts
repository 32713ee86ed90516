import { expect, test } from 'vitest'
import { noteOfUpdates } from './write-days.ts'

test('the note of a run names a few updates, and counts those of a large market by day', () => {
  const few = [
    { day: '2026-11-23', slug: '2026-11-23', revision: 1 },
    { day: '2026-11-23', slug: '2026-11-23-brlx', revision: 2 },
  ]
  expect(noteOfUpdates(few)).toBe('2026-11-23, 2026-11-23-brlx (revision 2)')
  const many = ['2026-11-23', '2026-11-24'].flatMap(day =>
    Array.from({ length: 540 }, (_, at) => ({ day, slug: `${day}-${at}`, revision: at === 7 ? 2 : 1 })),
  )
  expect(noteOfUpdates(many.slice(0, 541))).toBe('2026-11-23: 540 updates, 1 of them revised; 2026-11-24: 1 update')
  expect(noteOfUpdates([])).toBe('')
})
