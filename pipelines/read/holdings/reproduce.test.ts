// A signed answer about 13Fs is made again, byte for byte, from the raw documents that its receipt names and nothing else.
import { expect, test } from 'vitest'
import { answersOf } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'

const { reproduced } = answersOf(await worldWarehouse())

test.each([
  ['get_13f_manager', { cik: '0009980001', period: '2026Q2' }],
  ['get_13f_manager', { cik: '0009980002' }],
  ['get_13f_changes', { cik: '0009980001', period: '2026Q2' }],
  ['get_13f_issuer', { query: 'BRLX', period: '2026Q2' }],
  ['list_13f_managers', {}],
] as const)('%s %o', async (id, requested) => expect(await reproduced(id, requested)).toMatchObject({ reproduced: true, reason: null }))
