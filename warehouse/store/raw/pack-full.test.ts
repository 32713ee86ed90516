// A write to a raw pack that fails in the middle, as on a full disk.
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { testFolder } from '#fixtures/test-folder.ts'
import { createPackWriter, type PackedDocument, sha256Hex } from './pack.ts'

const { folder } = testFolder('pack-full')
const handle = await open(join(folder, 'any'), 'w')
const handles = Object.getPrototypeOf(handle) as FileHandle
await handle.close()
afterEach(() => {
  vi.restoreAllMocks()
})

/** The disk takes `bytes` more bytes of each file. */
function fillAfter(bytes: number): void {
  const write = handles.write as unknown as (bytes: Buffer, from: number, length: number, at: number) => Promise<{ bytesWritten: number }>
  const limited = async function (this: FileHandle, buffer: Buffer, from: number, length: number, at: number) {
    const room = Math.min(length, bytes - at)
    if (room <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    return await write.call(this, buffer, from, room, at)
  }
  vi.spyOn(handles, 'write').mockImplementation(limited as unknown as FileHandle['write'])
}

const aDocument = (text: string): PackedDocument => {
  const facts = { source: 'edgar', url: `https://www.sec.gov/${text}`, retrieved_at: '2026-11-19T21:00:00Z', status: 200, headers: {} }
  const body = Buffer.from(text)
  return { document: { ...facts, sha256: sha256Hex(body), body }, withBody: true }
}

test('leaves no pack without a whole record, and keeps one with a record that another process may have indexed', async () => {
  let packs = 0
  const writer = createPackWriter(join(folder, 'raw'), () => `pack-${++packs}`)
  const found = async (): Promise<string[]> => await readdir(join(folder, 'raw'))
  for (const bytes of [0, 10, 100]) {
    fillAfter(bytes)
    await expect(writer.append([aDocument('a'), aDocument('b')])).rejects.toThrow('writing failed, so the response is not kept: ENOSPC')
    expect(await found()).toEqual([])
    vi.restoreAllMocks()
  }
  const [, second] = await writer.append([aDocument('a'), aDocument('b')])
  await writer.close()
  fillAfter((second?.pack_offset ?? 0) + 1)
  await expect(writer.append([aDocument('a'), aDocument('b')])).rejects.toThrow('ENOSPC')
  expect(await found()).toEqual(['pack-4.pack', 'pack-5.pack'])
})
