import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Packed, tar, zip } from '#fixtures/bulk/archives.ts'
import { describeReal, realFolder } from '#fixtures/real.ts'
import { BadRequest } from '#schemas/errors.ts'
import { readDropIn } from './csv.ts'
import { archiveCaps, type LeftOut, type RecordedFile, type RecordedOptions, walkRecorded } from './recorded.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorded-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(path: string, bytes: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), bytes)
}
async function walk(options: RecordedOptions = {}): Promise<{ read: [string, string][]; left: [string, string][]; files: RecordedFile[] }> {
  const files: RecordedFile[] = []
  const left: LeftOut[] = []
  for await (const file of walkRecorded(folder, { ...options, leftOut: each => left.push(each) })) files.push(file)
  return {
    files,
    read: files.map(file => [file.path, Buffer.from(file.bytes).toString()]),
    left: left.map(({ path, reason }) => [path, reason]),
  }
}

const json = (name: string): Packed => ({ name, body: Buffer.from(`{"name":"${name}"}`) })

describe('a recorded folder', () => {
  test('is walked in one order, unpacked, without its notes', async () => {
    put('b/form4.xml', '<ownershipDocument/>')
    put('a/CIK0000000001.json.gz', gzipSync('{"cik":"1"}'))
    put('a/quote.json', '{}')
    put('a/REQUESTS.json', '{"quote":{"status":200,"url":"https://query2.finance.yahoo.com/v7/finance/quote?symbols=A"}}')
    put('INDEX.md', '# notes')
    put('README', 'notes')
    put('facts.json', '{"b/form4.xml":{"doc":"4"}}')
    put('a/facts.json', '{"cik":1,"facts":{}}')
    put('.hidden', 'x')
    symlinkSync('/etc/hostname', join(folder, 'link.txt'))
    const { read, left, files } = await walk()
    expect(read).toEqual([
      ['a/CIK0000000001.json.gz', '{"cik":"1"}'],
      ['a/facts.json', '{"cik":1,"facts":{}}'],
      ['a/quote.json', '{}'],
      ['b/form4.xml', '<ownershipDocument/>'],
    ])
    expect(left).toEqual([
      ['.hidden', 'hidden'],
      ['INDEX.md', 'note'],
      ['README', 'note'],
      ['a/REQUESTS.json', 'note'],
      ['facts.json', 'note'],
      ['link.txt', 'not_a_file'],
    ])
    expect(files.map(file => file.url)).toEqual([null, null, 'https://query2.finance.yahoo.com/v7/finance/quote?symbols=A', null])
    expect(files.every(file => file.retrieved_at === null)).toBe(true)
  })

  test('that is not there is said', async () => {
    await expect(walkRecorded(join(folder, 'nowhere')).next()).rejects.toThrow(BadRequest)
  })

  test.each([
    ['as it is', {}],
    ['in ZIP64 form', { zip64: true }],
  ])('gives a ZIP’s members in the order of its directory, %s', async (_form, form) => {
    put('submissions.zip', zip([json('CIK0000000002.json'), { ...json('CIK0000000001.json') }, { name: 'folder/', body: Buffer.alloc(0) }], form))
    expect((await walk()).read).toEqual([
      ['submissions.zip/CIK0000000002.json', '{"name":"CIK0000000002.json"}'],
      ['submissions.zip/CIK0000000001.json', '{"name":"CIK0000000001.json"}'],
    ])
  })

  test('gives a tar’s members, with long names, however it is packed', async () => {
    const long = `${'x'.repeat(120)}.nc`
    const record = `path=${long}\n`
    const members = [
      { name: '0000000001-26-000001.nc', body: '<SUBMISSION>1' },
      { name: 'PaxHeader', body: `${record.length + 4} ${record}`, type: 'x' },
      { name: 'cut', body: '<SUBMISSION>2' },
      { name: 'link', body: '', type: '2' },
    ]
    put('20261119.nc.tar.gz', gzipSync(tar(members)))
    put('b.tar', tar(members))
    const { read, left } = await walk()
    const inside = (archive: string) => [
      [`${archive}/0000000001-26-000001.nc`, '<SUBMISSION>1'],
      [`${archive}/${long}`, '<SUBMISSION>2'],
    ]
    expect(read).toEqual([...inside('20261119.nc.tar.gz'), ...inside('b.tar')])
    expect(left).toEqual([
      ['20261119.nc.tar.gz/link', 'not_a_file'],
      ['b.tar/link', 'not_a_file'],
    ])
  })
})

