// ZIP and tar of our own making that lie: nothing hangs, nothing grows, and what is refused is named.
import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Packed, tar, zip } from '#fixtures/bulk/archives.ts'
import { readTar } from './untar.ts'
import { type ArchiveCaps, ArchiveFault, nameFault, readZip, zipBytes } from './unzip.ts'

const caps: ArchiveCaps = { members: 1000, memberBytes: 4_000_000, totalBytes: 16_000_000, ratio: 100 }
const member = (name: string, text = name): Packed => ({ name, body: Buffer.from(text) })

async function unzip(bytes: Buffer, wants?: (name: string) => boolean) {
  const read: string[] = []
  const refused: string[] = []
  try {
    for await (const { name } of readZip(zipBytes(bytes), caps, each => refused.push(`${each.reason} ${each.name}`), wants)) read.push(name)
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    return { read, refused, fault: error.reason }
  }
  return { read, refused, fault: null }
}
/** The archive with numbers of its ZIP64 end record changed, found from the back. */
function lying(bytes: Buffer, at: number, value: bigint): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeBigUInt64LE(value, copy.length - 22 - 20 - 56 + at)
  return copy
}

describe('a ZIP64 that lies', () => {
  const honest = zip([member('a'), member('b')], { zip64: true })
  test('is read where it is honest', async () => {
    expect(await unzip(honest)).toEqual({ read: ['a', 'b'], refused: [], fault: null })
  })
  test.each([
    ['of more members than its directory has', lying(honest, 32, 900n), 'broken_directory'],
    ['of a million million members', lying(honest, 32, 10n ** 12n), 'broken_directory'],
    ['of a directory behind its end', lying(honest, 48, 10n ** 9n), 'truncated'],
    ['of a place that no number holds', lying(honest, 48, 2n ** 63n), 'broken_directory'],
  ])('%s is refused whole', async (_lie, bytes, fault) => {
    expect(await unzip(bytes)).toEqual({ read: [], refused: [], fault })
  })
  test('of a member’s place loses that member alone', async () => {
    const bytes = zip([member('a'), { ...member('b'), offset: 10 ** 9 }], { zip64: true })
    expect(await unzip(bytes)).toEqual({ read: ['a'], refused: ['overlap b'], fault: null })
  })
  test.each(Array.from({ length: 24 }, (_, at) => at))('cut at its %s/24 is refused, or gives whole members only', async at => {
    const { read, fault } = await unzip(honest.subarray(0, Math.floor((honest.length * at) / 24)))
    expect([read, fault === null]).toEqual([[], false])
  })
})

describe('members', () => {
  test('of one name are one: the first; different names never count as one', async () => {
    const many = Array.from({ length: 500 }, (_, at) => member(`m${at}.json`))
    expect(await unzip(zip([...many, member('m7.json', 'another')]))).toEqual({
      read: many.map(each => each.name),
      refused: ['duplicate_name m7.json'],
      fault: null,
    })
  })
  test('that nobody wants are not unpacked, so that their lies do not matter', async () => {
    const bytes = zip([member('wanted'), { ...member('broken'), crc: 1 }])
    expect(await unzip(bytes, name => name === 'wanted')).toEqual({ read: ['wanted'], refused: [], fault: null })
  })
  test('that are archives themselves stay bytes: nothing is unpacked twice', async () => {
    const inner = zip([{ name: 'bomb', body: Buffer.alloc(3_000_000, ' ') }])
    for await (const { bytes } of readZip(zipBytes(zip([{ name: 'inner.zip', body: inner }])), caps, () => {}))
      expect(Buffer.from(bytes).equals(inner)).toBe(true)
  })
  test('together are held to the total, however small each is', async () => {
    const big = Array.from({ length: 6 }, (_, at) => ({
      name: `${at}`,
      body: Buffer.from(Array.from({ length: 3_000_000 }, (_each, byte) => (byte * 31 + at) % 251)),
    }))
    expect(await unzip(zip(big.map(each => ({ ...each, packed: each.body, method: 0 }))))).toMatchObject({
      read: ['0', '1', '2', '3', '4'],
      fault: 'too_large',
    })
  })
  test('every flipped byte is found, or is none of a member’s', async () => {
    const bytes = zip([{ name: 'x', body: Buffer.from('twelve thousand shares'), packed: deflateRawSync('twelve thousand shares') }])
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] as number) ^ 0x41
      const read: string[] = []
      try {
        for await (const { bytes: body } of readZip(zipBytes(flipped), caps, () => {})) read.push(Buffer.from(body).toString())
      } catch (error) {
        expect(error).toBeInstanceOf(ArchiveFault)
      }
      for (const text of read) expect(text).toBe('twelve thousand shares')
    }
  })
})

