// A receipt's answer is not tried again where a raw document behind it is damaged on this server: that is no fault of the receipt.
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { buildPayload } from '#warehouse/answers/index.ts'
import { signPayload } from '#warehouse/answers/sign.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { rawFolder } from '#warehouse/store/raw/raw.ts'
import { activeSigner } from '#warehouse/store/receipts/rotation.ts'
import { insertReceipts } from '#warehouse/store/receipts/store.ts'
import { reproduce } from './reproduce.ts'

const { runtime, lake, config } = await worldWarehouse()
const { db } = runtime.postgres

async function signedQuote(): Promise<string> {
  const operation = lakeOperations.find(each => each.id === 'get_eod')
  if (operation === undefined) throw new TypeError('get_eod')
  const question = operation.question.parse({ symbol: 'GLPR.TO' })
  const payload = await buildPayload('get_eod', await contextOf(await lake(), null), question as never, '2026-11-20T12:00:00Z')
  if (payload === null) throw new TypeError('nothing was answered')
  return await db.transaction().execute(async transaction => {
    const receipt = await signPayload(operation, question, payload, await activeSigner(transaction, runtime.tools.keysFolder))
    await insertReceipts(transaction, [receipt])
    return receipt.receipt_id
  })
}

test('a damaged or missing raw document is named, and the receipt is not called irreproducible', async () => {
  const id = await signedQuote()
  const whole = await reproduce(runtime.tools, runtime.raw, id)
  expect(whole).toMatchObject({ reproduced: true, from: 'documents' })
  const { pack, pack_offset, sha256 } = await db
    .selectFrom('reading')
    .innerJoin('raw_document', 'raw_document.raw_id', 'reading.raw_id')
    .select(['raw_document.pack', 'raw_document.pack_offset', 'raw_document.sha256'])
    .where('reading.reader', 'like', '%symbol%')
    .where('raw_document.holds_body', '=', true)
    .orderBy('reading.raw_id')
    .executeTakeFirstOrThrow()
  const path = join(rawFolder(config.dataFolder), pack)
  const bytes = await readFile(path)
  const damaged = Buffer.from(bytes)
  damaged[pack_offset + 200] = (damaged[pack_offset + 200] as number) ^ 1
  await chmod(path, 0o644)
  await writeFile(path, damaged)
  expect(await reproduce(runtime.tools, runtime.raw, id)).toMatchObject({
    reproduced: null,
    from: null,
    reason: expect.stringContaining(`the raw document ${sha256} is damaged on this server: raw pack ${pack}@${pack_offset}`),
  })
  await writeFile(path, bytes)
  await rename(path, `${path}.away`)
  expect(await reproduce(runtime.tools, runtime.raw, id)).toMatchObject({
    reproduced: null,
    reason: expect.stringMatching(/the raw document [0-9a-f]{64} is damaged on this server: its pack cannot be read \(ENOENT\)/),
  })
  await rename(`${path}.away`, path)
  expect(await reproduce(runtime.tools, runtime.raw, id)).toEqual(whole)
}, 120_000)
