// A signed answer about 13Fs is made again, byte for byte, from the raw documents that its receipt names and nothing else.
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { holdingsOperations } from '#schemas/operations/holdings.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { activeSigner } from '#warehouse/store/receipts/rotation.ts'
import { insertReceipts } from '#warehouse/store/receipts/store.ts'
import { reproduce } from '../../ingest/reproduce.ts'

const { runtime, lake } = await worldWarehouse()

test.each([
  ['get_13f_manager', { cik: '0009980001', period: '2026Q2' }],
  ['get_13f_manager', { cik: '0009980002' }],
  ['get_13f_changes', { cik: '0009980001', period: '2026Q2' }],
  ['get_13f_issuer', { query: 'BRLX', period: '2026Q2' }],
  ['list_13f_managers', {}],
] as const)(
  '%s %o',
  async (id, requested) => {
    const operation = holdingsOperations.find(each => each.id === id)
    if (operation === undefined) throw new TypeError(id)
    const question = operation.question.parse(requested)
    const payload = await buildPayload(id, await contextOf(await lake(), null), question as never, '2026-11-20T23:00:00Z')
    if (payload === null) throw new TypeError(`${id}: nothing was answered`)
    const receiptId = await runtime.postgres.db.transaction().execute(async transaction => {
      const receipt = await signPayload(operation, question, payload, await activeSigner(transaction, runtime.tools.keysFolder))
      await insertReceipts(transaction, [receipt])
      return receipt.receipt_id
    })
    expect(await reproduce(runtime.tools, runtime.raw, receiptId)).toMatchObject({ reproduced: true, reason: null })
  },
  60_000,
)
