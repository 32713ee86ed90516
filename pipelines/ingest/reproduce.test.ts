// Reproduction of a signed answer: a damaged raw document on this server, and documents that a newer reader read again, are no fault
// of the receipt.
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answersOf } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { rawFolder } from '#warehouse/store/raw/place.ts'
import { ingest } from './ingest.ts'
import { reproduce } from './reproduce.ts'

const { runtime, lake, config } = await worldWarehouse()
const { db } = runtime.postgres

const signedQuote = (): Promise<string> => answersOf({ runtime, lake }).sign('get_eod', { symbol: 'GLPR.TO' })

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
})

test('a receipt is reproduced after newer readers read its documents again in a later release', async () => {
  const id = await signedQuote()
  const { release } = await lake()
  const documents = await db.selectFrom('raw_document').select(['raw_id', 'sha256', 'url', 'retrieved_at']).orderBy('raw_id').execute()
  const again = await Promise.all(
    documents
      .filter(({ url }) => /symbol|listed|director|ticker/i.test(url))
      .map(async ({ raw_id, sha256, url, retrieved_at }) => ({
        raw_id,
        document: { ...(await runtime.raw.read(sha256)), url, retrieved_at },
      })),
  )
  const row = { source: 'csv', status: 200, headers: {}, url: 'dropin:later.csv', retrieved_at: '2026-11-20T12:00:00Z' }
  const body = Buffer.from('symbol,date,open,high,low,close,volume\nGLPR.TO,2026-11-20,110,111,109,110.5,1000\n')
  const later = { ...row, body, sha256: sha256Hex(body) }
  const [kept] = await runtime.raw.keep([later])
  const readers = runtime.tools.readers.map(reader => ({ ...reader, name: `${reader.name}.next` }))
  const outcome = await ingest(
    { ...runtime.tools, readers },
    {
      job: 'later',
      partition: 'again',
      documents: [...again, { raw_id: kept?.raw_id as number, document: later }],
      decisions: new Map(),
      fence: null,
    },
  )
  expect(again.length).toBeGreaterThan(3)
  expect(outcome.release).toBeGreaterThan(release)
  expect(await db.selectFrom('reading').select('first_release').where('first_release', '<=', release).execute()).toHaveLength(again.length)
  expect(await reproduce({ ...runtime.tools, readers }, runtime.raw, id)).toMatchObject({ reproduced: true, from: 'documents' })
})