describe('names', () => {
  test.each(['../a', 'a/../../b', '/etc/passwd', 'C:\\x', 'a\\b', 'a\0b', 'a\nb', '', 'x'.repeat(2000)])('%j is none of a member', name => {
    expect(nameFault(name)?.reason).toBe('evil_name')
  })
  test.each(['CIK0000320193.json', './0000320193-24-000001.nc', 'a..b/c', 'été.txt'])('%j is one', name => {
    expect(nameFault(name)).toBeNull()
  })
})

describe('the length of a name', () => {
  // The limit is 1,024 UTF-16 units, the last one allowed.
  test.each([
    [1024, 'x', undefined],
    [1025, 'x', 'evil_name'],
    [512, 'ab', undefined],
    [513, 'ab', 'evil_name'],
  ])('%i times %j: %s', (count, piece, reason) => {
    expect(nameFault(piece.repeat(count))?.reason).toBe(reason)
  })
  test('decides inside of an archive, too', async () => {
    const [longest, longer] = ['a'.repeat(1024), 'b'.repeat(1025)]
    expect(await unzip(zip([member(longest, '1'), member(longer, '2')]))).toEqual({ read: [longest], refused: [`evil_name ${longer}`], fault: null })
  })
})

describe('a tar', () => {
  async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  test.each([1, 7, 512, 100_000])('in pieces of %s bytes gives the wanted members, each asked for by its beginning', async size => {
    const bytes = tar([
      { name: 'a.nc', body: '<TYPE>4\n' },
      { name: 'b.nc', body: `<TYPE>10-K\n${'x'.repeat(20_000)}` },
      { name: 'c.nc', body: '<TYPE>4\nlast' },
      { name: 'a.nc', body: '<TYPE>4\nagain' },
    ])
    const read: string[] = []
    const refused: string[] = []
    const heads: number[] = []
    const wants = (_name: string, head: Buffer): boolean => {
      heads.push(head.length)
      return head.toString().startsWith('<TYPE>4')
    }
    for await (const { name, bytes: body } of readTar(pieces(bytes, size), caps, each => refused.push(`${each.reason} ${each.name}`), wants))
      read.push(`${name} ${body.length}`)
    expect(read).toEqual(['a.nc 8', 'c.nc 12'])
    expect(refused).toEqual(['duplicate_name a.nc'])
    expect(heads).toEqual([8, 8192, 12])
    expect(gzipSync(bytes).length).toBeLessThan(bytes.length)
  })
  test('that is cut gives what came before the cut, and says so', async () => {
    const bytes = tar([
      { name: 'a', body: 'x'.repeat(600) },
      { name: 'b', body: 'y'.repeat(600) },
    ])
    const read: string[] = []
    const walk = async (): Promise<void> => {
      for await (const { name } of readTar(pieces(bytes.subarray(0, 512 + 1024 + 512 + 300), 100), caps, () => {})) read.push(name)
    }
    await expect(walk()).rejects.toThrow(ArchiveFault)
    expect(read).toEqual(['a'])
  })
})