describe('a hostile archive', () => {
  const blanks = Buffer.alloc(3_000_000, ' ')
  test('loses the members that lie, and keeps the others', async () => {
    const good = json('good.json')
    put(
      'a.zip',
      zip([
        good,
        { name: 'bomb', body: blanks },
        { name: 'lying-bomb', body: blanks, size: 1000 },
        { name: 'crc', body: Buffer.from('x'), crc: 1 },
        { name: 'secret', body: Buffer.from('x'), flags: 1 },
        { name: 'odd', body: Buffer.from('x'), method: 12 },
        { name: 'garbled', body: Buffer.from('x'), packed: Buffer.from('not deflate at all') },
      ]),
    )
    const { read, left } = await walk()
    expect(read).toEqual([['a.zip/good.json', good.body.toString()]])
    expect(left).toEqual([
      ['a.zip/bomb', 'bomb'],
      ['a.zip/lying-bomb', 'broken_member'],
      ['a.zip/crc', 'wrong_crc'],
      ['a.zip/secret', 'encrypted'],
      ['a.zip/odd', 'unknown_method'],
      ['a.zip/garbled', 'broken_member'],
    ])
  })

  test('whose members overlap gives none of them', async () => {
    const body = Buffer.from('{"a":1}')
    put(
      'same.zip',
      zip([
        { name: 'x', body },
        { name: 'y', body, offset: 0 },
      ]),
    )
    put(
      'quoted.zip',
      zip([
        { name: 'outer', body, packed: Buffer.concat([deflateRawSync(body), Buffer.alloc(60)]) },
        { name: 'inner', body, offset: 20 },
      ]),
    )
    const { read, left } = await walk()
    expect(read).toEqual([])
    expect(left.map(([path, reason]) => `${path} ${reason}`)).toEqual([
      'quoted.zip/outer overlap',
      'quoted.zip/inner broken_member',
      'same.zip/x overlap',
      'same.zip/y overlap',
    ])
  })

  test('names never lead out of the archive', async () => {
    put('slip.zip', zip([{ ...json('../../etc/passwd') }, { ...json('C:\\x\\..\\y\u202e') }, { ...json('/abs') }]))
    const { read, left } = await walk()
    expect(read).toEqual([])
    expect(left).toEqual([
      ['slip.zip/etc/passwd', 'evil_name'],
      ['slip.zip/C:/x/y_', 'evil_name'],
      ['slip.zip/abs', 'evil_name'],
    ])
  })

  test('that is too much, cut or broken is left out as a whole', async () => {
    const many = zip(Array.from({ length: 20 }, (_, n) => json(`${n}.json`)))
    put('cut.zip', many.subarray(0, many.length - 30))
    put('empty.zip', '')
    put('garbage.zip', Buffer.alloc(100, 7))
    put('many.zip', many)
    put('bomb.tar.gz', gzipSync(tar([{ name: 'x', body: ' '.repeat(5_000_000) }])))
    put('cut.tar', tar([{ name: 'x', body: 'abc' }], Buffer.alloc(0)))
    put('header.tar', Buffer.alloc(2048, 'A'))
    put('bomb.json.gz', gzipSync(Buffer.alloc(5_000_000, ' ')))
    put('broken.json.gz', gzipSync('{"a":1}').subarray(0, 12))
    const { read, left } = await walk({ caps: () => ({ ...archiveCaps, members: 10 }) })
    expect(read).toEqual([['cut.tar/x', 'abc']])
    expect(left).toEqual([
      ['bomb.json.gz', 'bomb'],
      ['bomb.tar.gz', 'bomb'],
      ['broken.json.gz', 'broken_gzip'],
      ['cut.tar', 'truncated'],
      ['cut.zip', 'truncated'],
      ['empty.zip', 'truncated'],
      ['garbage.zip', 'truncated'],
      ['header.tar', 'broken_header'],
      ['many.zip', 'too_many_members'],
    ])
  })
})

describe('the drop-in folder', () => {
  test('gives each CSV as a document, and names no folder of this machine', async () => {
    put('bars/RY.TO.csv', 'date,open,high,low,close,volume\n')
    put('actions été.csv', 'ex_date,kind\n')
    put('bars/half.csv.part', 'x')
    put('notes.txt', 'x')
    const skipped: unknown[] = []
    const documents = []
    for await (const document of readDropIn(
      folder,
      () => Date.parse('2026-11-20T15:00:00Z'),
      file => skipped.push(file),
    ))
      documents.push(document)
    expect(documents.map(({ url, source, status }) => [url, source, status])).toEqual([
      ['file:actions%20%C3%A9t%C3%A9.csv', 'csv', 200],
      ['file:bars/RY.TO.csv', 'csv', 200],
    ])
    expect(JSON.stringify(documents)).not.toContain(folder)
    expect(skipped).toEqual([
      { path: 'bars/half.csv.part', reason: 'still_written' },
      { path: 'notes.txt', reason: 'not_csv' },
    ])
  })
})

describeReal('the recorded real documents', () => {
  test('are all read or named, the same each time', async () => {
    const once = async () => {
      const paths: string[] = []
      const left: string[] = []
      for await (const { path, bytes } of walkRecorded(realFolder, { leftOut: ({ path: out, reason }) => left.push(`${out} ${reason}`) }))
        paths.push(`${path} ${bytes.length}`)
      return { paths, left }
    }
    const first = await once()
    expect(first.paths.length).toBeGreaterThan(250)
    expect(first.left.filter(line => !line.endsWith(' note'))).toEqual([])
    expect(first.left).toContain('edgar/facts.json note')
    expect(await once()).toEqual(first)
  })
})
